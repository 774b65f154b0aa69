//! Reading XML content and writing it as SQL Server keeps it.
//!
//! Content is any number of elements, text, comments, CDATA sections and processing instructions. What is kept of them:
//!
//! 1. The declaration goes. An element without content is one tag. Attributes stand in double quotes, after the namespaces.
//! 2. Entities and CDATA sections become their text; what XML must escape is escaped, a carriage return that was written as
//!    a reference stays one.
//! 3. Text of white space only goes, unless `xml:space="preserve"` holds or a reference or CDATA section gave some of it.
//!    Then its last character is written as a reference, so that it survives another reading.
//! 4. Ends of lines are line feeds.
//!
//! A mistake is told by number and place, where the reading stopped: ends of the input at the last character, mistakes that
//! a start tag shows as a whole at its `>`.

mod others;
mod scopes;

use super::characters::*;
use crate::pieces;
use scopes::Scopes;
use taffrail_base::message::cancelled;
use taffrail_base::{SqlError, SqlResult};

/// An attribute as it is written, its value read.
struct Attribute<'t> {
    name: &'t str,
    value: String,
}

/// An element that is open.
struct Open<'t> {
    name: &'t str,
    /// Namespaces declared before it.
    prefixes: usize,
    /// `xml:space` was `preserve` outside it.
    preserve: bool,
    /// Its start tag still lacks its `>`.
    begun: bool,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    out: String,
    open: Vec<Open<'t>>,
    scopes: Scopes<'t>,
    preserve: bool,
    /// Text that is being put together.
    run: String,
    /// Some of it is more than white space between tags.
    significant: bool,
    /// Something but white space has come.
    content: bool,
    /// Characters of text, tags and attributes so far.
    parts: u32,
}

/// So many of these are read between two looks at whether the batch was cancelled.
const PARTS_PER_LOOK: u32 = 1 << 16;

/// Content as it is kept. `preserve`: text of white space only stays.
pub(super) fn normalised(text: &str, preserve: bool) -> SqlResult<String> {
    let mut reader = Reader {
        text,
        at: 0,
        out: String::with_capacity(text.len()),
        open: Vec::new(),
        scopes: Scopes::default(),
        preserve,
        run: String::new(),
        significant: false,
        content: false,
        parts: 0,
    };
    match reader.read() {
        Ok(()) => Ok(reader.out),
        Err(Mistake(number)) => Err(reader.error(number)),
    }
}

impl<'t> Reader<'t> {
    /// The message of a mistake at the current place; the end is at the last character.
    #[cold]
    fn error(&self, number: i32) -> Box<SqlError> {
        if number == CALLED_OFF.0 {
            return cancelled();
        }
        if number == DEPTH.0 {
            return SqlError::new(number, &[&LEVELS]);
        }
        if number == DTD.0 {
            return SqlError::new(number, &[]);
        }
        let (mut line, mut column) = (1, 0);
        let mut newline = false;
        for (at, c) in self.text.char_indices() {
            if at > self.at {
                break;
            }
            if newline && !(c == '\n' && self.text[..at].ends_with('\r')) {
                line += 1;
                column = 0;
            }
            column += 1;
            newline = c == '\n' || c == '\r';
        }
        SqlError::new(number, &[&line, &column.max(1)])
    }

    /// Another part is read.
    fn look(&mut self) -> Read<()> {
        self.parts = self.parts.wrapping_add(1);
        match self.parts.is_multiple_of(PARTS_PER_LOOK) && pieces::look().is_err() {
            true => Err(CALLED_OFF),
            false => Ok(()),
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The next character, which XML must be able to hold; the mistake where there is none.
    fn next(&self, missing: Mistake) -> Read<char> {
        match self.peek() {
            Some(c) if is_allowed(c) => Ok(c),
            Some(_) => Err(CHARACTER),
            None => Err(missing),
        }
    }

    fn eat(&mut self, what: &str) -> bool {
        let found = self.text[self.at..].starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    fn white_space(&mut self) -> bool {
        let from = self.at;
        while self.peek().is_some_and(is_white) {
            self.at += 1;
        }
        self.at > from
    }

    fn read(&mut self) -> Read<()> {
        if self.text.starts_with("<?xml") && !self.text[5..].starts_with(in_name) {
            self.declaration()?;
        }
        while let Some(c) = self.peek() {
            self.look()?;
            match c {
                '<' => self.markup()?,
                '&' => {
                    let c = self.reference()?;
                    self.run.push(c);
                    self.significant = true;
                    self.content = true;
                }
                ']' if self.text[self.at..].starts_with("]]>") => return Err(CDATA_END),
                c if !is_allowed(c) => return Err(CHARACTER),
                c => {
                    self.at += c.len_utf8();
                    if c == '\r' {
                        self.eat("\n");
                    }
                    self.run.push(if c == '\r' { '\n' } else { c });
                    self.significant |= !is_white(c);
                    self.content |= !is_white(c);
                }
            }
        }
        self.end_of_text();
        if self.open.is_empty() { Ok(()) } else { Err(END) }
    }

    /// `<` and what follows it.
    fn markup(&mut self) -> Read<()> {
        let rest = &self.text[self.at..];
        if rest.starts_with("<![") {
            return self.cdata();
        }
        if rest.starts_with("<!--") {
            self.end_of_text();
            return self.comment();
        }
        if rest.starts_with("<!") {
            if rest.starts_with("<!DOCTYPE") && self.open.is_empty() && !self.content {
                return Err(DTD);
            }
            self.at += 2;
            return Err(if self.peek() == Some('-') { COMMENT } else { DOCUMENT });
        }
        if rest.starts_with("<?") {
            self.end_of_text();
            self.content = true;
            return self.instruction();
        }
        if rest.starts_with("</") && (self.content || !self.open.is_empty()) {
            self.end_of_text();
            return self.end_tag();
        }
        self.end_of_text();
        self.content = true;
        self.at += 1;
        self.start_tag()
    }

    /// A name with at most one colon.
    fn qualified_name(&mut self, wrong: Mistake) -> Read<&'t str> {
        let from = self.at;
        let mut begins = true;
        let mut colons = 0;
        while let Some(c) = self.peek() {
            match c {
                ':' if colons == 1 => return Err(COLONS),
                ':' if !begins => {
                    colons = 1;
                    begins = true;
                }
                c if begins && begins_name(c) => {
                    begins = false;
                    self.at += c.len_utf8();
                    continue;
                }
                c if !begins && in_name(c) => {}
                _ => break,
            }
            self.at += c.len_utf8();
        }
        if begins {
            return Err(match self.peek() {
                None => END,
                Some(c) if !is_allowed(c) => CHARACTER,
                Some(_) => wrong,
            });
        }
        Ok(&self.text[from..self.at])
    }

    fn start_tag(&mut self) -> Read<()> {
        let name = self.qualified_name(QUALIFIED_NAME)?;
        if self.open.len() == LEVELS {
            return Err(DEPTH);
        }
        let mut attributes: Vec<Attribute<'t>> = Vec::new();
        let empty = loop {
            let apart = self.white_space();
            self.look()?;
            match self.next(END)? {
                '>' => break false,
                '/' => {
                    self.at += 1;
                    if self.next(CLOSE)? != '>' {
                        return Err(CLOSE);
                    }
                    break true;
                }
                // Behind a name an illegal character of it, behind a value a missing blank.
                _ if !apart && attributes.is_empty() => return Err(QUALIFIED_NAME),
                _ if !apart => return Err(WHITE_SPACE),
                _ => attributes.push(self.attribute()?),
            }
        };
        let before = self.scopes.len();
        self.scopes.declare(&attributes)?;
        self.scopes.check(name, &attributes)?;
        self.at += 1;
        self.write_start(name, &attributes);
        let open = Open { name, prefixes: before, preserve: self.preserve, begun: true };
        self.open.push(open);
        match attributes.iter().find(|a| a.name == "xml:space").map(|a| &*a.value) {
            Some("preserve") => self.preserve = true,
            Some("default") => self.preserve = false,
            _ => {}
        }
        if empty {
            self.close();
        }
        Ok(())
    }

    fn attribute(&mut self) -> Read<Attribute<'t>> {
        let name = self.qualified_name(QUALIFIED_NAME)?;
        let illegal =
            self.peek().is_some_and(|c| !is_white(c) && c != '=' && !"/>\"'<".contains(c));
        if illegal {
            return Err(QUALIFIED_NAME);
        }
        self.white_space();
        if self.next(EQUAL)? != '=' {
            return Err(EQUAL);
        }
        self.at += 1;
        self.white_space();
        let quote = self.next(QUOTE)?;
        if quote != '"' && quote != '\'' {
            return Err(QUOTE);
        }
        self.at += 1;
        let mut value = String::new();
        loop {
            match self.next(END)? {
                c if c == quote => break,
                '<' => return Err(LESS_IN_VALUE),
                '&' => {
                    let c = self.reference()?;
                    value.push(c);
                }
                c => {
                    self.at += c.len_utf8();
                    value.push(match c {
                        '\r' => {
                            self.eat("\n");
                            ' '
                        }
                        '\n' | '\t' => ' ',
                        c => c,
                    });
                }
            }
        }
        self.at += 1;
        Ok(Attribute { name, value })
    }

    fn write_start(&mut self, name: &str, attributes: &[Attribute<'t>]) {
        self.fill();
        self.out.push('<');
        self.out.push_str(name);
        let is_namespace = |a: &&Attribute<'t>| a.name == "xmlns" || a.name.starts_with("xmlns:");
        let namespaces = attributes.iter().filter(is_namespace);
        let others = attributes.iter().filter(|a| !is_namespace(a));
        for a in namespaces.chain(others) {
            self.out.push(' ');
            self.out.push_str(a.name);
            self.out.push_str("=\"");
            for c in a.value.chars() {
                match c {
                    '"' => self.out.push_str("&quot;"),
                    '\t' => self.out.push_str("&#x09;"),
                    '\n' => self.out.push_str("&#x0A;"),
                    c => escape(c, &mut self.out),
                }
            }
            self.out.push('"');
        }
    }

    /// Something comes into the innermost element.
    fn fill(&mut self) {
        if let Some(open) = self.open.last_mut()
            && std::mem::take(&mut open.begun)
        {
            self.out.push('>');
        }
    }

    fn end_tag(&mut self) -> Read<()> {
        self.at += 2;
        let name = match self.peek() {
            Some('>') => return Err(NAME),
            _ => self.qualified_name(QUALIFIED_NAME)?,
        };
        self.white_space();
        if self.next(CLOSE)? != '>' {
            return Err(CLOSE);
        }
        if self.open.last().is_none_or(|o| o.name != name) {
            return Err(MISMATCH);
        }
        self.at += 1;
        self.close();
        Ok(())
    }

    /// The innermost element ends.
    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if open.begun {
            self.out.push_str("/>");
        } else {
            self.out.push_str("</");
            self.out.push_str(open.name);
            self.out.push('>');
        }
        self.scopes.truncate(open.prefixes);
        self.preserve = open.preserve;
    }

    /// `&…;`: the character that it stands for.
    fn reference(&mut self) -> Read<char> {
        self.at += 1;
        let c = if self.eat("#x") {
            self.number(16, HEX_DIGIT)?
        } else if self.eat("#") {
            self.number(10, DIGIT)?
        } else {
            let from = self.at;
            if !begins_name(self.next(END)?) {
                return Err(NAME_CHARACTER);
            }
            while self.peek().is_some_and(in_name) {
                self.at += self.peek().map_or(0, char::len_utf8);
            }
            let name = &self.text[from..self.at];
            if self.next(END)? != ';' {
                return Err(SEMICOLON);
            }
            match name {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "apos" => '\'',
                _ => return Err(ENTITY),
            }
        };
        self.at += 1;
        Ok(c)
    }

    /// The digits of a reference, up to its semicolon.
    fn number(&mut self, radix: u32, none: Mistake) -> Read<char> {
        let mut value: u32 = 0;
        let mut digits = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) {
            value = value.saturating_mul(radix).saturating_add(digit);
            digits += 1;
            self.at += 1;
        }
        match self.next(END)? {
            ';' if digits > 0 => {}
            _ if digits == 0 => return Err(none),
            _ => return Err(SEMICOLON),
        }
        char::from_u32(value).filter(|c| is_allowed(*c)).ok_or(CHARACTER)
    }

    /// Text ends: it is written, or goes.
    fn end_of_text(&mut self) {
        let white = self.run.chars().all(is_white);
        if self.run.is_empty() || white && !self.significant && !self.preserve {
            self.run.clear();
            self.significant = false;
            return;
        }
        self.fill();
        // A reference keeps text of white space.
        let last = match white && !self.run.contains('\r') {
            true => self.run.pop(),
            false => None,
        };
        for c in self.run.chars() {
            escape(c, &mut self.out);
        }
        if let Some(last) = last {
            self.out.push_str(&format!("&#x{:02X};", last as u32));
        }
        self.run.clear();
        self.significant = false;
    }
}
