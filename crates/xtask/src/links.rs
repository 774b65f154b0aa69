//! Links of the pages: what they name is there, file and heading.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Where pages are, besides the root's own.
const FOLDERS: &[&str] = &["docs", "packaging", "examples", "fuzz"];

/// Finds each link to a file that is not there or to a heading that its page has not, and each page that code names and that is not there.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let pages = pages(root)?;
    let mut findings = Vec::new();
    for (name, text) in &pages {
        let folder = Path::new(name).parent().unwrap_or(Path::new(""));
        for (line, link) in links(text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => name.clone(),
                file => plain(&folder.join(file)).to_string_lossy().into_owned(),
            };
            if !root.join(&target).exists() {
                findings.push(format!("{name}:{line}: {link}: there is no {target}"));
            } else if let (false, Some(page)) = (heading.is_empty(), pages.get(&target))
                && !headings(page).iter().any(|h| h == heading)
            {
                findings.push(format!("{name}:{line}: {link}: {target} has no such heading"));
            }
        }
    }
    for (name, text) in crate::files::sources(root)? {
        if name.starts_with("crates/xtask/") {
            continue;
        }
        for page in named(&text) {
            if !root.join(page).exists() {
                findings.push(format!("{name}: there is no {page}"));
            }
        }
    }
    Ok(findings)
}

/// Every page by its path from the root.
fn pages(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut pages = BTreeMap::new();
    let mut folders = vec![(root.to_owned(), false)];
    folders.extend(FOLDERS.iter().map(|f| (root.join(f), true)));
    while let Some((folder, deep)) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let foreign = path.ends_with("node_modules") || path.ends_with("target");
            if deep && path.is_dir() && !foreign {
                folders.push((path, true));
            } else if path.extension().is_some_and(|e| e == "md") {
                let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
                pages.insert(name, fs::read_to_string(&path)?);
            }
        }
    }
    Ok(pages)
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// Lines of text: no code.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    page.lines().enumerate().filter_map(move |(i, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        (!code && !fence && !line.starts_with("    ")).then_some((i + 1, line))
    })
}

/// `[text](target)`, with the number of its line.
fn links(page: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in prose(page) {
        // What stands between backticks is code.
        let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        for part in text.split("](").skip(1) {
            if let Some((target, _)) = part.split_once(')') {
                links.push((number, target.split(' ').next().unwrap_or_default().into()));
            }
        }
    }
    links
}

/// The headings as links name them.
fn headings(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, line) in prose(page) {
        let text = line.trim_start_matches('#');
        if text.len() == line.len() || !text.starts_with(' ') {
            continue;
        }
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let words: String = text.trim().to_lowercase().chars().filter(kept).collect();
        let slug = words.replace(' ', "-");
        let again = found.iter().filter(|h| **h == slug).count();
        found.push(if again == 0 { slug } else { format!("{slug}-{again}") });
    }
    found
}

/// The pages below `docs` that a source names.
fn named(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices("docs/") {
        // A part of a longer path is somebody else's.
        let before = source[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_')) {
            continue;
        }
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
        let end = source[at..].find(|c| !name(c)).map_or(source.len(), |n| at + n);
        let path = source[at..end].trim_end_matches('.');
        if path.ends_with(".md") {
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_headings_are_read_as_they_are_shown() {
        let page = "# One fact, `told`\n[a](x.md#one-fact-told) `[b](y.md)` [c](z.md)\n```\n[d](w)\n# no\n```\n## Same\n## Same\n";
        assert_eq!(links(page), [(2, "x.md#one-fact-told".into()), (2, "z.md".into())]);
        assert_eq!(headings(page), ["one-fact-told", "same", "same-1"]);
        assert_eq!(plain(Path::new("docs/guide/../a.md")), Path::new("docs/a.md"));
        assert_eq!(
            named("see docs/engineering/format.md. And ../docs/x.md"),
            ["docs/engineering/format.md"]
        );
    }
}
