//! The way to the guest's agent: three virtio ports, seen here as unix sockets.

use anyhow::{Context, Result, bail};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// A connection to the agent.
pub struct Channel {
    control: UnixStream,
    out: UnixStream,
    err: UnixStream,
    pending: Vec<u8>,
}

/// What became of a command.
pub enum Outcome {
    /// It ended with this status.
    Exit(u8),
    /// It did not end in time.
    TimedOut,
    /// The guest is gone.
    Died,
}

enum Line {
    Text(String),
    TimedOut,
    Closed,
}

impl Channel {
    /// Connect to the ports of the instance in `dir`.
    pub fn open(dir: &Path) -> Result<Channel> {
        let port =
            |name: &str| UnixStream::connect(dir.join(name)).with_context(|| format!("connecting {name}"));
        Ok(Channel {
            control: port("control.sock")?,
            out: port("out.sock")?,
            err: port("err.sock")?,
            pending: vec![],
        })
    }

    fn line(&mut self, deadline: Instant) -> Result<Line> {
        loop {
            if let Some(end) = self.pending.iter().position(|b| *b == b'\n') {
                let rest = self.pending.split_off(end + 1);
                let line = std::mem::replace(&mut self.pending, rest);
                return Ok(Line::Text(String::from_utf8_lossy(&line).trim_end().to_owned()));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Line::TimedOut);
            }
            self.control.set_read_timeout(Some(left))?;
            let mut buf = [0; 256];
            match self.control.read(&mut buf) {
                Ok(0) => return Ok(Line::Closed),
                Ok(n) => self.pending.extend_from_slice(buf.get(..n).unwrap_or_default()),
                Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                Err(e) if e.kind() == io::ErrorKind::ConnectionReset => return Ok(Line::Closed),
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// Wait until the agent says that it is ready.
    pub fn wait_ready(&mut self, limit: Duration) -> Result<Outcome> {
        let deadline = Instant::now() + limit;
        loop {
            match self.line(deadline)? {
                Line::Text(t) if t.starts_with("ready") => return Ok(Outcome::Exit(0)),
                Line::Text(_) => {}
                Line::TimedOut => return Ok(Outcome::TimedOut),
                Line::Closed => return Ok(Outcome::Died),
            }
        }
    }

    /// Run a command: `words` are the release, the library, the directory and the command.
    /// Its output goes to `out` and `err` while it runs.
    pub fn run<O, E>(&mut self, words: &[String], limit: Duration, out: O, err: E) -> Result<Outcome>
    where
        O: Write + Send + 'static,
        E: Write + Send + 'static,
    {
        let nonce = nonce()?;
        let mut line = quote(&nonce);
        for w in words {
            line.push(' ');
            line.push_str(&quote(w));
        }
        line.push('\n');
        self.control.write_all(line.as_bytes())?;
        let (done, all_done) = mpsc::channel();
        copy_aside(self.out.try_clone()?, out, nonce.clone(), done.clone());
        copy_aside(self.err.try_clone()?, err, nonce, done);
        let status = match self.line(Instant::now() + limit)? {
            Line::Text(t) => t.parse().with_context(|| format!("the agent answered {t:?}"))?,
            Line::TimedOut => return Ok(Outcome::TimedOut),
            Line::Closed => return Ok(Outcome::Died),
        };
        for _ in 0..2 {
            match all_done.recv_timeout(Duration::from_secs(20)) {
                Ok(copied) => copied.context("copying the command's output")?,
                Err(_) => bail!("the command's output has no end"),
            }
        }
        Ok(Outcome::Exit(status))
    }
}

/// Copy a port's output in a thread of its own.
fn copy_aside(
    mut from: UnixStream,
    mut to: impl Write + Send + 'static,
    mark: String,
    done: mpsc::Sender<io::Result<()>>,
) {
    std::thread::spawn(move || {
        // nobody listens any more when the command has timed out
        let _ = done.send(copy(&mut from, &mut to, mark.as_bytes()));
    });
}

/// Output that is kept.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    /// What was written so far.
    pub fn text(&self) -> String {
        self.0.lock().map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default()
    }
}

impl Write for Kept {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if let Ok(mut b) = self.0.lock() {
            b.extend_from_slice(data);
        }
        Ok(data.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Copy until `mark`, which is not copied.
fn copy(from: &mut impl Read, to: &mut impl Write, mark: &[u8]) -> io::Result<()> {
    let mut held = Vec::new();
    let mut buf = [0; 16384];
    loop {
        let n = from.read(&mut buf)?;
        if n == 0 {
            to.write_all(&held)?;
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        held.extend_from_slice(buf.get(..n).unwrap_or_default());
        if let Some(at) = held.windows(mark.len()).position(|w| w == mark) {
            held.truncate(at);
            to.write_all(&held)?;
            return to.flush();
        }
        // the tail may be the beginning of the mark
        let sure = held.len().saturating_sub(mark.len() - 1);
        let tail = held.split_off(sure);
        to.write_all(&held)?;
        to.flush()?;
        held = tail;
    }
}

/// A text that no output contains.
fn nonce() -> Result<String> {
    let mut b = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut b)?;
    Ok(b.iter().fold(String::from("mlx5-vm-end-"), |s, b| s + &format!("{b:02x}")))
}

/// A word as bash reads it back, on one line whatever is in it.
fn quote(word: &str) -> String {
    let mut q = String::from("$'");
    for b in word.bytes() {
        match b {
            b'\'' | b'\\' => q.extend(['\\', b as char]),
            0x20..0x7f => q.push(b as char),
            _ => q.push_str(&format!("\\x{b:02x}")),
        }
    }
    q.push('\'');
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives one byte at a time.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(1);
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn the_mark_ends_the_output_and_is_not_part_of_it() {
        for text in [&b"abENaEND"[..], b"abENaENDmore"] {
            let mut out = Vec::new();
            copy(&mut Slowly(text), &mut out, b"END").unwrap();
            assert_eq!(out, b"abENa");
            let mut out = Vec::new();
            copy(&mut &text[..], &mut out, b"END").unwrap();
            assert_eq!(out, b"abENa");
        }
        let mut out = Vec::new();
        assert!(copy(&mut &b"abEN"[..], &mut out, b"END").is_err());
        assert_eq!(out, b"abEN");
    }

    #[test]
    fn bash_reads_words_back() {
        let words = ["a b", "it's", "back\\slash $x `y`", "two\nlines\ttab", "ü", ""];
        for w in words {
            let out = std::process::Command::new("bash")
                .args(["-c", &format!("printf '%s' {}", quote(w))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(out.stdout).unwrap(), w);
        }
    }
}
