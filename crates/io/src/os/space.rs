//! How much room the file system of a file has.

use crate::{IoError, IoResult, Space};
use std::path::Path;

/// The room of the file system that a path lies on.
pub(super) fn space(path: &Path) -> IoResult<Space> {
    let failed = |e: rustix::io::Errno| IoError::new("statvfs", path, std::io::Error::from(e));
    let s = rustix::fs::statvfs(path).map_err(failed)?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let (mount_point, source, kind) = mount_of(&mounts, path).unwrap_or(("/", "", ""));
    Ok(Space {
        total: s.f_blocks.saturating_mul(s.f_frsize),
        available: s.f_bavail.saturating_mul(s.f_frsize),
        mount_point: mount_point.into(),
        source: source.into(),
        kind: kind.into(),
        read_only: s.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY),
    })
}

/// Mount point, source and type of the mount that a path lies on: the last of the longest.
/// A line: `36 35 98:0 /root /mount/point options … - type source options`.
fn mount_of<'a>(mounts: &'a str, path: &Path) -> Option<(&'a str, &'a str, &'a str)> {
    let mut best: Option<(&str, &str, &str)> = None;
    for line in mounts.lines() {
        let Some((before, after)) = line.split_once(" - ") else { continue };
        let Some(point) = before.split(' ').nth(4) else { continue };
        let mut after = after.split(' ');
        let (kind, source) = (after.next().unwrap_or(""), after.next().unwrap_or(""));
        if path.starts_with(point) && best.is_none_or(|b| point.len() >= b.0.len()) {
            best = Some((point, source, kind));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mount_point_counts() {
        let mounts = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:2 / /data rw shared:1 - xfs /dev/sdb rw\n\
                      3 1 8:3 / /dat rw - tmpfs none rw\nnonsense\n";
        let of = |p: &str| mount_of(mounts, Path::new(p));
        assert_eq!(of("/data/x/y.mdf"), Some(("/data", "/dev/sdb", "xfs")));
        assert_eq!(of("/var/x"), Some(("/", "/dev/sda1", "ext4")));
        assert_eq!(of("relative"), None);
    }

    #[test]
    fn a_directory_has_room() {
        let s = space(&std::env::temp_dir()).unwrap();
        assert!(s.total > 0 && s.available <= s.total && s.mount_point.starts_with('/'), "{s:?}");
        assert!(space(Path::new("/no such directory")).is_err());
    }
}
