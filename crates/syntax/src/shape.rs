//! The shape of a statement: its text without its constants, spaces and comments.

use crate::Unwatched;
use crate::lexer::{TokenKind, lex};
use std::hash::Hasher;

/// A 64-bit hash of a statement's shape. Statements that differ by constants, by the case of names and keywords, by spaces and comments or
/// by brackets around names have the same one.
///
/// ```
/// use taffrail_syntax::shape_of;
/// let one = shape_of("SELECT a FROM t WHERE b = 5", true);
/// assert_eq!(one, shape_of("select [a]\nfrom T where b=6 -- six", true));
/// assert_ne!(one, shape_of("SELECT a FROM t WHERE c = 5", true));
/// ```
pub fn shape_of(text: &str, quoted_identifier: bool) -> u64 {
    let mut hash = Fnv::default();
    // Nobody looks on, so nobody ends the reading.
    let Ok(lexed) = lex(text, quoted_identifier, &Unwatched) else { return 0 };
    for token in &lexed.tokens {
        let own = text.get(token.start as usize..token.end as usize).unwrap_or_default();
        match token.kind {
            TokenKind::String
            | TokenKind::NString
            | TokenKind::Integer
            | TokenKind::Decimal
            | TokenKind::Float
            | TokenKind::Money
            | TokenKind::Binary => hash.write(b"?"),
            TokenKind::Semicolon | TokenKind::End => continue,
            TokenKind::Delimited => {
                let name = own.get(1..own.len().saturating_sub(1)).unwrap_or_default();
                hash.write(name.to_lowercase().as_bytes());
            }
            _ => hash.write(own.to_lowercase().as_bytes()),
        }
        hash.write(&[0]);
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
