//! What characters are in XML, and the mistakes that the reading of it knows, by the number of their message.

use taffrail_base::message::CANCELLED;

/// Elements within one another: SQL Server's limit, and one for the stack of whoever walks them.
pub(super) const LEVELS: usize = 128;

/// A mistake at the current place.
pub(super) struct Mistake(pub i32);

pub(super) type Read<T> = Result<T, Mistake>;

/// No mistake: the batch was cancelled.
pub(super) const CALLED_OFF: Mistake = Mistake(CANCELLED);
pub(super) const END: Mistake = Mistake(9400);
pub(super) const WHITE_SPACE: Mistake = Mistake(9410);
pub(super) const SEMICOLON: Mistake = Mistake(9411);
pub(super) const CLOSE: Mistake = Mistake(9412);
pub(super) const QUOTE: Mistake = Mistake(9413);
pub(super) const EQUAL: Mistake = Mistake(9414);
pub(super) const LESS_IN_VALUE: Mistake = Mistake(9415);
pub(super) const HEX_DIGIT: Mistake = Mistake(9416);
pub(super) const DIGIT: Mistake = Mistake(9417);
pub(super) const CHARACTER: Mistake = Mistake(9420);
pub(super) const NAME_CHARACTER: Mistake = Mistake(9421);
pub(super) const DOCUMENT: Mistake = Mistake(9422);
pub(super) const CDATA: Mistake = Mistake(9423);
pub(super) const COMMENT: Mistake = Mistake(9424);
pub(super) const NAME: Mistake = Mistake(9434);
pub(super) const MISMATCH: Mistake = Mistake(9436);
pub(super) const DUPLICATE: Mistake = Mistake(9437);
pub(super) const LATE_DECLARATION: Mistake = Mistake(9438);
pub(super) const RESERVED: Mistake = Mistake(9439);
pub(super) const DECLARATION: Mistake = Mistake(9441);
pub(super) const ENTITY: Mistake = Mistake(9448);
pub(super) const INSTRUCTION: Mistake = Mistake(9451);
pub(super) const CDATA_END: Mistake = Mistake(9454);
pub(super) const QUALIFIED_NAME: Mistake = Mistake(9455);
pub(super) const COLONS: Mistake = Mistake(9456);
pub(super) const REDECLARED: Mistake = Mistake(9458);
pub(super) const UNDECLARED: Mistake = Mistake(9459);
pub(super) const EMPTY_URI: Mistake = Mistake(9460);
pub(super) const XMLNS: Mistake = Mistake(9465);
pub(super) const DEPTH: Mistake = Mistake(6335);
pub(super) const DTD: Mistake = Mistake(6359);

pub(crate) fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// A character that XML can hold.
pub(crate) fn is_allowed(c: char) -> bool {
    !matches!(c, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}')
}

/// Whether a name of XML, without its prefix, may begin with the character.
pub fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Whether the character may stand in a name of XML behind the first one.
pub fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{B7}') || is_combining(c)
}

pub(crate) fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{203F}' | '\u{2040}')
}

pub(crate) fn escape(c: char, out: &mut String) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '\r' => out.push_str("&#x0D;"),
        // FOR XML without TYPE.
        c if !is_allowed(c) => out.push_str(&format!("&#x{:02X};", c as u32)),
        c => out.push(c),
    }
}
