//! The placeholders of RAISERROR and FORMATMESSAGE, as C's printf spells them: `%s`, `%d`, `%i`, `%u`, `%x`, `%X`, `%o`.
//!
//! ```text
//! % [flags - + 0 # blank] [width or *] [.precision or .*] [h | l | ll | I64] type
//! ```
//!
//! A placeholder takes an argument of its own kind only: text for `%s`, an integer for the others (2786). Nothing is
//! taken for what is missing: NULL and an argument too few are both written `(null)`.

use std::fmt::Write;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

/// A value for a placeholder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// tinyint, smallint, int, bigint.
    Number(i64),
    /// A value of a text type.
    Text(String),
    /// NULL of any type.
    Null,
}

impl Argument {
    /// None for a value that is neither text nor an integer.
    pub fn of(v: &Value) -> Option<Argument> {
        Some(match v {
            Value::Null => Argument::Null,
            Value::TinyInt(_) | Value::SmallInt(_) | Value::Int(_) | Value::BigInt(_) => {
                Argument::Number(v.as_i64()?)
            }
            Value::VarChar(_) | Value::NVarChar(_) => Argument::Text(v.as_text()?),
            _ => return None,
        })
    }
}

/// A placeholder taken apart.
#[derive(Default)]
struct Placeholder {
    left: bool,
    zero: bool,
    plus: bool,
    blank: bool,
    prefix: bool,
    width: usize,
    precision: Option<usize>,
    wide: bool,
}

/// The arguments in order, counted from 1 for messages.
struct Arguments<'a> {
    list: &'a [Argument],
    taken: usize,
}

impl<'a> Arguments<'a> {
    fn next(&mut self) -> &'a Argument {
        let argument = self.list.get(self.taken).unwrap_or(&Argument::Null);
        self.taken += 1;
        argument
    }

    fn mismatch(&self) -> Box<SqlError> {
        SqlError::new(2786, &[&self.taken])
    }

    /// The next argument as the width or precision that `*` stands for.
    fn size(&mut self) -> SqlResult<i64> {
        match self.next() {
            Argument::Number(n) => Ok(*n),
            _ => Err(self.mismatch()),
        }
    }
}

/// Fills the placeholders of `text`: 2786 for an argument of another kind, 2787 for a placeholder that is none.
pub fn fill(text: &str, args: &[Argument]) -> SqlResult<String> {
    let mut out = String::with_capacity(text.len());
    let mut args = Arguments { list: args, taken: 0 };
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(r) = rest.strip_prefix('%') {
            out.push('%');
            rest = r;
            continue;
        }
        let (p, after) = placeholder(rest, &mut args)?;
        let mut chars = after.chars();
        let Some(kind) = chars.next() else { return Err(SqlError::new(2787, &[&"%"])) };
        rest = chars.as_str();
        write_one(&p, kind, &mut args, &mut out)?;
        // A width that was asked for is not worth the server's memory.
        if out.len() > MOST {
            break;
        }
    }
    if out.len() <= MOST {
        out.push_str(rest);
    }
    Ok(out)
}

/// Fills a text in another language than the original's: `%1!` is the first placeholder of the original, as it is filled there.
/// A text without such places is filled as the original would be.
pub fn translated(original: &str, text: &str, args: &[Argument]) -> SqlResult<String> {
    if text == original || !text.split('%').skip(1).any(|t| place(t).is_some()) {
        return fill(text, args);
    }
    let parts = filled_one_by_one(original, args)?;
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('%');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        match place(piece) {
            Some((number, rest)) => {
                out.push_str(parts.get(number - 1).map_or("(null)", |p| p));
                out.push_str(rest);
            }
            None => {
                out.push('%');
                out.push_str(piece);
            }
        }
        if out.len() > MOST {
            break;
        }
    }
    Ok(out)
}

/// The number before a `!`, from 1, and what stands behind.
fn place(text: &str) -> Option<(usize, &str)> {
    let (number, rest) = text.split_once('!')?;
    let number = number.parse().ok().filter(|n| *n > 0)?;
    Some((number, rest))
}

/// The texts that the placeholders of a text become.
fn filled_one_by_one(text: &str, args: &[Argument]) -> SqlResult<Vec<String>> {
    let mut args = Arguments { list: args, taken: 0 };
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        rest = &rest[at + 1..];
        if let Some(r) = rest.strip_prefix('%') {
            rest = r;
            continue;
        }
        let (p, after) = placeholder(rest, &mut args)?;
        let mut chars = after.chars();
        let Some(kind) = chars.next() else { return Err(SqlError::new(2787, &[&"%"])) };
        rest = chars.as_str();
        let mut part = String::new();
        write_one(&p, kind, &mut args, &mut part)?;
        parts.push(part);
    }
    Ok(parts)
}

/// More than this nobody keeps: messages end at 2,047 characters.
const MOST: usize = 64 << 10;

/// Flags, width, precision and size; what follows them begins with the kind.
fn placeholder<'t>(
    mut rest: &'t str,
    args: &mut Arguments<'_>,
) -> SqlResult<(Placeholder, &'t str)> {
    let mut p = Placeholder::default();
    while let Some(c @ ('-' | '0' | '+' | ' ' | '#')) = rest.chars().next() {
        match c {
            '-' => p.left = true,
            '0' => p.zero = true,
            '+' => p.plus = true,
            ' ' => p.blank = true,
            _ => p.prefix = true,
        }
        rest = &rest[1..];
    }
    if let Some(r) = rest.strip_prefix('*') {
        let n = args.size()?;
        p.left |= n < 0;
        p.width = n.unsigned_abs().min(MOST as u64) as usize;
        rest = r;
    } else {
        (p.width, rest) = number(rest);
    }
    if let Some(r) = rest.strip_prefix('.') {
        if let Some(r) = r.strip_prefix('*') {
            p.precision = usize::try_from(args.size()?).ok();
            rest = r;
        } else {
            let (n, r) = number(r);
            (p.precision, rest) = (Some(n), r);
        }
    }
    for size in ["I64", "ll", "l", "h"] {
        if let Some(r) = rest.strip_prefix(size) {
            p.wide = matches!(size, "I64" | "ll");
            rest = r;
            break;
        }
    }
    Ok((p, rest))
}

/// A number at the start, 0 where there is none.
fn number(text: &str) -> (usize, &str) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (text[..digits].parse().unwrap_or(MOST).min(MOST) * (digits > 0) as usize, &text[digits..])
}

fn write_one(
    p: &Placeholder,
    kind: char,
    args: &mut Arguments<'_>,
    out: &mut String,
) -> SqlResult<()> {
    if !matches!(kind, 's' | 'd' | 'i' | 'u' | 'x' | 'X' | 'o') {
        return Err(SqlError::new(2787, &[&format_args!("%{kind}")]));
    }
    // Sign or prefix, which zeroes come after, and the rest.
    let (head, mut body) = match (args.next(), kind) {
        (Argument::Null, _) => (String::new(), "(null)".to_string()),
        (Argument::Text(s), 's') => (String::new(), s.clone()),
        (Argument::Number(n), 'd' | 'i') => {
            let sign = match (*n < 0, p.plus, p.blank) {
                (true, ..) => "-",
                (false, true, _) => "+",
                (false, false, true) => " ",
                _ => "",
            };
            (sign.to_string(), n.unsigned_abs().to_string())
        }
        (Argument::Number(n), kind @ ('u' | 'x' | 'X' | 'o')) => {
            // Negative numbers are the two's complement of an int unless the placeholder says otherwise.
            let n = match i32::try_from(*n) {
                Ok(n) if !p.wide => n as u32 as u64,
                _ => *n as u64,
            };
            let (prefix, body) = match kind {
                'u' => ("", n.to_string()),
                'x' => ("0x", format!("{n:x}")),
                'X' => ("0X", format!("{n:X}")),
                _ => ("0", format!("{n:o}")),
            };
            (if p.prefix && n != 0 { prefix.to_string() } else { String::new() }, body)
        }
        _ => return Err(args.mismatch()),
    };
    match p.precision {
        Some(most) if kind == 's' => {
            if let Some((at, _)) = body.char_indices().nth(most) {
                body.truncate(at);
            }
        }
        Some(least) => body.insert_str(0, &"0".repeat(least.saturating_sub(body.len()))),
        None => {}
    }
    let pad = p.width.saturating_sub(head.chars().count() + body.chars().count());
    let zeroes = p.zero && !p.left && kind != 's' && p.precision.is_none();
    // Writing to a String cannot fail.
    let _ = match (p.left, zeroes) {
        (true, _) => write!(out, "{head}{body}{:pad$}", ""),
        (false, true) => write!(out, "{head}{}{body}", "0".repeat(pad)),
        (false, false) => write!(out, "{:pad$}{head}{body}", ""),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Argument, fill};

    fn filled(text: &str, args: &[Argument]) -> String {
        fill(text, args).unwrap_or_else(|e| e.number.to_string())
    }

    #[test]
    fn places_of_another_language_are_those_of_the_original() {
        let args = [Argument::Number(15), Argument::Text("a".into())];
        let said = |text| super::translated("%d of %5s", text, &args).unwrap();
        assert_eq!(said("%2! und %1!, 100%, %3!"), "    a und 15, 100%, (null)");
        assert_eq!(said("%d and %s"), "15 and a");
    }

    #[test]
    fn placeholders() {
        use Argument::*;
        let two = [Number(7), Text("abc".into())];
        for (text, expected) in [
            ("%5d|%-5s|%%", "    7|abc  |%"),
            ("%03d %.2s", "007 ab"),
            ("%+d % s", "+7 abc"),
            ("%#x", "0x7"),
            ("%-4d|", "7   |"),
            ("%.3d", "007"),
            ("%I64d %s %s", "7 abc (null)"),
            ("%y", "2787"),
            ("%s", "2786"),
            ("%d %d", "2786"),
            ("100%", "2787"),
        ] {
            assert_eq!(filled(text, &two), expected, "{text}");
        }
        assert_eq!(
            filled("%x %u %o", &[Number(-1), Number(-1), Number(8)]),
            "ffffffff 4294967295 10"
        );
        assert_eq!(filled("%I64x", &[Number(-1)]), "ffffffffffffffff");
        assert_eq!(filled("%*d|%-*d|", &[Number(4), Number(1), Number(3), Number(2)]), "   1|2  |");
        assert_eq!(filled("%s %d", &[Null]), "(null) (null)");
        assert!(filled("%999999999d", &[Number(1)]).len() <= super::MOST + 1);
    }
}
