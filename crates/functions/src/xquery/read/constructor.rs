//! Constructors of nodes: as XML stands in an expression, and by words (`element name { … }`).

use super::scan::{begins_name, in_name};
use super::{DEPTH, QueryReader};
use crate::xquery::expr::{Constructed, Content, Expr};
use crate::xquery::name::QName;
use std::sync::Arc;
use taffrail_base::SqlResult;

impl<'t> QueryReader<'t> {
    /// `element name { … }` and its like, behind the word.
    pub(super) fn computed(&mut self, word: &str) -> SqlResult<Expr> {
        match word {
            "comment" => return Err(self.error(9326, &[])),
            "processing-instruction" => return Err(self.error(9325, &[])),
            "document" => return Err(self.error(9335, &[&"document"])),
            _ => {}
        }
        if word == "text" {
            self.expect("{")?;
            let inner = self.list()?;
            self.expect("}")?;
            return Ok(Expr::TextNode(Box::new(inner)));
        }
        self.blank()?;
        if !self.rest.starts_with(begins_name) {
            return Err(self.error(9315, &[]));
        }
        let mut name = self.qualified_name()?;
        if word == "attribute" && name.prefix.is_empty() && &*name.local == "xmlns" {
            return Err(self.error(9316, &[]));
        }
        if word == "element" && name.prefix.is_empty() {
            name.uri = self.prefixes.default();
        }
        self.expect("{")?;
        let content = match self.eat("}") {
            true => Vec::new(),
            false => {
                let inner = self.list()?;
                self.expect("}")?;
                vec![Content::Enclosed(inner)]
            }
        };
        Ok(match word {
            "attribute" => Expr::Attribute(name, content),
            _ => {
                let (declared, attributes) = (Vec::new(), Vec::new());
                Expr::Element(Box::new(Constructed { name, declared, attributes, content }))
            }
        })
    }

    /// A constructor that begins with `<`.
    pub(super) fn direct(&mut self) -> SqlResult<Expr> {
        if let Some(rest) = self.rest.strip_prefix("<!--") {
            let text = self.up_to(rest, "-->", 2340)?;
            return match text.contains("--") || text.ends_with('-') {
                true => Err(self.error(9322, &[])),
                false => Ok(Expr::Comment(text.to_owned())),
            };
        }
        if let Some(rest) = self.rest.strip_prefix("<![CDATA[") {
            return Ok(Expr::TextOf(self.up_to(rest, "]]>", 2273)?.to_owned()));
        }
        if let Some(rest) = self.rest.strip_prefix("<?") {
            let written = self.up_to(rest, "?>", 2272)?;
            let end = written.find(char::is_whitespace).unwrap_or(written.len());
            let (target, text) = written.split_at(end);
            if !target.starts_with(begins_name) || !target.chars().all(in_name) {
                return Err(self.error(2209, &[&"<?"]));
            }
            if target.eq_ignore_ascii_case("xml") {
                return Err(self.error(2294, &[]));
            }
            return Ok(Expr::Instruction(target.to_owned(), text.trim_start().to_owned()));
        }
        if self.rest.starts_with("<!") {
            return Err(self.error(2280, &[]));
        }
        self.element()
    }

    fn up_to(&mut self, rest: &'t str, end: &str, number: i32) -> SqlResult<&'t str> {
        match rest.split_once(end) {
            Some((text, behind)) => {
                self.rest = behind;
                Ok(text)
            }
            None if number == 2340 => Err(self.error(number, &[&self.line()])),
            None => Err(self.error(number, &[])),
        }
    }

    fn element(&mut self) -> SqlResult<Expr> {
        if self.depth == DEPTH {
            return Err(self.error(2363, &[]));
        }
        self.depth += 1;
        let known = self.prefixes.len();
        let found = self.element_inner();
        self.prefixes.truncate(known);
        self.depth -= 1;
        found
    }

    fn element_inner(&mut self) -> SqlResult<Expr> {
        let line = self.line();
        self.rest = &self.rest[1..];
        if !self.rest.starts_with(begins_name) {
            return Err(self.error(2209, &[&'<']));
        }
        let (prefix, local) = self.written_name()?;
        let (mut written, mut declared) = (Vec::new(), Vec::new());
        let empty = loop {
            self.rest = self.rest.trim_start();
            if let Some(rest) = self.rest.strip_prefix("/>") {
                self.rest = rest;
                break true;
            }
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                break false;
            }
            self.attribute(&mut written, &mut declared)?;
        };
        // Namespaces of the tag hold for all of it.
        let resolve = |prefix: &str, local: &str, is_element: bool| -> SqlResult<QName> {
            let uri = match prefix {
                "" if is_element => self.prefixes.default(),
                "" => "".into(),
                prefix => self.prefixes.find(prefix).ok_or_else(|| self.error(2284, &[&prefix]))?,
            };
            Ok(QName { prefix: prefix.into(), local: local.into(), uri })
        };
        let name = resolve(prefix, local, true)?;
        let mut attributes: Vec<(QName, Vec<Content>)> = Vec::new();
        for (prefix, local, value) in written {
            let name = resolve(prefix, local, false)?;
            if attributes.iter().any(|a| a.0.is(&name)) {
                return Err(self.error(2271, &[&name.written(prefix)]));
            }
            attributes.push((name, value));
        }
        let mut content = Vec::new();
        if !empty {
            self.content(&mut content)?;
            self.end_tag((prefix, local), line)?;
        }
        Ok(Expr::Element(Box::new(Constructed { name, declared, attributes, content })))
    }

    #[allow(clippy::type_complexity, reason = "what an attribute is before its prefix is known")]
    fn attribute(
        &mut self,
        written: &mut Vec<(&'t str, &'t str, Vec<Content>)>,
        declared: &mut Vec<(Arc<str>, Arc<str>)>,
    ) -> SqlResult<()> {
        if !self.rest.starts_with(begins_name) {
            return Err(self.error(2209, &[&self.near()]));
        }
        let (prefix, local) = self.written_name()?;
        self.expect("=")?;
        self.rest = self.rest.trim_start();
        let Some(quote) = self.rest.chars().next().filter(|c| "\"'".contains(*c)) else {
            return Err(self.error(2225, &[]));
        };
        self.rest = &self.rest[1..];
        let value = self.attribute_value(quote)?;
        let space = match (prefix, local) {
            ("", "xmlns") => Some(""),
            ("xmlns", prefix) => Some(prefix),
            _ => None,
        };
        let Some(space) = space else {
            written.push((prefix, local, value));
            return Ok(());
        };
        let uri = match &value[..] {
            [] => "",
            [Content::Text(uri)] => uri,
            _ => return Err(self.error(9338, &[])),
        };
        self.prefixes.declare(space, uri);
        declared.push((space.into(), uri.into()));
        Ok(())
    }

    /// The value of an attribute, up to its quotation mark: text, or one expression in braces (9313).
    fn attribute_value(&mut self, quote: char) -> SqlResult<Vec<Content>> {
        let mut list = Vec::new();
        let mut text = String::new();
        loop {
            let Some(c) = self.rest.chars().next() else {
                return Err(self.error(2274, &[&self.line()]));
            };
            let twice = self.rest[c.len_utf8()..].starts_with(c);
            match c {
                c if c == quote && !twice => break,
                '{' if !twice => {
                    self.rest = &self.rest[1..];
                    list.push(Content::Enclosed(self.list()?));
                    self.expect("}")?;
                    continue;
                }
                '}' if !twice => return Err(self.error(9324, &[])),
                c => {
                    let both = twice && (c == quote || "{}".contains(c));
                    self.rest = &self.rest[if both { 2 } else { c.len_utf8() }..];
                    text.push(if matches!(c, '\n' | '\t' | '\r') { ' ' } else { c });
                }
            }
        }
        self.rest = &self.rest[1..];
        if !text.is_empty() {
            list.push(Content::Text(self.references(&text)?));
        }
        match list.len() {
            0 | 1 => Ok(list),
            _ => Err(self.error(9313, &[])),
        }
    }

    /// The content of an element, up to its end tag.
    fn content(&mut self, list: &mut Vec<Content>) -> SqlResult<()> {
        let mut text = String::new();
        loop {
            let end = self.rest.find(['<', '{', '}']).unwrap_or(self.rest.len());
            text.push_str(&self.rest[..end]);
            self.rest = &self.rest[end..];
            let Some(c) = self.rest.chars().next() else { return self.keep(&mut text, list) };
            if c != '<' && self.rest[1..].starts_with(c) {
                text.push(c);
                self.rest = &self.rest[2..];
                continue;
            }
            self.keep(&mut text, list)?;
            match c {
                '}' => return Err(self.error(9324, &[])),
                '{' => {
                    self.rest = &self.rest[1..];
                    list.push(Content::Enclosed(self.list()?));
                    self.expect("}")?;
                }
                _ if self.rest.starts_with("</") => return Ok(()),
                _ => list.push(Content::Enclosed(self.direct()?)),
            }
        }
    }

    /// Text between tags and braces; white space alone goes.
    fn keep(&self, text: &mut String, list: &mut Vec<Content>) -> SqlResult<()> {
        let white = text.chars().all(crate::xml::is_white);
        if !white {
            list.push(Content::Text(self.references(&text.replace("\r\n", "\n"))?));
        }
        text.clear();
        Ok(())
    }

    fn end_tag(&mut self, (prefix, local): (&str, &str), line: usize) -> SqlResult<()> {
        let written = |prefix: &str, local: &str| match prefix {
            "" => local.to_owned(),
            prefix => format!("{prefix}:{local}"),
        };
        let begun = written(prefix, local);
        let Some(rest) = self.rest.strip_prefix("</") else {
            return Err(self.error(2267, &[&begun]));
        };
        let end = rest.find(|c| !in_name(c) && c != ':').unwrap_or(rest.len());
        if rest[..end] != *begun {
            return Err(self.error(2323, &[&&rest[..end], &begun, &line]));
        }
        self.rest = &rest[end..];
        self.expect(">")
    }
}
