//! The shape of a statement: its text without its constants and variables, and without all that may be left out.

use crate::Unwatched;
use crate::lexer::{TokenKind, lex};
use std::hash::Hasher;

/// A constant or a variable.
fn is_value(kind: TokenKind) -> bool {
    use TokenKind::{Binary, Decimal, Float, Integer, Money, NString, String, Variable};
    matches!(kind, String | NString | Integer | Decimal | Float | Money | Binary | Variable)
}

/// Words that may be left out, or stand for nothing more than what they stand beside.
const SILENT: [&str; 5] = ["as", "asc", "inner", "outer", "into"];

/// A 64-bit hash of a statement's shape. Statements that differ by constants and variables, by the case of names and keywords, by spaces
/// and comments, by brackets around names, by the schema `dbo` or by words that may be left out have the same one.
///
/// ```
/// use taffrail_syntax::shape_of;
/// let one = shape_of("SELECT a FROM t WHERE b = 5", true);
/// assert_eq!(one, shape_of("select [a]\nfrom T where b=6 -- six", true));
/// assert_eq!(one, shape_of("SELECT a FROM dbo.t WHERE b = -@p", true));
/// assert_ne!(one, shape_of("SELECT a FROM t WHERE c = 5", true));
/// ```
pub fn shape_of(text: &str, quoted_identifier: bool) -> u64 {
    let mut hash = Fnv::default();
    // Nobody looks on, so nobody ends the reading.
    let Ok(lexed) = lex(text, quoted_identifier, &Unwatched) else { return 0 };
    let own = |at: usize| {
        let token = lexed.tokens.get(at)?;
        Some((token.kind, text.get(token.start as usize..token.end as usize).unwrap_or_default()))
    };
    // SELECT … INTO makes a table, INSERT INTO is INSERT.
    let mut before = String::new();
    let (mut at, mut opens) = (0, false);
    while let Some((kind, written)) = own(at) {
        at += 1;
        let word = match kind {
            TokenKind::Semicolon | TokenKind::End => continue,
            kind if is_value(kind) => "?".to_string(),
            TokenKind::Delimited => {
                written.get(1..written.len().saturating_sub(1)).unwrap_or_default().to_lowercase()
            }
            _ => written.to_lowercase(),
        };
        let next = own(at);
        let is_name = kind != TokenKind::Delimited && SILENT.contains(&&*word);
        if is_name && (word != "into" || before == "insert" || before == "merge") {
            continue;
        }
        // A sign of a constant, and the schema that names have by default.
        let signs = matches!(&*word, "-" | "+") && opens && next.is_some_and(|t| is_value(t.0));
        if signs || word == "dbo" && next.is_some_and(|t| t.1 == ".") {
            at += usize::from(!signs);
            continue;
        }
        let word = if word == "!=" { "<>".into() } else { word };
        hash.write(word.as_bytes());
        hash.write(&[0]);
        // Behind an operand a sign is an operator.
        opens = "( , = < > <> <= >= + - * / %".split(' ').any(|sign| sign == word);
        before = word;
    }
    hash.finish()
}

/// FNV-1a of 64 bits: the same in every process, unlike the hashers of maps.
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
