//! An expression as a whole: its prolog, and what it is, a value or a change.

use super::QueryReader;
use crate::xquery::expr::{Body, Expr, InsertPlace, XmlChange};
use taffrail_base::SqlResult;

impl QueryReader<'_> {
    pub(super) fn whole(&mut self) -> SqlResult<Body> {
        self.prolog()?;
        let body = match () {
            () if self.is_change_of("insert") => self.insert()?,
            () if self.is_change_of("delete") => {
                self.eat_word("delete");
                XmlChange::Delete(self.expression()?)
            }
            () if self.is_words("replace", "value") => self.replace()?,
            () => {
                let value = self.list()?;
                self.end()?;
                return Ok(Body::Value(value));
            }
        };
        self.end()?;
        Ok(Body::Change(body))
    }

    /// `declare namespace p = "…";` and `declare default element namespace "…";`
    fn prolog(&mut self) -> SqlResult<()> {
        self.blank()?;
        loop {
            if self.is_words("import", "schema") {
                return Err(self.error(9335, &[&"import schema"]));
            }
            if self.is_words("declare", "namespace") {
                self.eat_word("declare");
                self.eat_word("namespace");
                let prefix = self.plain_name()?;
                if !self.eat("=") {
                    return Err(self.error(9303, &[&self.near(), &"="]));
                }
                self.declared(&prefix)?;
            } else if self.is_words("declare", "default") {
                self.eat_word("declare");
                self.eat_word("default");
                let elements = self.eat_word("element");
                if !elements && !self.eat_word("function") {
                    return Err(self.error(9331, &[&self.near(), &"element", &"function"]));
                }
                self.expect_word("namespace")?;
                if !elements {
                    return Err(self.error(9335, &[&"declare default function namespace"]));
                }
                self.declared("")?;
            } else {
                return Ok(());
            }
            if !self.eat(";") {
                return Err(self.error(9327, &[&self.near()]));
            }
        }
    }

    fn declared(&mut self, prefix: &str) -> SqlResult<()> {
        let Some(uri) = self.literal()? else {
            return Err(self.error(9317, &[&self.near()]));
        };
        if uri.trim().is_empty() && !prefix.is_empty() {
            return Err(self.error(2348, &[]));
        }
        if prefix == "xml" {
            return Err(self.error(2206, &[]));
        }
        self.prefixes.declare(prefix, &uri);
        Ok(())
    }

    fn end(&mut self) -> SqlResult<()> {
        self.blank()?;
        match self.rest.is_empty() {
            true => Ok(()),
            false => Err(self.error(2370, &[&self.near()])),
        }
    }

    /// Whether a change begins here: the word is no name of a step.
    fn is_change_of(&mut self, word: &str) -> bool {
        let before = self.rest;
        let is = self.eat_word(word) && {
            let begins = |c: char| c.is_alphanumeric() || "_(/.$<*@\"'".contains(c);
            let words = ["and", "or", "div", "mod", "is", "eq", "ne", "lt", "le", "gt", "ge"];
            let operator = words.iter().any(|o| self.is_words(o, ""));
            self.rest.trim_start().starts_with(begins) && !operator
        };
        self.rest = before;
        is
    }

    fn insert(&mut self) -> SqlResult<XmlChange> {
        self.eat_word("insert");
        let what = self.list()?;
        let place = if self.eat_word("as") {
            let first = self.eat_word("first");
            if !first && !self.eat_word("last") {
                return Err(self.error(2351, &[]));
            }
            self.expect_word("into")?;
            if first { InsertPlace::First } else { InsertPlace::Last }
        } else if self.eat_word("into") {
            InsertPlace::Last
        } else if self.eat_word("before") {
            InsertPlace::Before
        } else if self.eat_word("after") {
            InsertPlace::After
        } else {
            return Err(self.error(2248, &[&self.near()]));
        };
        Ok(XmlChange::Insert(what, place, self.expression()?))
    }

    fn replace(&mut self) -> SqlResult<XmlChange> {
        self.eat_word("replace");
        self.eat_word("value");
        self.expect_word("of")?;
        let target = self.expression()?;
        self.expect_word("with")?;
        let with: Expr = self.expression()?;
        Ok(XmlChange::Replace(target, with))
    }
}
