//! Scripting variables.

use std::collections::BTreeMap;

/// Those that `:listvar` names first, in its order, each with what it goes back to.
const BUILT_IN: &[(&str, Option<&str>)] = &[
    ("SQLCMDCOLSEP", Some(" ")),
    ("SQLCMDCOLWIDTH", Some("0")),
    ("SQLCMDDBNAME", None),
    ("SQLCMDEDITOR", Some("vi")),
    ("SQLCMDERRORLEVEL", Some("0")),
    ("SQLCMDFORMAT", None),
    ("SQLCMDHEADERS", Some("0")),
    ("SQLCMDINI", None),
    ("SQLCMDLOGINTIMEOUT", Some("30")),
    ("SQLCMDMAXFIXEDTYPEWIDTH", Some("0")),
    ("SQLCMDMAXVARTYPEWIDTH", Some("256")),
    ("SQLCMDPACKETSIZE", None),
    ("SQLCMDSERVER", None),
    ("SQLCMDSTATTIMEOUT", Some("0")),
    ("SQLCMDUSEAAD", None),
    ("SQLCMDUSER", None),
    ("SQLCMDWORKSTATION", None),
    ("SQLCMDCOLORSCHEME", None),
];

const READ_ONLY: &[&str] = &[
    "SQLCMDDBNAME",
    "SQLCMDINI",
    "SQLCMDPACKETSIZE",
    "SQLCMDSERVER",
    "SQLCMDUSER",
    "SQLCMDWORKSTATION",
];

/// Those that are numbers.
const NUMBERS: &[&str] = &[
    "SQLCMDCOLWIDTH",
    "SQLCMDERRORLEVEL",
    "SQLCMDHEADERS",
    "SQLCMDMAXFIXEDTYPEWIDTH",
    "SQLCMDMAXVARTYPEWIDTH",
    "SQLCMDSTATTIMEOUT",
];

/// Why a variable is not set.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// The variable cannot be set.
    ReadOnly,
    /// There is none to take away.
    Undefined,
    /// Its name or value is none.
    Syntax,
}

/// The variables of a session.
pub struct Vars(BTreeMap<String, String>);

impl Vars {
    /// The built-in ones, with the environment's values if it counts.
    pub fn new(environment: bool) -> Vars {
        let mut vars = BTreeMap::new();
        for (name, default) in BUILT_IN {
            vars.insert(name.to_string(), default.unwrap_or_default().to_string());
        }
        vars.remove("SQLCMDFORMAT");
        vars.insert("SQLCMDPACKETSIZE".into(), "4096".into());
        vars.insert("SQLCMDWORKSTATION".into(), workstation());
        if environment {
            for (name, value) in vars.iter_mut() {
                let from = std::env::var(name).ok();
                let fits = |v: &String| !NUMBERS.contains(&name.as_str()) || number(v).is_some();
                if let Some(from) = from.filter(fits) {
                    *value = from;
                }
            }
        }
        Vars(vars)
    }

    /// Sets one, whatever it is.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_uppercase(), value.into());
    }

    /// The value of a variable, if it has one.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(&name.to_uppercase()).map(String::as_str)
    }

    /// `:setvar`; an empty value takes the variable away.
    pub fn setvar(&mut self, name: &str, value: &str) -> Result<(), Refused> {
        let valid = name
            .chars()
            .enumerate()
            .all(|(i, c)| c.is_alphabetic() || c == '_' || (i > 0 && (c.is_numeric() || c == '-')));
        if !valid {
            return Err(Refused::Syntax);
        }
        let key = name.to_uppercase();
        if READ_ONLY.contains(&name) && self.0.get(name).is_some_and(|v| !v.is_empty()) {
            return Err(Refused::ReadOnly);
        }
        if value.is_empty() {
            if !self.0.contains_key(&key) {
                return Err(Refused::Undefined);
            }
            match BUILT_IN.iter().find(|(n, _)| *n == key).and_then(|(_, default)| *default) {
                Some(default) => self.0.insert(key, default.into()),
                None => self.0.remove(&key),
            };
            return Ok(());
        }
        let value = unquoted(value).ok_or(Refused::Syntax)?;
        if NUMBERS.contains(&key.as_str()) && number(&value).is_none() {
            return Err(Refused::Syntax);
        }
        self.0.insert(key, value);
        Ok(())
    }

    /// All of them as `:listvar` shows them.
    pub fn listed(&self) -> Vec<(&str, &str)> {
        let built_in = BUILT_IN.iter().map(|(n, _)| (*n, self.get(n).unwrap_or_default()));
        let others = self.0.iter().filter(|(n, _)| !BUILT_IN.iter().any(|(b, _)| b == n));
        built_in.chain(others.map(|(n, v)| (n.as_str(), v.as_str()))).collect()
    }

    fn int(&self, name: &str) -> i64 {
        self.get(name).and_then(number).unwrap_or_default()
    }

    /// The separator of columns: nothing or one character.
    pub fn separator(&self) -> &str {
        let text = self.get("SQLCMDCOLSEP").unwrap_or_default();
        text.char_indices().nth(1).map_or(text, |(end, _)| &text[..end])
    }

    /// The limit of columns whose type has a length, 0 for none.
    pub fn fixed_width(&self) -> i64 {
        self.int("SQLCMDMAXFIXEDTYPEWIDTH")
    }

    /// The limit of (max) columns, 0 for none.
    pub fn variable_width(&self) -> i64 {
        self.int("SQLCMDMAXVARTYPEWIDTH")
    }

    /// Where lines are broken, 0 for nowhere.
    pub fn screen_width(&self) -> i64 {
        self.int("SQLCMDCOLWIDTH")
    }

    /// Rows between two headings: 0 for one heading, -1 for none.
    pub fn headers(&self) -> i64 {
        if self.variable_width() == 0 { -1 } else { self.int("SQLCMDHEADERS") }
    }

    /// The least severity that is shown.
    pub fn error_level(&self) -> i64 {
        self.int("SQLCMDERRORLEVEL")
    }

    /// Seconds that a batch may take, 0 for any.
    pub fn timeout(&self) -> u64 {
        self.int("SQLCMDSTATTIMEOUT").max(0) as u64
    }

    /// Seconds that a login may take, 0 for any; none where the variable has no number.
    pub fn login_timeout(&self) -> Option<u64> {
        self.get("SQLCMDLOGINTIMEOUT").and_then(number).and_then(|n| n.try_into().ok())
    }

    /// The packet size that is asked for; none where the variable has none that a packet may have.
    pub fn packet_bytes(&self) -> Option<usize> {
        let bytes = self.get("SQLCMDPACKETSIZE").and_then(number)?;
        usize::try_from(bytes).ok().filter(|n| (512..=32767).contains(n))
    }

    /// One line a value.
    pub fn vertical(&self) -> bool {
        matches!(self.get("SQLCMDFORMAT"), Some("vert" | "vertical"))
    }
}

/// The number that a text begins with.
pub fn number(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let sign = if text.starts_with('-') { "-" } else { "" };
    format!("{sign}{}", &digits[..end]).parse().ok()
}

fn workstation() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// A value as `:setvar` takes it: blanks only in quotes, a quote in quotes twice.
fn unquoted(value: &str) -> Option<String> {
    let Some(inner) = value.strip_prefix('"') else {
        return (!value.contains(['\t', '\n', '\r', ' '])).then(|| value.to_string());
    };
    let mut text = String::new();
    let mut pending = false;
    for c in inner.strip_suffix('"')?.chars() {
        match (pending, c) {
            (true, '"') => {
                text.push('"');
                pending = false;
            }
            (true, _) => return None,
            (false, '"') => pending = true,
            _ => text.push(c),
        }
    }
    (!pending).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_set_reset_and_refused() {
        let mut v = Vars::new(false);
        assert_eq!(v.setvar("a", "\"b \"\"c\"\"\""), Ok(()));
        assert_eq!(v.get("A"), Some("b \"c\""));
        assert_eq!(v.setvar("a", "b c"), Err(Refused::Syntax));
        assert_eq!(v.setvar("a", "\"b"), Err(Refused::Syntax));
        assert_eq!(v.setvar("1a", "b"), Err(Refused::Syntax));
        assert_eq!(v.setvar("a", ""), Ok(()));
        assert_eq!(v.setvar("a", ""), Err(Refused::Undefined));
        v.set("SQLCMDSERVER", "here");
        assert_eq!(v.setvar("SQLCMDSERVER", "there"), Err(Refused::ReadOnly));
        assert_eq!(v.setvar("SQLCMDCOLSEP", "|"), Ok(()));
        assert_eq!(v.separator(), "|");
        assert_eq!(v.setvar("sqlcmdcolsep", ""), Ok(()));
        assert_eq!(v.separator(), " ");
        assert_eq!(v.setvar("SQLCMDCOLWIDTH", "wide"), Err(Refused::Syntax));
        assert_eq!((v.login_timeout(), v.packet_bytes()), (Some(30), Some(4096)));
        v.set("SQLCMDLOGINTIMEOUT", "7");
        v.set("SQLCMDPACKETSIZE", "8192");
        assert_eq!((v.login_timeout(), v.packet_bytes()), (Some(7), Some(8192)));
        v.set("SQLCMDPACKETSIZE", "1");
        assert_eq!(v.packet_bytes(), None);
    }
}
