//! The languages of SET LANGUAGE: each brings its DATEFORMAT, its DATEFIRST, and the names of months and days.
//!
//! `languages.tsv` has a line for each row of sys.syslanguages, in the order of `langid`: langid, dateformat, datefirst,
//! upgrade, name, alias, months, short months, days (Monday first), lcid, msglangid.

use super::DateFormat;
use std::sync::LazyLock;

/// A row of sys.syslanguages.
#[derive(Debug)]
pub struct Language {
    /// The language's number, `langid`.
    pub id: LanguageId,
    /// The DATEFORMAT that the language brings.
    pub date_format: DateFormat,
    /// Its DATEFIRST: 1 is Monday.
    pub date_first: u8,
    /// The language's name in the language itself.
    pub name: &'static str,
    /// The language's name in English.
    pub alias: &'static str,
    /// The names of the months, January first.
    pub months: [&'static str; 12],
    /// The short names of the months, January first.
    pub short_months: [&'static str; 12],
    /// The names of the weekdays, Monday first.
    pub days: [&'static str; 7],
    /// Windows' number of the language.
    pub lcid: i32,
    /// That of its messages.
    pub message_lcid: i32,
}

/// `@@LANGID`: a place in [`languages`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct LanguageId(u8);

impl LanguageId {
    /// The language us_english, a new session's.
    pub const US_ENGLISH: LanguageId = LanguageId(0);

    /// The number of the language, `langid`.
    pub fn number(self) -> u8 {
        self.0
    }

    /// By number; us_english where there is none of that number.
    pub fn of_number(n: u8) -> LanguageId {
        languages().get(n as usize).map_or(LanguageId::US_ENGLISH, |l| l.id)
    }

    /// By name or alias, in any case.
    pub fn of_name(name: &str) -> Option<LanguageId> {
        let name = name.to_lowercase();
        let found = languages()
            .iter()
            .find(|l| l.name.to_lowercase() == name || l.alias.to_lowercase() == name);
        found.map(|l| l.id)
    }

    /// The facts about the language: names, orders.
    pub fn get(self) -> &'static Language {
        &languages()[self.0 as usize]
    }
}

/// All of them, by number.
pub fn languages() -> &'static [Language] {
    static ALL: LazyLock<Vec<Language>> =
        LazyLock::new(|| include_str!("languages.tsv").lines().map(of_line).collect());
    &ALL
}

/// A line of the list, which is part of the program: it is whole.
fn of_line(line: &'static str) -> Language {
    let fields: Vec<&'static str> = line.split('\t').collect();
    let [id, format, first, _, name, alias, months, short, days, lcid, message_lcid] = fields[..]
    else {
        panic!("a language has eleven fields: {line}");
    };
    Language {
        id: LanguageId(id.parse().expect("langid")),
        date_format: DateFormat::from_name(format).expect("dateformat"),
        date_first: first.parse().expect("datefirst"),
        name,
        alias,
        months: split(months),
        short_months: split(short),
        days: split(days),
        lcid: lcid.parse().expect("lcid"),
        message_lcid: message_lcid.parse().expect("msglangid"),
    }
}

fn split<const N: usize>(list: &'static str) -> [&'static str; N] {
    let mut all = [""; N];
    let names = list.split(',');
    assert_eq!(names.clone().count(), N, "{list}");
    for (place, name) in all.iter_mut().zip(names) {
        *place = name;
    }
    all
}

impl Language {
    /// The month that a text begins with the name of, and how many bytes the name has: of the names of the language and the
    /// English ones the longest.
    pub(super) fn month_at(&self, text: &str) -> Option<(u32, usize)> {
        let english = LanguageId::US_ENGLISH.get();
        let mut longest: Option<(u32, usize)> = None;
        let sets = [&self.months, &self.short_months, &english.months, &english.short_months];
        for names in sets {
            for (month, name) in (1..).zip(names) {
                let len = starts_with(text, name).unwrap_or(0);
                // A number is no name: `01` is read as one.
                let is_name = len > 0 && !name.starts_with(|c: char| c.is_ascii_digit());
                if is_name && longest.is_none_or(|(_, n)| len > n) {
                    longest = Some((month, len));
                }
            }
        }
        if let Some(len) = starts_with(text, "sept")
            && longest.is_none_or(|(_, n)| len > n)
        {
            longest = Some((9, len));
        }
        // A name ends where its word does.
        longest.filter(|(_, len)| !text[*len..].starts_with(char::is_alphabetic))
    }
}

/// How many bytes of the text are the name, in any case.
fn starts_with(text: &str, name: &str) -> Option<usize> {
    let mut rest = text.chars();
    for c in name.chars() {
        let t = rest.next()?;
        if t != c && !t.to_lowercase().eq(c.to_lowercase()) {
            return None;
        }
    }
    Some(text.len() - rest.as_str().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole() {
        let all = languages();
        assert_eq!(all.len(), 34);
        for (n, l) in all.iter().enumerate() {
            assert_eq!(l.id.number() as usize, n);
            assert!((1..=7).contains(&l.date_first));
            assert_eq!(LanguageId::of_name(l.name), Some(l.id));
        }
        assert_eq!(LanguageId::of_name("GERMAN").map(|l| l.get().name), Some("Deutsch"));
        assert_eq!(LanguageId::of_name("français").map(|l| l.get().alias), Some("French"));
        assert_eq!(LanguageId::of_name("Klingon"), None);
    }

    #[test]
    fn months_begin_a_text() {
        let german = LanguageId::of_name("German").unwrap().get();
        assert_eq!(german.month_at("März 5"), Some((3, 5)));
        assert_eq!(german.month_at("MÄR 5"), Some((3, 4)));
        assert_eq!(german.month_at("october"), Some((10, 7)));
        assert_eq!(german.month_at("oktoberfest"), None);
        let czech = LanguageId::of_name("Czech").unwrap().get();
        assert_eq!(czech.month_at("VIII 2024"), Some((8, 4)));
    }
}
