//! The word of everything registered on commits that are not durable yet, beside the list of them.

use std::path::Path;

/// The list: comments, and a line for each statement, command and procedure, and for each function of live state.
const LIST: &str = include_str!("pipelining.txt");

/// The registrations are found in the tables of the features and of the functions; a new one changes the list. `UPDATE_GOLDEN=1` writes
/// it anew.
#[test]
fn everything_registered_has_the_word_that_is_listed() {
    let registered = taffrail_engine::listed_pipelining();
    let is_comment = |line: &&str| line.is_empty() || line.starts_with('#');
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let head: Vec<&str> = LIST.lines().filter(is_comment).collect();
        let text = format!("{}\n{}\n", head.join("\n"), registered.join("\n"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pipelining.txt");
        std::fs::write(path, text).expect("the list is written");
        return;
    }
    let listed: Vec<&str> = LIST.lines().filter(|line| !is_comment(line)).collect();
    let unlisted: Vec<&String> =
        registered.iter().filter(|r| !listed.contains(&r.as_str())).collect();
    assert!(unlisted.is_empty(), "not in pipelining.txt: {unlisted:#?}");
    let gone: Vec<&&str> = listed.iter().filter(|l| !registered.iter().any(|r| r == *l)).collect();
    assert!(gone.is_empty(), "not registered, or with another word: {gone:#?}");
    assert_eq!(listed.len(), registered.len(), "something is listed or registered twice");
}

/// A procedure in T-SQL has its statements' words, and nothing else has: a command is DBCC's alone.
#[test]
fn statements_and_commands_are_the_words_of_those_that_have_them() {
    for line in taffrail_engine::listed_pipelining() {
        let (name, word) = line.split_once(": ").expect("a name and a word");
        assert_eq!(word == "its command", name == "statement DBCC", "{line}");
        assert!(word != "its statements" || name.starts_with("procedure "), "{line}");
    }
}
