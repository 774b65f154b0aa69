//! How much memory there is for the server: the machine's, or what its control groups allow.

use std::path::Path;

/// The default of `max_server_memory_mb`: half of what there is.
pub fn half_of_memory_mb() -> u64 {
    let info = rustix::system::sysinfo();
    let machine = info.totalram as u64 * info.mem_unit as u64;
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    half_mb(limit(&read).map_or(machine, |l| l.min(machine)))
}

fn half_mb(bytes: u64) -> u64 {
    (bytes / 2 / 1024 / 1024).max(64)
}

/// The lowest limit of the process's control groups, in bytes: version 2's `memory.max`, version 1's `memory.limit_in_bytes`, of its
/// own group and of those that this one lies in. None: there is no limit.
fn limit(read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let groups = read(Path::new("/proc/self/cgroup"))?;
    let mut lowest = None;
    for line in groups.lines() {
        // hierarchy:controllers:path
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            c if c.split(',').any(|c| c == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // In a container the path may be one of the host's that is not there: the root is then the container's own group.
        let group = Path::new(path.trim_start_matches('/'));
        let here = group.ancestors().filter_map(|g| read(&Path::new(root).join(g).join(file)));
        // "max", or version 1's number near 2^63, is none.
        let bytes =
            here.filter_map(|text| text.trim().parse::<u64>().ok()).filter(|n| *n < 1 << 60);
        lowest = bytes.chain(lowest).min();
    }
    lowest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Option<u64> {
        limit(&|path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| text.to_string())
        })
    }

    #[test]
    fn control_groups_limit_memory() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("/proc/self/cgroup", "0::/\n")]), None);
        // Version 2, in a container.
        let own = ("/proc/self/cgroup", "0::/\n");
        assert_eq!(of(&[own, ("/sys/fs/cgroup/memory.max", "536870912\n")]), Some(512 << 20));
        assert_eq!(of(&[own, ("/sys/fs/cgroup/memory.max", "max\n")]), None);
        // The lowest of those on the way up.
        let unit = ("/proc/self/cgroup", "0::/system.slice/taffrail.service\n");
        let files = [
            unit,
            ("/sys/fs/cgroup/system.slice/taffrail.service/memory.max", "max\n"),
            ("/sys/fs/cgroup/system.slice/memory.max", "1073741824\n"),
        ];
        assert_eq!(of(&files), Some(1 << 30));
        // Version 1; a path of the host's that the container does not show.
        let old = ("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n");
        let file = "/sys/fs/cgroup/memory/memory.limit_in_bytes";
        assert_eq!(of(&[old, (file, "268435456\n")]), Some(256 << 20));
        assert_eq!(of(&[old, (file, "9223372036854771712\n")]), None);
    }

    #[test]
    fn half_is_the_default() {
        assert_eq!((half_mb(512 << 20), half_mb(64 << 20)), (256, 64));
        assert!(half_of_memory_mb() >= 64);
    }
}
