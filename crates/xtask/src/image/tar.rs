//! A tar archive that depends on nothing but what is put into it: no times, no names of users of this machine.

use anyhow::{Result, bail};
use std::collections::BTreeSet;

/// Bytes of a record.
const RECORD: usize = 512;

/// What an entry is.
enum Kind<'a> {
    File(&'a [u8]),
    HardLink(&'a str),
    SymLink(&'a str),
    Directory,
}

/// An archive under way.
#[derive(Default)]
pub struct Tar {
    bytes: Vec<u8>,
    directories: BTreeSet<String>,
}

impl Tar {
    /// A file of root's.
    pub fn file(&mut self, path: &str, mode: u32, data: &[u8]) -> Result<()> {
        self.parents(path)?;
        self.entry(path, mode, (0, 0), Kind::File(data))
    }

    /// Another name of a file that is in the archive.
    pub fn hard_link(&mut self, path: &str, target: &str) -> Result<()> {
        self.parents(path)?;
        self.entry(path, 0o755, (0, 0), Kind::HardLink(target))
    }

    /// A symbolic link.
    pub fn symbolic_link(&mut self, path: &str, target: &str) -> Result<()> {
        self.parents(path)?;
        self.entry(path, 0o777, (0, 0), Kind::SymLink(target))
    }

    /// A directory; the ones above it come by themselves.
    pub fn directory(&mut self, path: &str, mode: u32, owner: (u32, u32)) -> Result<()> {
        self.parents(path)?;
        if self.directories.insert(path.into()) {
            self.entry(&format!("{path}/"), mode, owner, Kind::Directory)?;
        }
        Ok(())
    }

    /// The archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.resize(self.bytes.len() + 2 * RECORD, 0);
        self.bytes
    }

    fn parents(&mut self, path: &str) -> Result<()> {
        for (at, _) in path.match_indices('/') {
            let above = &path[..at];
            if self.directories.insert(above.into()) {
                self.entry(&format!("{above}/"), 0o755, (0, 0), Kind::Directory)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: &str, mode: u32, owner: (u32, u32), kind: Kind<'_>) -> Result<()> {
        let (flag, link, data): (u8, &str, &[u8]) = match kind {
            Kind::File(data) => (b'0', "", data),
            Kind::HardLink(target) => (b'1', target, &[]),
            Kind::SymLink(target) => (b'2', target, &[]),
            Kind::Directory => (b'5', "", &[]),
        };
        if path.len() > 100 || link.len() > 100 {
            bail!("{path}: the name is too long for a plain tar archive");
        }
        let mut head = [0u8; RECORD];
        head[..path.len()].copy_from_slice(path.as_bytes());
        let octal = |head: &mut [u8; RECORD], at: usize, digits: usize, v: u64| {
            let text = format!("{v:0digits$o}");
            head[at..at + digits].copy_from_slice(text.as_bytes());
        };
        octal(&mut head, 100, 7, mode as u64);
        octal(&mut head, 108, 7, owner.0 as u64);
        octal(&mut head, 116, 7, owner.1 as u64);
        octal(&mut head, 124, 11, data.len() as u64);
        octal(&mut head, 136, 11, 0);
        head[156] = flag;
        head[157..157 + link.len()].copy_from_slice(link.as_bytes());
        head[257..265].copy_from_slice(b"ustar\x0000");
        head[148..156].fill(b' ');
        let sum: u64 = head.iter().map(|b| *b as u64).sum();
        octal(&mut head, 148, 6, sum);
        head[154] = 0;
        self.bytes.extend_from_slice(&head);
        self.bytes.extend_from_slice(data);
        let padded = self.bytes.len().next_multiple_of(RECORD);
        self.bytes.resize(padded, 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    #[test]
    fn tar_reads_what_was_written() {
        let mut tar = Tar::default();
        tar.file("opt/a/bin/x", 0o755, b"hello").unwrap();
        tar.hard_link("opt/b/x", "opt/a/bin/x").unwrap();
        tar.symbolic_link("bin", "usr/bin").unwrap();
        tar.directory("var/opt/mssql", 0o777, (10001, 0)).unwrap();
        let bytes = tar.finish();
        let mut child = Command::new("tar")
            .args(["--numeric-owner", "-tvf", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success());
        let text = String::from_utf8(out.stdout).unwrap();
        for want in [
            "-rwxr-xr-x 0/0",
            "opt/b/x link to opt/a/bin/x",
            "bin -> usr/bin",
            "drwxrwxrwx 10001/0",
        ] {
            assert!(text.contains(want), "{want}\n{text}");
        }
    }
}
