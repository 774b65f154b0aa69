//! What is neither a tag nor text: CDATA sections, comments, processing instructions, the declaration.

use super::super::characters::*;
use super::Reader;

impl Reader<'_> {
    pub(super) fn cdata(&mut self) -> Read<()> {
        if !self.eat("<![CDATA[") {
            self.at += 3;
            return Err(CDATA);
        }
        self.significant = true;
        self.content = true;
        loop {
            if self.eat("]]>") {
                return Ok(());
            }
            let c = self.next(CDATA)?;
            self.at += c.len_utf8();
            if c == '\r' {
                self.eat("\n");
            }
            self.run.push(if c == '\r' { '\n' } else { c });
        }
    }

    pub(super) fn comment(&mut self) -> Read<()> {
        self.at += 4;
        self.content = true;
        self.fill();
        self.out.push_str("<!--");
        loop {
            if self.eat("--") {
                if self.next(COMMENT)? != '>' {
                    return Err(CLOSE);
                }
                self.at += 1;
                self.out.push_str("-->");
                return Ok(());
            }
            self.keep(COMMENT)?;
        }
    }

    /// A character that is kept as it is, but for ends of lines.
    fn keep(&mut self, missing: Mistake) -> Read<()> {
        let c = self.next(missing)?;
        self.at += c.len_utf8();
        if c == '\r' {
            self.eat("\n");
        }
        self.out.push(if c == '\r' { '\n' } else { c });
        Ok(())
    }

    pub(super) fn instruction(&mut self) -> Read<()> {
        self.at += 2;
        let target = self.qualified_name(INSTRUCTION)?;
        if target == "xml" {
            return Err(LATE_DECLARATION);
        }
        if target.eq_ignore_ascii_case("xml") {
            return Err(RESERVED);
        }
        let apart = self.white_space();
        self.fill();
        self.out.push_str("<?");
        self.out.push_str(target);
        self.out.push(' ');
        if !apart && !self.text[self.at..].starts_with("?>") {
            self.next(INSTRUCTION)?;
            return Err(QUALIFIED_NAME);
        }
        loop {
            if self.eat("?>") {
                self.out.push_str("?>");
                return Ok(());
            }
            self.keep(INSTRUCTION)?;
        }
    }

    /// `<?xml version="1.0" encoding="…" standalone="…"?>`; the encoding has been seen to by whoever decoded the text.
    pub(super) fn declaration(&mut self) -> Read<()> {
        self.at += 5;
        self.white_space();
        if !self.eat("version") {
            if self.text[self.at..].starts_with("?>") {
                self.at += 1;
            }
            return Err(DECLARATION);
        }
        let (from, to) = self.quoted()?;
        if !matches!(&self.text[from..to], "1.0" | "1.1") {
            self.at = to;
            return Err(DECLARATION);
        }
        let apart = self.white_space();
        if apart && self.eat("encoding") {
            self.quoted()?;
            self.white_space();
        }
        if self.eat("standalone") {
            let (from, to) = self.quoted()?;
            if !matches!(&self.text[from..to], "yes" | "no") {
                self.at = to;
                return Err(DECLARATION);
            }
            self.white_space();
        }
        if self.eat("?>") { Ok(()) } else { Err(DECLARATION) }
    }

    /// `= "…"` of a declaration: where the value stands.
    fn quoted(&mut self) -> Read<(usize, usize)> {
        self.white_space();
        if !self.eat("=") {
            return Err(DECLARATION);
        }
        self.white_space();
        let quote = self.next(DECLARATION)?;
        if quote != '"' && quote != '\'' {
            return Err(DECLARATION);
        }
        let from = self.at + 1;
        let Some(length) = self.text[from..].find(quote) else { return Err(DECLARATION) };
        self.at = from + length + 1;
        Ok((from, from + length))
    }
}
