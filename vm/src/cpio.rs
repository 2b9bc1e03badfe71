//! Initial RAM file systems: archives in cpio's "newc" format.

/// An archive being written.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

const FOLDER: u32 = 0o040755;
const FILE: u32 = 0o100644;
const PROGRAM: u32 = 0o100755;
const LINK: u32 = 0o120777;

impl Archive {
    fn entry(&mut self, mode: u32, name: &str, data: &[u8]) {
        self.entries += 1;
        let links = if mode == FOLDER { 2 } else { 1 };
        let fields: [u32; 13] =
            [self.entries, mode, 0, 0, links, 0, data.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        self.bytes.extend_from_slice(b"070701");
        for f in fields {
            self.bytes.extend_from_slice(format!("{f:08X}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(data);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// Add a folder.
    pub fn folder(&mut self, name: &str) {
        self.entry(FOLDER, name, &[]);
    }

    /// Add a file.
    pub fn file(&mut self, name: &str, data: &[u8]) {
        self.entry(FILE, name, data);
    }

    /// Add an executable file.
    pub fn program(&mut self, name: &str, data: &[u8]) {
        self.entry(PROGRAM, name, data);
    }

    /// Add a symbolic link.
    pub fn link(&mut self, name: &str, target: &str) {
        self.entry(LINK, name, target.as_bytes());
    }

    /// The finished archive. Several may follow each other in one file.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry(0, "TRAILER!!!", &[]);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Archive;
    use std::io::Write;
    use std::process::{Command, Stdio};

    #[test]
    fn busybox_or_cpio_would_read_it_back() {
        let mut a = Archive::default();
        a.folder("d");
        a.file("d/f", b"12345");
        a.link("d/l", "f");
        let bytes = a.finish();
        assert_eq!(bytes.len() % 4, 0);
        // the head of the second entry, spelled out
        let second = 110 + 2; // "d\0", and 112 is a multiple of 4
        assert_eq!(&bytes[second..second + 14], b"07070100000002");
        assert_eq!(&bytes[second + 54..second + 62], b"00000005");
        assert_eq!(&bytes[second + 110..second + 114], b"d/f\0");
        // 110 + 4 = 114, padded to 116
        assert_eq!(&bytes[second + 116..second + 124], b"12345\0\0\0");
        let Ok(mut list) =
            Command::new("cpio").arg("-t").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
        else {
            return;
        };
        list.stdin.take().unwrap().write_all(&bytes).unwrap();
        assert_eq!(list.wait_with_output().unwrap().stdout, b"d\nd/f\nd/l\n");
    }
}
