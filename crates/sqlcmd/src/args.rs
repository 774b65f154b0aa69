//! The command line, as sqlcmd reads it: letters that stand together, values that stand apart or at their letter,
//! lists behind -i and -v.

use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Nothing,
    Text,
    Number,
    List,
}

/// Letter, word, and what follows.
const OPTIONS: &[(char, &str, Takes)] = &[
    ('?', "help", Takes::Nothing),
    ('i', "input-file", Takes::List),
    ('o', "output-file", Takes::Text),
    (' ', "version", Takes::Nothing),
    ('C', "trust-server-certificate", Takes::Nothing),
    ('d', "database-name", Takes::Text),
    ('E', "use-trusted-connection", Takes::Nothing),
    ('c', "batch-terminator", Takes::Text),
    ('U', "user-name", Takes::Text),
    ('q', "initial-query", Takes::Text),
    ('Q', "query", Takes::Text),
    ('S', "server", Takes::Text),
    ('X', "disable-cmd-and-warn", Takes::Number),
    (' ', "authentication-method", Takes::Text),
    ('G', "use-aad", Takes::Nothing),
    ('x', "disable-variable-substitution", Takes::Nothing),
    ('v', "variables", Takes::List),
    ('a', "packet-size", Takes::Number),
    ('l', "login-timeOut", Takes::Number),
    ('H', "workstation-name", Takes::Text),
    ('K', "application-intent", Takes::Text),
    ('N', "encrypt-connection", Takes::Text),
    ('F', "host-name-in-certificate", Takes::Text),
    ('J', "server-certificate", Takes::Text),
    (' ', "vertical", Takes::Nothing),
    ('r', "errors-to-stderr", Takes::Number),
    (' ', "driver-logging-level", Takes::Number),
    ('b', "exit-on-error", Takes::Nothing),
    ('m', "error-level", Takes::Number),
    ('h', "headers", Takes::Number),
    ('u', "unicode-output-file", Takes::Nothing),
    ('s', "column-separator", Takes::Text),
    ('W', "trim-spaces", Takes::Nothing),
    ('M', "multi-subnet-failover", Takes::Nothing),
    ('P', "password", Takes::Text),
    ('V', "error-severity-level", Takes::Number),
    ('w', "screen-width", Takes::Number),
    ('y', "variable-type-width", Takes::Number),
    ('Y', "fixed-type-width", Takes::Number),
    ('L', "list-servers", Takes::Text),
    ('A', "dedicated-admin-connection", Takes::Nothing),
    ('I', "enable-quoted-identifiers", Takes::Nothing),
    ('R', "client-regional-setting", Takes::Nothing),
    ('k', "remove-control-characters", Takes::Number),
    ('e', "echo-input", Takes::Nothing),
    ('p', "print-statistics", Takes::Number),
    ('t', "query-timeout", Takes::Number),
    ('g', "enable-column-encryption", Takes::Nothing),
    ('z', "change-password", Takes::Text),
    ('Z', "change-password-exit", Takes::Text),
];

/// Options that are known and cannot be served, with the reason.
const REFUSED: &[(&str, &str)] = &[
    (
        "use-trusted-connection",
        "integrated authentication (-E) is not supported: give a login with -U",
    ),
    ("use-aad", "Microsoft Entra authentication (-G) is not supported: give a login with -U"),
    ("enable-column-encryption", "Always Encrypted (-g) is not supported"),
    ("list-servers", "listing servers (-L) is not supported: there is no browser service"),
    ("driver-logging-level", "--driver-logging-level is not supported"),
];

/// The options of a command line.
#[derive(Debug, Default)]
pub struct Args {
    given: BTreeMap<&'static str, String>,
    /// The files of -i, in order.
    pub files: Vec<String>,
    /// The variables of -v by name.
    pub variables: BTreeMap<String, String>,
    /// The first word that belongs to no option.
    pub extra: Option<String>,
}

impl Args {
    /// An option without a value is given.
    pub fn has(&self, word: &str) -> bool {
        self.given.get(word).is_some_and(|v| v == "true")
    }

    /// The value of an option; `None` where it is not given or empty.
    pub fn text(&self, word: &str) -> Option<&str> {
        self.given.get(word).map(String::as_str).filter(|v| !v.is_empty())
    }

    /// The number of an option that takes one.
    pub fn number(&self, word: &str) -> Option<i64> {
        self.given.get(word)?.parse().ok()
    }

    /// Reads the command line; an error is the text behind `Sqlcmd: `.
    pub fn parse(line: &[String]) -> Result<Args, String> {
        let line = spread(line);
        let mut args = Args::default();
        let mut at = 0;
        let mut beyond = None;
        while at < line.len() {
            let word = &line[at];
            at += 1;
            let mut value = || -> Option<String> {
                at += 1;
                line.get(at - 1).cloned()
            };
            if word == "--" {
                beyond = beyond.or(line.get(at).cloned());
                break;
            } else if let Some(long) = word.strip_prefix("--") {
                let (name, given) = match long.split_once('=') {
                    Some((name, v)) => (name, Some(v.to_string())),
                    None => (long, None),
                };
                let Some(&(letter, name, takes)) = OPTIONS.iter().find(|o| o.1 == name) else {
                    return Err(format!(" unknown flag: --{name}"));
                };
                let given = match (given, takes) {
                    (Some(v), _) => v,
                    (None, Takes::Nothing) => "true".into(),
                    (None, _) => value().ok_or(format!(" flag needs an argument: --{name}"))?,
                };
                args.take(letter, name, takes, given)?;
            } else if word.len() > 1 && word.starts_with('-') {
                let mut letters = word[1..].chars();
                while let Some(c) = letters.next() {
                    let Some(&(letter, name, takes)) =
                        OPTIONS.iter().find(|o| o.0 == c && c != ' ')
                    else {
                        return Err(format!(" '{c}': Unknown Option. Enter '-?' for help."));
                    };
                    let rest = letters.as_str();
                    if let Some(v) = rest.strip_prefix('=') {
                        args.take(letter, name, takes, v.into())?;
                        break;
                    }
                    if takes == Takes::Nothing {
                        args.take(letter, name, takes, "true".into())?;
                        continue;
                    }
                    let given = match rest {
                        "" => value()
                            .ok_or(format!(" '-{c}': Missing argument. Enter '-?' for help."))?,
                        rest => rest.into(),
                    };
                    args.take(letter, name, takes, given)?;
                    break;
                }
            } else {
                beyond = beyond.or(Some(word.clone()));
            }
        }
        args.check()?;
        args.extra = beyond;
        Ok(args)
    }

    fn take(
        &mut self,
        letter: char,
        name: &'static str,
        takes: Takes,
        value: String,
    ) -> Result<(), String> {
        let number = || value.parse::<i64>().is_ok();
        let refused = |by: &str, why: &str| {
            let flag = format!("\"-{letter}, --{name}\" flag");
            Err(format!(
                " invalid argument \"{value}\" for {flag}: strconv.{by}: parsing \"{value}\": {why}"
            ))
        };
        match (takes, name) {
            (Takes::List, "input-file") => self.files.extend(comma_separated(&value)),
            (Takes::List, _) => {
                let pairs = match value.matches('=').count() {
                    1 => vec![value.trim_matches('"').to_string()],
                    _ => comma_separated(&value),
                };
                for pair in pairs {
                    let Some((name, v)) = pair.split_once('=') else {
                        return Err(format!(
                            " invalid argument \"{value}\" for \"-v, --variables\" flag: {pair} must be formatted as key=value"
                        ));
                    };
                    self.variables.insert(name.into(), v.into());
                }
            }
            (Takes::Number, "screen-width") if !number() => {
                return Err(format!(" {}", outside("-w", &value, 8, 65536)));
            }
            (Takes::Number, "variable-type-width" | "fixed-type-width") if !number() => {
                return Err(format!(" {}", beyond(&format!("-{letter}"), &value, 8000)));
            }
            (Takes::Number, "error-severity-level") if value.parse::<u8>().is_err() => {
                let e = value.parse::<u8>().expect_err("it is no number");
                return refused("ParseUint", why(&e));
            }
            (Takes::Number, _) if !number() => {
                let e = value.parse::<i64>().expect_err("it is no number");
                return refused("ParseInt", why(&e));
            }
            (Takes::Nothing, _) => match value.as_str() {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => {
                    self.given.insert(name, "true".into());
                }
                "0" | "f" | "F" | "false" | "FALSE" | "False" => {
                    self.given.insert(name, "false".into());
                }
                _ => return refused("ParseBool", "invalid syntax"),
            },
            _ => {
                self.given.insert(name, value);
            }
        }
        Ok(())
    }

    /// Refuses options that cannot stand together, and values out of range.
    fn check(&self) -> Result<(), String> {
        let number = |name| self.number(name);
        let exclusive =
            |a: &str, b: &str| Err(format!("The {a} and the {b} options are mutually exclusive."));
        let queries = self.text("query").is_some() || self.text("initial-query").is_some();
        if !self.files.is_empty() && queries {
            return exclusive("i", "-Q/-q");
        }
        let sql = self.text("user-name").is_some() || self.text("password").is_some();
        if self.has("use-trusted-connection") && sql {
            return exclusive("-E", "-U/-P");
        }
        if self.text("host-name-in-certificate").is_some()
            && self.text("server-certificate").is_some()
        {
            return exclusive("-F", "-J");
        }
        if let Some(n) = number("packet-size").filter(|n| *n != 0 && !(512..=32767).contains(n)) {
            return Err(format!("'-a {n}': Packet size has to be a number between 512 and 32767."));
        }
        if let Some(n) = number("headers").filter(|n| *n < -1) {
            return Err(format!(
                "'-h {n}': header value must be either -1 or a value between 1 and 2147483647"
            ));
        }
        if let Some(n) = number("screen-width").filter(|n| !(9..=65535).contains(n)) {
            return Err(outside("-w", &n.to_string(), 8, 65536));
        }
        for (letter, name, most) in [
            ("-Y", "fixed-type-width", 8000),
            ("-y", "variable-type-width", 8000),
            ("-t", "query-timeout", 65534),
        ] {
            if let Some(n) = number(name).filter(|n| !(0..=most).contains(n)) {
                return Err(beyond(letter, &n.to_string(), most));
            }
        }
        let one_of = |name, letter: &str, allowed: &[&str], shown: &[&str]| {
            let Some(v) = self.text(name).filter(|v| !allowed.contains(&&*v.to_lowercase())) else {
                return Ok(());
            };
            Err(match shown {
                [one] => {
                    format!(" '{letter} {v}': Unexpected argument. Argument value has to be {one}.")
                }
                many => format!(
                    " '{letter} {v}': Unexpected argument. Argument value has to be one of [{}].",
                    many.join(" ")
                ),
            })
        };
        one_of("application-intent", "-K", &["readonly"], &["readonly"])?;
        one_of("errors-to-stderr", "-r", &["0", "1"], &["0", "1"])?;
        one_of("disable-cmd-and-warn", "-X", &["0", "1"], &["1"])?;
        one_of("print-statistics", "-p", &["0", "1"], &["1"])?;
        one_of("remove-control-characters", "-k", &["0", "1", "2"], &["1", "2"])?;
        one_of(
            "encrypt-connection",
            "-N",
            &[
                "mandatory",
                "yes",
                "1",
                "t",
                "true",
                "disable",
                "optional",
                "no",
                "0",
                "f",
                "false",
                "strict",
                "m",
                "s",
                "o",
            ],
            &[
                "m[andatory]",
                "yes",
                "1",
                "t[rue]",
                "disable",
                "o[ptional]",
                "no",
                "0",
                "f[alse]",
                "s[trict]",
            ],
        )?;
        for (name, why) in REFUSED {
            if self.given.get(name).is_some_and(|v| v != "false" && v != "0") {
                return Err((*why).into());
            }
        }
        match self.text("authentication-method") {
            None | Some("SqlPassword") => Ok(()),
            Some(other) => Err(format!("authentication by {other} is not supported")),
        }
    }
}

/// Why a number cannot be read, as Go says it.
fn why(e: &std::num::ParseIntError) -> &'static str {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    match e.kind() {
        PosOverflow | NegOverflow => "value out of range",
        _ => "invalid syntax",
    }
}

fn outside(flag: &str, value: &str, min: i64, max: i64) -> String {
    format!("'{flag} {value}': value must be greater than {min} and less than {max}.")
}

fn beyond(flag: &str, value: &str, max: i64) -> String {
    format!(
        "'{flag} {value}': value must be greater than or equal to 0 and less than or equal to {max}."
    )
}

/// Each value of a list gets its letter, options whose value may be missing get one.
fn spread(line: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut list: Option<(String, bool)> = None;
    for (i, word) in line.iter().enumerate() {
        let next = line.get(i + 1);
        let bare = next.is_none_or(|n| n.starts_with('-'));
        if let Some((flag, first)) = &mut list {
            if word.starts_with('-') {
                list = None;
            } else {
                if !*first {
                    out.push(flag.clone());
                }
                *first = false;
            }
        }
        match word.as_str() {
            "-help" => out.push("--help".into()),
            "-h" if next.is_none_or(|n| n.parse::<i32>().is_err()) => out.push("-?".into()),
            w if w.starts_with("-i") || w.starts_with("-v") => {
                list = Some((w[..2].into(), w.len() == 2));
                out.push(w.into());
            }
            w => {
                out.push(w.into());
                match w {
                    "-r" | "-k" | "-X" | "-p" if bare => out.push("0".into()),
                    "-L" if bare => out.push("|".into()),
                    "-N" if bare => out.push("true".into()),
                    _ => {}
                }
            }
        }
    }
    out
}

/// Values between commas; those in double quotes may hold some.
fn comma_separated(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let last = values.last_mut().expect("never empty");
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                last.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => values.push(String::new()),
            c => last.push(c),
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Args, String> {
        Args::parse(&line.split(' ').map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn values_stand_where_sqlcmd_takes_them() {
        let a =
            parsed("-S host,1 -Usa -h -1 -bCW -No -i a.sql b.sql -v x=1 y=2,z=3 -r -k1").unwrap();
        assert_eq!((a.text("server"), a.text("user-name")), (Some("host,1"), Some("sa")));
        assert_eq!((a.number("headers"), a.text("encrypt-connection")), (Some(-1), Some("o")));
        assert!(a.has("exit-on-error") && a.has("trust-server-certificate"));
        assert_eq!(a.files, ["a.sql", "b.sql"]);
        let names: Vec<&str> = a.variables.keys().map(String::as_str).collect();
        assert_eq!(names, ["x", "y", "z"]);
        assert_eq!(a.number("errors-to-stderr"), Some(0));
        assert_eq!(a.number("remove-control-characters"), Some(1));
        assert_eq!(parsed("-N -Q x").unwrap().text("encrypt-connection"), Some("true"));
        assert_eq!(parsed("--query=a").unwrap().text("query"), Some("a"));
        assert!(parsed("-h").unwrap().has("help"));
    }

    #[test]
    fn wrong_lines_are_told() {
        for (line, why) in [
            ("-w 5", "'-w 5': value must be greater than 8 and less than 65536."),
            ("-Q a -i b", "The i and the -Q/-q options are mutually exclusive."),
            ("-!", " '!': Unknown Option. Enter '-?' for help."),
            ("-S", " '-S': Missing argument. Enter '-?' for help."),
            (
                "-b=no",
                " invalid argument \"no\" for \"-b, --exit-on-error\" flag: strconv.ParseBool: parsing \"no\": invalid syntax",
            ),
            ("-r 5", " '-r 5': Unexpected argument. Argument value has to be one of [0 1]."),
        ] {
            assert_eq!(parsed(line).err().as_deref(), Some(why), "{line}");
        }
        assert!(parsed("-E").is_err_and(|e| e.contains("not supported")));
        assert!(parsed("-v a").is_err_and(|e| e.contains("key=value")));
    }
}
