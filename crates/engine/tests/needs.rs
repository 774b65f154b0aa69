//! The permissions that everything registered needs, beside the list of them that was written from the documentation.

/// The list: comments, and a line for each statement, command, procedure, view and function.
const LIST: &str = include_str!("needs.txt");

#[test]
fn everything_registered_needs_what_its_documentation_says() {
    let listed: Vec<&str> = LIST.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    let registered = taffrail_engine::listed_needs();
    let unlisted: Vec<&str> =
        registered.iter().map(String::as_str).filter(|r| !listed.contains(r)).collect();
    assert!(unlisted.is_empty(), "not in needs.txt:\n{}", unlisted.join("\n"));
    let mut gone = listed.clone();
    gone.retain(|line| !registered.iter().any(|r| r == line));
    assert!(gone.is_empty(), "not registered, or with other needs:\n{}", gone.join("\n"));
    assert_eq!(listed.len(), registered.len(), "something is listed or registered twice");
}
