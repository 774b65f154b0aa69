//! A text about a date or time as words: numbers, names of the culture, signs.

use crate::format::culture::Culture;

/// A word of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// A number and how many digits it was written with.
    Number(u32, usize),
    /// The fraction of a second in 100 ns, behind a point.
    Fraction(u32),
    /// A month by its name, from 1.
    Month(u32),
    /// A day of the week by its name, Sunday being 0.
    Weekday(u32),
    /// Before noon (false) or after it.
    Half(bool),
    /// Between hours, minutes and seconds.
    Colon,
    /// A point, which is between the parts of a date or of a time.
    Point,
    /// A plus or a minus: between the parts of a date, or before an offset.
    Sign(bool),
    /// The `T` between a date and a time.
    TimeFollows,
    /// The offset of UTC, by its name.
    Utc,
    /// The name of the part that the number before it tells, as East Asian languages write it.
    Unit(Unit),
}

/// A part of a date or time that a number may be said to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

const UNITS: [(char, Unit); 13] = [
    ('年', Unit::Year),
    ('月', Unit::Month),
    ('日', Unit::Day),
    ('時', Unit::Hour),
    ('时', Unit::Hour),
    ('分', Unit::Minute),
    ('秒', Unit::Second),
    ('년', Unit::Year),
    ('월', Unit::Month),
    ('일', Unit::Day),
    ('시', Unit::Hour),
    ('분', Unit::Minute),
    ('초', Unit::Second),
];

/// The names that a culture has for words, longest first; None for those that say nothing.
fn names(culture: &Culture) -> Vec<(String, Option<Word>)> {
    let mut out: Vec<(String, Option<Word>)> = Vec::new();
    let lists = [&culture.months, &culture.months_genitive, &culture.months_short];
    for (at, name) in lists.iter().flat_map(|l| l.iter().enumerate()) {
        out.push((name.to_lowercase(), Some(Word::Month(at as u32 + 1))));
    }
    for (at, name) in [&culture.days, &culture.days_short].iter().flat_map(|l| l.iter().enumerate())
    {
        out.push((name.to_lowercase(), Some(Word::Weekday(at as u32))));
    }
    // The halves of the day in English are understood everywhere.
    let english = &Culture::en_us().halves;
    for (at, name) in [&culture.halves, english].iter().flat_map(|h| h.iter().enumerate()) {
        out.push((name.to_lowercase(), Some(Word::Half(at == 1))));
    }
    for (name, word) in [("t", Word::TimeFollows), ("z", Word::Utc), ("gmt", Word::Utc)] {
        out.push((name.into(), Some(word)));
    }
    out.extend(culture.era().map(|era| (era.to_lowercase(), None)));
    for letter in "dDfFM".chars() {
        let quoted = culture.pattern(letter).split('\'').skip(1).step_by(2);
        out.extend(quoted.flat_map(str::split_whitespace).map(|w| (w.to_lowercase(), None)));
    }
    // A short name may be written without its point. A number with the word for month is read as such.
    let bare: Vec<_> =
        out.iter().filter_map(|(n, w)| n.strip_suffix('.').map(|n| (n.to_owned(), *w))).collect();
    out.extend(bare);
    out.retain(|(n, _)| n.chars().next().is_some_and(|c| !c.is_ascii_digit()));
    out.retain(|(n, _)| !n.chars().all(|c| UNITS.iter().any(|u| u.0 == c)));
    out.sort_by_key(|(n, _)| std::cmp::Reverse(n.len()));
    out
}

/// The words of a text; None where something in it is none.
pub(super) fn words(text: &str, culture: &Culture) -> Option<Vec<Word>> {
    let names = names(culture);
    let text = text.to_lowercase();
    let mut rest = text.trim_end_matches('\0');
    let mut out = Vec::new();
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if c.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let word = number(&rest[..end], &mut out)?;
            out.push(word);
            rest = &rest[end..];
            continue;
        }
        if let Some((name, word)) = names.iter().find(|(name, _)| begins(rest, name)) {
            out.extend(*word);
            rest = &rest[name.len()..];
            continue;
        }
        match c {
            c if c.is_whitespace() => {}
            ',' | '/' => {}
            ':' => out.push(Word::Colon),
            '.' => out.push(Word::Point),
            '-' | '+' => out.push(Word::Sign(c == '-')),
            c => out.push(Word::Unit(UNITS.iter().find(|u| u.0 == c)?.1)),
        }
        rest = after;
    }
    Some(out)
}

/// A number as a word: behind the point after seconds it is their fraction.
fn number(digits: &str, before: &mut Vec<Word>) -> Option<Word> {
    use Word::{Colon, Number, Point};
    if let [.., Colon, Number(..), Colon, Number(..), Point] = before[..] {
        before.pop();
        let seven: String = digits.chars().chain("0000000".chars()).take(7).collect();
        let up = digits.as_bytes().get(7).is_some_and(|d| *d >= b'5');
        return Some(Word::Fraction(seven.parse::<u32>().ok()? + u32::from(up)));
    }
    Some(Number(digits.parse().ok()?, digits.len()))
}

/// Whether the text begins with a name that ends there: no letter follows one that ends with a letter of an alphabet.
fn begins(rest: &str, name: &str) -> bool {
    let Some(after) = rest.strip_prefix(name) else { return false };
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && c < '\u{2E80}');
    // `T` stands between digits.
    !(letter(name.chars().next_back()) && letter(after.chars().next()))
}
