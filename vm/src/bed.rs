//! A guest for a series of commands, booted again when one of them takes it down.

use crate::channel::{Channel, Kept, Outcome};
use crate::machine::{Machine, Spec};
use crate::{paths, prepare, root};
use anyhow::{Result, bail};
use std::time::Duration;

/// What kernel 7.2 says when the card did not pass its probe for write combining in 100 ms, which
/// happens on a busy machine. Such a guest has no BlueFlame, and answers accordingly.
const TOO_SLOW: &str = "Write combining is not supported";
/// How often a guest is booted for a try at that probe.
const TRIES: u32 = 4;

/// A guest, and how to get another one like it.
pub struct Bed {
    spec: Spec,
    running: Option<(Machine, Channel)>,
}

/// What a command left.
pub struct Ran {
    /// Standard output, with a line added when the command did not end by itself with 0.
    pub out: String,
    /// Standard error; the guest's logs when it is gone.
    pub err: String,
    /// Its status, if it ended.
    pub status: Option<u8>,
}

impl Bed {
    /// A bed for guests like this; the first command boots.
    pub fn new(spec: Spec) -> Result<Bed> {
        let releases: Vec<&str> = root::RELEASES.iter().map(|r| r.0).collect();
        prepare(&[&spec.kernel], &releases)?;
        Ok(Bed { spec, running: None })
    }

    /// Run a command of these words in the checkout, with this release and library.
    pub fn run(&mut self, release: &str, library: &str, limit: u64, command: &[&str]) -> Result<Ran> {
        let mut words = vec![release.to_owned(), library.to_owned()];
        words.push(paths::checkout().canonicalize()?.to_string_lossy().into_owned());
        words.extend(command.iter().map(|w| (*w).to_owned()));
        if self.running.is_none() {
            self.running = Some(self.boot()?);
        }
        let (out, err) = (Kept::default(), Kept::default());
        let outcome = match &mut self.running {
            Some((_, channel)) => {
                channel.run(&words, Duration::from_secs(limit), out.clone(), err.clone())?
            }
            None => Outcome::Died,
        };
        let mut ran = Ran { out: out.text(), err: err.text(), status: None };
        match outcome {
            Outcome::Exit(status) => {
                ran.status = Some(status);
                match status {
                    0 => {}
                    // the shell's number for a signal
                    129..=192 => ran.out.push_str(&format!("ended by signal {}\n", status - 128)),
                    _ => ran.out.push_str(&format!("ended with {status}\n")),
                }
            }
            Outcome::TimedOut => ran.out.push_str(&format!("not done after {limit} s\n")),
            Outcome::Died => ran.out.push_str("the guest died\n"),
        }
        if ran.status.is_none()
            && let Some((machine, _)) = self.running.take()
        {
            ran.err.push_str(&machine.logs());
        }
        Ok(ran)
    }

    /// A guest whose driver has probed the card and found all that it can do.
    fn boot(&self) -> Result<(Machine, Channel)> {
        let sim = paths::built()?.join("mlx5-sim-pci");
        let probe = "ibv_devinfo >/dev/null; dmesg --level=warn";
        let words = [root::RELEASES[0].0, "reference", "/", "sh", "-c", probe].map(str::to_owned);
        for _ in 0..TRIES {
            let (machine, mut channel) = Machine::boot(&self.spec, &paths::cache()?, &sim)?;
            let out = Kept::default();
            channel.run(&words, Duration::from_secs(60), out.clone(), Kept::default())?;
            if !out.text().contains(TOO_SLOW) {
                return Ok((machine, channel));
            }
        }
        bail!("the card was too slow for the driver's probe in {TRIES} guests: is the machine very busy?")
    }

    /// Whether a guest runs, with a log to look at.
    pub fn is_up(&self) -> bool {
        self.running.is_some()
    }
}
