//! Numbers by a picture: `#,##0.00;(#,##0.00);zero`.

use super::culture::Culture;
use super::number::{Number, exponent, group_places};

/// The facts about a section of a picture that are known before its digits are placed.
struct Section {
    /// The number of digit placeholders.
    digits: i64,
    /// Of them, those left of the point.
    whole: i64,
    /// From the point to the left: the place of the first `0`.
    first_zero: i64,
    /// From the point to the left, so negative to the right: the place of the last `0`.
    last_zero: i64,
    /// Whether `,` stands between digits, so that groups are separated.
    grouped: bool,
    /// Powers of ten by `%`, `‰` and commas at the end.
    shift: i64,
    /// There is an exponent.
    scientific: bool,
}

/// Where a section begins: 0 positive, 1 negative, 2 zero. One that is not there is the first.
fn find_section(picture: &[char], wanted: usize) -> usize {
    let mut left = wanted;
    let mut at = 0;
    while left > 0 {
        let Some(c) = picture.get(at) else { return 0 };
        at += 1;
        match c {
            '\'' | '"' => at = after_quote(picture, at, *c),
            '\\' if at < picture.len() => at += 1,
            ';' => {
                left -= 1;
                if left == 0 {
                    return if matches!(picture.get(at), None | Some(';')) { 0 } else { at };
                }
            }
            _ => {}
        }
    }
    at
}

/// The place after the closing quotation mark.
fn after_quote(picture: &[char], from: usize, mark: char) -> usize {
    picture[from..].iter().position(|c| *c == mark).map_or(picture.len(), |n| from + n + 1)
}

/// Writes the text between quotation marks, the first of which stands before `from`; the place behind it.
fn quoted(picture: &[char], from: usize, mark: char, out: &mut String) -> usize {
    let end = after_quote(picture, from, mark);
    let closed = picture.get(end.wrapping_sub(1)) == Some(&mark) && end > from;
    out.extend(&picture[from..end - closed as usize]);
    end
}

/// The number of zeros that stand at `at`.
fn zeros_at(picture: &[char], at: usize) -> usize {
    picture.get(at..).unwrap_or_default().iter().take_while(|c| **c == '0').count()
}

/// Writes an E that is no exponent's, with the sign and the zeros behind it; the place behind them.
fn letter_e(picture: &[char], mut at: usize, c: char, out: &mut String) -> usize {
    out.push(c);
    if let Some(sign) = picture.get(at).filter(|c| matches!(c, '+' | '-')) {
        out.push(*sign);
        at += 1;
    }
    let zeros = zeros_at(picture, at);
    out.extend(std::iter::repeat_n('0', zeros));
    at + zeros
}

/// Whether at `at` (after an E) an exponent's zeros begin, perhaps after a sign.
fn exponent_follows(picture: &[char], at: usize) -> bool {
    match picture.get(at) {
        Some('0') => true,
        Some('+' | '-') => picture.get(at + 1) == Some(&'0'),
        _ => false,
    }
}

fn read(picture: &[char], from: usize) -> Section {
    let (mut digits, mut point) = (0i64, None);
    let (mut first_zero, mut last_zero) = (None, 0i64);
    let (mut grouped, mut commas_at, mut commas) = (false, None, 0i64);
    let (mut shift, mut scientific) = (0, false);
    let mut at = from;
    while let Some(c) = picture.get(at).filter(|c| **c != ';') {
        at += 1;
        match c {
            '#' => digits += 1,
            '0' => {
                first_zero.get_or_insert(digits);
                digits += 1;
                last_zero = digits;
            }
            '.' => {
                point.get_or_insert(digits);
            }
            ',' if digits > 0 && point.is_none() => {
                if commas_at == Some(digits) {
                    commas += 1;
                } else {
                    grouped |= commas_at.is_some();
                    (commas_at, commas) = (Some(digits), 1);
                }
            }
            '%' => shift += 2,
            '‰' => shift += 3,
            '\'' | '"' => at = after_quote(picture, at, *c),
            '\\' if at < picture.len() => at += 1,
            'E' | 'e' if exponent_follows(picture, at) => {
                at += 1;
                while picture.get(at) == Some(&'0') {
                    at += 1;
                }
                scientific = true;
            }
            _ => {}
        }
    }
    let whole = point.unwrap_or(digits);
    match commas_at {
        Some(place) if place == whole => shift -= commas * 3,
        Some(_) => grouped = true,
        None => {}
    }
    Section {
        digits,
        whole,
        first_zero: first_zero.filter(|f| *f < whole).map_or(0, |f| whole - f),
        last_zero: if last_zero > whole { whole - last_zero } else { 0 },
        grouped,
        shift,
        scientific,
    }
}

/// A number by a picture.
pub fn format(number: Number, picture: &str, culture: &Culture) -> Option<String> {
    let picture: Vec<char> = picture.chars().collect();
    let mut n = number;
    let wanted = if n.digits.is_empty() { 2 } else { n.negative as usize };
    let mut from = find_section(&picture, wanted);
    let mut section = read(&picture, from);
    if n.digits.is_empty() {
        (n.negative, n.scale) = (false, 0);
    } else {
        n.scale += section.shift;
        n.round(match section.scientific {
            true => section.digits,
            false => n.scale + section.digits - section.whole,
        });
        if n.digits.is_empty() {
            // It has become zero.
            from = find_section(&picture, 2);
            section = read(&picture, from);
        }
    }
    let mut out = String::new();
    if n.negative && from == 0 {
        out.push('-');
    }
    place(&n, &picture, from, &section, culture, &mut out);
    Some(out)
}

/// Digits that are written into a section.
struct Writer<'n> {
    digits: std::slice::Iter<'n, u8>,
    /// Places left of the point that are still to come (negative to the right of it).
    place: i64,
    /// Places where a separator comes next, the nearest last.
    separators: Vec<i64>,
    separator: &'n str,
}

impl<'n> Writer<'n> {
    /// A writer whose first digit has this place. `digits`: places left of the point that get a digit.
    fn new(
        n: &'n Number,
        section: &Section,
        place: i64,
        digits: i64,
        culture: &'n Culture,
    ) -> Writer<'n> {
        let separator = &*culture.number.separator;
        let separators = match section.grouped && !separator.is_empty() {
            true => group_places(&culture.number.groups, section.first_zero.max(digits)),
            false => Vec::new(),
        };
        Writer { digits: n.digits.iter(), place, separators, separator }
    }

    /// The next digit of the number, or another where it has no more.
    fn next_or(&mut self, other: Option<u8>) -> Option<u8> {
        self.digits.next().copied().or(other)
    }

    /// So many digits, zeros when there are no more.
    fn push_all(&mut self, count: i64, out: &mut String) {
        for _ in 0..count {
            let digit = self.next_or(None).unwrap_or(0);
            self.push(digit, out);
            self.place -= 1;
        }
    }

    fn push(&mut self, digit: u8, out: &mut String) {
        out.push((b'0' + digit) as char);
        if self.place > 1 && self.separators.last() == Some(&(self.place - 1)) {
            self.separators.pop();
            out.push_str(self.separator);
        }
    }
}

fn place(
    n: &Number,
    picture: &[char],
    from: usize,
    section: &Section,
    culture: &Culture,
    out: &mut String,
) {
    // Digits beyond the placeholders (positive), or placeholders beyond the digits.
    let (mut beyond, place) = if section.scientific {
        (0, section.whole)
    } else {
        (n.scale - section.whole, n.scale.max(section.whole))
    };
    let mut w = Writer::new(n, section, place, place + beyond.min(0), culture);
    let mut point_written = false;
    let mut exponent_open = section.scientific;
    let mut at = from;
    while let Some(&c) = picture.get(at).filter(|c| **c != ';') {
        at += 1;
        if matches!(c, '#' | '0' | '.') {
            w.push_all(beyond, out);
            beyond = beyond.min(0);
        }
        match c {
            '#' | '0' => {
                let digit = match beyond < 0 {
                    true => (w.place <= section.first_zero).then_some(0),
                    false => w.next_or((w.place > section.last_zero).then_some(0)),
                };
                beyond += i64::from(beyond < 0);
                if let Some(digit) = digit {
                    w.push(digit, out);
                }
                w.place -= 1;
            }
            '.' => {
                let more = section.whole < section.digits && w.digits.len() > 0;
                if w.place == 0 && !point_written && (section.last_zero < 0 || more) {
                    out.push_str(&culture.number.point);
                    point_written = true;
                }
            }
            ',' => {}
            '%' => out.push_str(&culture.percent.symbol),
            '‰' => out.push('‰'),
            '\'' | '"' => at = quoted(picture, at, c, out),
            '\\' => {
                if let Some(next) = picture.get(at) {
                    out.push(*next);
                    at += 1;
                }
            }
            'E' | 'e' if exponent_open && exponent_follows(picture, at) => {
                let plus = picture[at] == '+';
                at += (picture[at] != '0') as usize;
                let zeros = zeros_at(picture, at);
                at += zeros;
                let value = if n.digits.is_empty() { 0 } else { n.scale - section.whole };
                exponent(value, c, zeros.min(10), plus, out);
                exponent_open = false;
            }
            'E' | 'e' if !exponent_open => at = letter_e(picture, at, c, out),
            other => out.push(other),
        }
    }
}
