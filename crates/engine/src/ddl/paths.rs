//! Paths as other systems write them.

/// What stands for a path as Windows writes it: its file name, so that `D:\SQLLogs\x.ldf` lies beside the other files.
/// Other paths are themselves.
pub(crate) fn local_name(path: &str) -> &str {
    let bytes = path.as_bytes();
    let drive = bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    match path.rfind(['\\', '/', ':']) {
        Some(at) if drive || path.contains('\\') => &path[at + 1..],
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::local_name;

    #[test]
    fn windows_paths_are_their_file_names() {
        for (path, name) in [
            (r"D:\SQLLogs\x_log.ldf", "x_log.ldf"),
            (r"\\server\share\b.bak", "b.bak"),
            ("e:x.mdf", "x.mdf"),
            ("E:/data/x.mdf", "x.mdf"),
            (r"C:\data\", ""),
            ("/var/opt/x.mdf", "/var/opt/x.mdf"),
            ("sub/x.mdf", "sub/x.mdf"),
            ("x.mdf", "x.mdf"),
        ] {
            assert_eq!(local_name(path), name, "{path}");
        }
    }
}
