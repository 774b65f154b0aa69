//! EXECUTE, and calls of procedures without it.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    pub(super) fn execute_statement(&mut self) -> Parse<StatementKind> {
        if self.ahead_kw(1, Kw::As) {
            return self.execute_as();
        }
        Ok(StatementKind::Execute(Box::new(self.execute()?)))
    }

    /// ODBC's `{[@status =] call procedure[(arguments)]}`.
    #[inline(never)]
    pub(super) fn odbc_call(&mut self) -> Parse<StatementKind> {
        self.bump();
        let returns = self.is(TokenKind::Variable) && self.ahead(1).kind == TokenKind::Eq;
        let return_variable = if returns {
            let variable = self.variable()?;
            self.bump();
            Some(variable)
        } else {
            None
        };
        self.expect_word("CALL")?;
        let target = ExecTarget::Procedure(self.object_name()?, None);
        let mut arguments = Vec::new();
        if self.eat(TokenKind::LParen) && !self.eat(TokenKind::RParen) {
            arguments = self.list(Self::exec_argument)?;
            self.expect(TokenKind::RParen)?;
        }
        self.expect(TokenKind::RBrace)?;
        let mut execute = executed(target);
        (execute.return_variable, execute.arguments) = (return_variable, arguments);
        Ok(StatementKind::Execute(Box::new(execute)))
    }

    /// `procedure arguments` as the first statement of a batch.
    pub(super) fn call_without_exec(&mut self) -> Parse<StatementKind> {
        let execute = self.execute_rest(None)?;
        Ok(StatementKind::Execute(Box::new(execute)))
    }

    /// Reads `EXEC …` from its keyword on.
    #[inline(never)]
    pub(super) fn execute(&mut self) -> Parse<Execute> {
        self.bump();
        if self.is(TokenKind::LParen) {
            return self.execute_string();
        }
        let returns = self.is(TokenKind::Variable) && self.ahead(1).kind == TokenKind::Eq;
        let return_variable = if returns {
            let variable = self.variable()?;
            self.bump();
            Some(variable)
        } else {
            None
        };
        self.execute_rest(return_variable)
    }

    fn execute_rest(&mut self, return_variable: Option<Ident>) -> Parse<Execute> {
        let target = if self.is(TokenKind::Variable) {
            ExecTarget::Variable(self.variable()?)
        } else {
            let name = self.object_name()?;
            // `procedure;2`
            let numbered = self.is(TokenKind::Semicolon)
                && self.ahead(1).kind == TokenKind::Integer
                && self.token().end == self.ahead(1).start;
            let number = if numbered {
                self.bump();
                Some(self.unsigned32()?)
            } else {
                None
            };
            ExecTarget::Procedure(name, number)
        };
        let mut execute = executed(target);
        execute.return_variable = return_variable;
        if self.argument_follows() {
            let mut named = false;
            loop {
                let argument = self.exec_argument()?;
                if named && argument.name.is_none() {
                    let number = execute.arguments.len() + 1;
                    return Err(self.error_at(119, argument.value.span.start, &[&number]));
                }
                named |= argument.name.is_some();
                execute.arguments.push(argument);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.execute_options(&mut execute)?;
        Ok(execute)
    }

    fn argument_follows(&self) -> bool {
        match self.kind() {
            TokenKind::Variable
            | TokenKind::String
            | TokenKind::NString
            | TokenKind::Integer
            | TokenKind::Decimal
            | TokenKind::Float
            | TokenKind::Money
            | TokenKind::Binary
            | TokenKind::Minus
            | TokenKind::Plus
            | TokenKind::Delimited
            | TokenKind::LBrace
            | TokenKind::Keyword(Kw::Null | Kw::Default | Kw::On | Kw::Off) => true,
            TokenKind::Word => !self.is_label(),
            _ => false,
        }
    }

    fn exec_argument(&mut self) -> Parse<ExecArgument> {
        let named = self.is(TokenKind::Variable) && self.ahead(1).kind == TokenKind::Eq;
        let name = if named {
            let name = self.variable()?;
            self.bump();
            Some(name)
        } else {
            None
        };
        let value = match self.kind() {
            TokenKind::Keyword(Kw::Default) => self.expr_or_default()?,
            TokenKind::Word | TokenKind::Delimited | TokenKind::Keyword(Kw::On | Kw::Off) => {
                self.word_as_string(true)?
            }
            TokenKind::LBrace => self.odbc_escape()?,
            _ => self.literal_or_variable()?,
        };
        let output = self.eat_word("OUTPUT") || self.eat_word("OUT");
        Ok(ExecArgument { name, value, output })
    }

    /// `EXEC ('text' …) [AS USER = '…'] [AT server]`.
    fn execute_string(&mut self) -> Parse<Execute> {
        self.expect(TokenKind::LParen)?;
        let text = self.expr()?;
        let mut arguments = Vec::new();
        while self.eat(TokenKind::Comma) {
            let value = self.expr()?;
            let output = self.eat_word("OUTPUT") || self.eat_word("OUT");
            arguments.push(ExecArgument { name: None, value, output });
        }
        self.expect(TokenKind::RParen)?;
        let run_as = if self.eat_kw(Kw::As) {
            let kind = self.any_word()?;
            self.expect(TokenKind::Eq)?;
            Some((kind, self.string()?))
        } else {
            None
        };
        if self.at_word("AT") && self.ahead_word(1, "DATA_SOURCE") && self.ahead_name(2) {
            return Err(self.error_at(40510, self.start(), &[&"EXEC AT DATA_SOURCE"]));
        }
        let at = if self.at_word("AT") && self.ahead_name(1) {
            self.bump();
            Some(self.name()?)
        } else {
            None
        };
        let mut execute = executed(ExecTarget::String(text));
        (execute.arguments, execute.run_as, execute.at) = (arguments, run_as, at);
        self.execute_options(&mut execute)?;
        Ok(execute)
    }

    /// `WITH RECOMPILE, RESULT SETS …` if it stands here.
    fn execute_options(&mut self, execute: &mut Execute) -> Parse<()> {
        let known = self.ahead_word(1, "RESULT") || self.ahead_word(1, "RECOMPILE");
        if !self.at_kw(Kw::With) || !known {
            return Ok(());
        }
        self.bump();
        loop {
            if self.eat_word("RECOMPILE") {
                execute.recompile = true;
            } else {
                self.expect_word("RESULT")?;
                self.expect_word("SETS")?;
                execute.results = self.result_sets()?;
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    /// `UNDEFINED | NONE | (definition, …)` of RESULT SETS.
    fn result_sets(&mut self) -> Parse<Option<Vec<ResultSetDefinition>>> {
        if self.eat_word("UNDEFINED") {
            return Ok(None);
        }
        if self.eat_word("NONE") {
            return Ok(Some(Vec::new()));
        }
        self.paren_list(Self::result_set).map(Some)
    }

    /// The definition of one result, in parentheses or, AS something, without.
    fn result_set(&mut self) -> Parse<ResultSetDefinition> {
        let parentheses = self.eat(TokenKind::LParen);
        let definition = if self.eat_kw(Kw::As) {
            if self.eat_words(&["FOR", "XML"]) {
                ResultSetDefinition::ForXml
            } else if self.eat_word("OBJECT") {
                ResultSetDefinition::Object(self.object_name()?)
            } else {
                self.expect_word("TYPE")?;
                ResultSetDefinition::Type(self.object_name()?)
            }
        } else if parentheses {
            ResultSetDefinition::Columns(self.list(Self::result_set_column)?)
        } else {
            return Err(self.unexpected());
        };
        if parentheses {
            self.expect(TokenKind::RParen)?;
        }
        Ok(definition)
    }

    fn result_set_column(&mut self) -> Parse<ResultSetColumn> {
        let name = self.name()?;
        let ty = self.data_type()?;
        let collation = if self.eat_kw(Kw::Collate) { Some(self.name()?) } else { None };
        let nullable = self.nullability();
        Ok(ResultSetColumn { name, ty, collation, nullable })
    }

    /// `EXECUTE AS LOGIN | USER = '…' | CALLER …`.
    fn execute_as(&mut self) -> Parse<StatementKind> {
        let start = self.start();
        self.at += 2;
        let kind = self.any_word()?;
        let name = if self.eat(TokenKind::Eq) { Some(self.literal_or_variable()?) } else { None };
        let mut options = Vec::new();
        if self.at_kw(Kw::With) && (self.ahead_word(1, "NO") || self.ahead_word(1, "COOKIE")) {
            let option_start = self.bump().start;
            if self.eat_words(&["NO", "REVERT"]) {
                options.push(self.flag("NO REVERT", option_start));
            } else {
                let name = self.any_word()?;
                self.expect_kw(Kw::Into)?;
                let value = Some(OptionValue::Variable(self.variable()?));
                options.push(NamedOption { name, value });
            }
        }
        let span = self.since(start);
        Ok(StatementKind::ExecuteAs(Box::new(ExecuteAs { kind, name, options, span })))
    }

    pub(super) fn revert(&mut self) -> Parse<StatementKind> {
        self.bump();
        let cookie = if self.eat_words(&["WITH", "COOKIE"]) {
            self.expect(TokenKind::Eq)?;
            Some(Box::new(self.variable()?))
        } else {
            None
        };
        Ok(StatementKind::Revert(cookie))
    }
}

/// An EXECUTE of nothing but its target.
fn executed(target: ExecTarget) -> Execute {
    Execute {
        return_variable: None,
        target,
        arguments: Vec::new(),
        run_as: None,
        at: None,
        recompile: false,
        results: None,
    }
}
