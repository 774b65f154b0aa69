//! What the operating system says of this process.

/// A number of a file of `/proc`, in kB, by the name that stands before it.
pub fn proc_kb(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|l| l.starts_with(name))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// User and kernel time of the process in ms, minor plus major faults.
pub fn proc_stat() -> Option<(u64, u64, u64)> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let rest = text.rsplit_once(") ")?.1;
    let fields: Vec<u64> = rest.split(' ').map(|f| f.parse().unwrap_or(0)).collect();
    // Times are in ticks of 10 ms on every Linux that we run on.
    Some((fields.get(11)? * 10, fields.get(12)? * 10, fields.get(7)? + fields.get(9)?))
}
