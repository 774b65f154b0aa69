//! Procedures, functions, views and triggers.

use super::{Context, Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    /// The current statement defines a module: `CREATE [OR ALTER] | ALTER` and one of four words.
    pub(super) fn module_follows(&self) -> bool {
        let word = match self.kind() {
            TokenKind::Keyword(Kw::Create) if self.ahead_kw(1, Kw::Or) => {
                if !self.ahead_kw(2, Kw::Alter) {
                    return false;
                }
                3
            }
            TokenKind::Keyword(Kw::Create | Kw::Alter) => 1,
            _ => return false,
        };
        matches!(
            self.ahead(word).kind,
            TokenKind::Keyword(Kw::Proc | Kw::Procedure | Kw::Function | Kw::View | Kw::Trigger)
        )
    }

    /// Reads the definition of a module from `CREATE` or `ALTER` on.
    #[inline(never)]
    pub(super) fn module(&mut self) -> Parse<StatementKind> {
        let verb = if self.eat_kw(Kw::Alter) {
            ModuleVerb::Alter
        } else {
            self.expect_kw(Kw::Create)?;
            if self.eat_words(&["OR", "ALTER"]) {
                ModuleVerb::CreateOrAlter
            } else {
                ModuleVerb::Create
            }
        };
        let word = self.bump();
        let outer = (self.context, self.loops);
        (self.context, self.loops) = (Context::Module, 0);
        let result = match word.kind {
            TokenKind::Keyword(Kw::Function) => self.function_definition(verb),
            TokenKind::Keyword(Kw::View) => self.view(verb),
            TokenKind::Keyword(Kw::Trigger) => self.trigger(verb),
            _ => self.procedure(verb),
        };
        (self.context, self.loops) = outer;
        result
    }

    fn procedure(&mut self, verb: ModuleVerb) -> Parse<StatementKind> {
        let name = self.object_name()?;
        self.defines = Some(name.name.value.clone());
        let number = if self.is(TokenKind::Semicolon) && self.ahead(1).kind == TokenKind::Integer {
            self.bump();
            Some(self.unsigned32()?)
        } else {
            None
        };
        let parameters = if self.is(TokenKind::LParen) {
            self.paren_list(Self::parameter)?
        } else if self.is(TokenKind::Variable) {
            self.list(Self::parameter)?
        } else {
            Vec::new()
        };
        let options = self.module_options()?;
        let for_replication = self.eat_words(&["FOR", "REPLICATION"]);
        self.expect_kw(Kw::As)?;
        if self.at_kw(Kw::External) {
            self.at -= 1;
            return Ok(self.external_module("PROCEDURE"));
        }
        let (body, body_span) = self.module_body()?;
        let procedure = ProcedureDefinition {
            verb,
            name,
            number,
            parameters,
            options,
            for_replication,
            body,
            body_span,
        };
        Ok(StatementKind::Procedure(Box::new(procedure)))
    }

    /// `AS EXTERNAL NAME …`: a module of an assembly.
    fn external_module(&mut self, what: &str) -> StatementKind {
        self.unsupported(2);
        let what = format!("CREATE {what} EXTERNAL").into();
        StatementKind::Unsupported(Box::new(Unsupported { what }))
    }

    /// Statements up to the end of the batch.
    fn module_body(&mut self) -> Parse<(Vec<Statement>, Span)> {
        let start = self.start();
        let body = self.statements()?;
        let end = body.last().map_or(start, |statement| statement.span.end);
        Ok((body, Span::new(start, end)))
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        let name = self.variable()?;
        self.eat_kw(Kw::As);
        let ty = if self.at_kw(Kw::Cursor) {
            let token = self.bump();
            let name = ObjectName::bare(self.word_ident(token));
            DataType { span: name.span, name, arguments: Vec::new() }
        } else {
            self.data_type()?
        };
        let varying = self.eat_kw(Kw::Varying);
        let nullable = self.nullability();
        let default = if self.eat(TokenKind::Eq) {
            Some(match self.kind() {
                TokenKind::Word | TokenKind::Delimited => self.word_as_string(true)?,
                _ => self.literal_or_variable()?,
            })
        } else {
            None
        };
        let output = self.eat_word("OUTPUT") || self.eat_word("OUT");
        let readonly = self.eat_word("READONLY");
        Ok(Parameter { name, ty, varying, nullable, default, output, readonly })
    }

    /// `WITH RECOMPILE, EXECUTE AS OWNER …` if it stands here.
    fn module_options(&mut self) -> Parse<Vec<NamedOption>> {
        if !self.eat_kw(Kw::With) {
            return Ok(Vec::new());
        }
        self.list(|p| {
            let start = p.start();
            if matches!(p.kind(), TokenKind::Keyword(Kw::Exec | Kw::Execute)) {
                p.bump();
                p.expect_kw(Kw::As)?;
                let mut option = p.flag("EXECUTE AS", start);
                option.value = Some(p.option_value()?);
                return Ok(option);
            }
            if p.eat_words(&["RETURNS", "NULL", "ON", "NULL", "INPUT"]) {
                return Ok(p.flag("RETURNS NULL ON NULL INPUT", start));
            }
            if p.eat_words(&["CALLED", "ON", "NULL", "INPUT"]) {
                return Ok(p.flag("CALLED ON NULL INPUT", start));
            }
            p.named_option()
        })
    }

    fn function_definition(&mut self, verb: ModuleVerb) -> Parse<StatementKind> {
        let name = self.object_name()?;
        self.defines = Some(name.name.value.clone());
        self.expect(TokenKind::LParen)?;
        let parameters =
            if self.is(TokenKind::RParen) { Vec::new() } else { self.list(Self::parameter)? };
        self.expect(TokenKind::RParen)?;
        self.expect_word("RETURNS")?;
        let returns = if self.eat_kw(Kw::Table) {
            FunctionReturns::InlineTable
        } else if self.is(TokenKind::Variable) {
            let variable = self.variable()?;
            self.expect_kw(Kw::Table)?;
            self.unnamed = true;
            let body = self.table_body();
            self.unnamed = false;
            FunctionReturns::Table(variable, Box::new(body?))
        } else {
            FunctionReturns::Scalar(self.data_type()?)
        };
        let options = self.module_options()?;
        self.eat_kw(Kw::As);
        if self.at_kw(Kw::External) {
            self.at -= 1;
            return Ok(self.external_module("FUNCTION"));
        }
        let start = self.start();
        let body = if returns == FunctionReturns::InlineTable {
            self.expect_kw(Kw::Return)?;
            let paren = self.is(TokenKind::LParen);
            if paren && self.ahead_kw(1, Kw::With) {
                self.bump();
                let with = self.optional_with()?;
                let query = Box::new(self.query()?);
                self.expect(TokenKind::RParen)?;
                FunctionBody::Query(with, query)
            } else {
                let with = self.optional_with()?;
                FunctionBody::Query(with, Box::new(self.inline_query()?))
            }
        } else {
            if !self.at_kw(Kw::Begin) {
                return Err(self.unexpected());
            }
            match self.statement()?.kind {
                StatementKind::Block(statements) => FunctionBody::Statements(statements),
                _ => return Err(self.unexpected_token(self.at - 1)),
            }
        };
        let body_span = self.since(start);
        let function =
            FunctionDefinition { verb, name, parameters, returns, options, body, body_span };
        Ok(StatementKind::Function(Box::new(function)))
    }

    /// The query of an inline function: unlike elsewhere, one pair of parentheses may hold an `ORDER BY` too.
    fn inline_query(&mut self) -> Parse<Query> {
        if !self.is(TokenKind::LParen) {
            return self.query();
        }
        let query = self.paren_query()?;
        if matches!(self.kind(), TokenKind::Keyword(Kw::Union | Kw::Except | Kw::Intersect)) {
            return self.query_from(query);
        }
        Ok(query)
    }

    fn view(&mut self, verb: ModuleVerb) -> Parse<StatementKind> {
        let name = self.object_name()?;
        self.defines = Some(name.name.value.clone());
        let columns = self.optional_name_list()?;
        let options = self.module_options()?;
        self.expect_kw(Kw::As)?;
        let with = self.optional_with()?;
        let query = self.query()?;
        let check_option = self.eat_words(&["WITH", "CHECK", "OPTION"]);
        let view = ViewDefinition { verb, name, columns, options, with, query, check_option };
        Ok(StatementKind::View(Box::new(view)))
    }

    fn trigger(&mut self, verb: ModuleVerb) -> Parse<StatementKind> {
        let name = self.object_name()?;
        self.expect_kw(Kw::On)?;
        let target = self.trigger_target()?;
        let options = self.module_options()?;
        let instead_of = self.eat_words(&["INSTEAD", "OF"]);
        if !instead_of && !self.eat_word("AFTER") {
            self.expect_kw(Kw::For)?;
        }
        let events = self.list(Self::any_word)?;
        self.eat_words(&["WITH", "APPEND"]);
        let not_for_replication = self.not_for_replication();
        self.expect_kw(Kw::As)?;
        if self.at_kw(Kw::External) {
            self.at -= 1;
            return Ok(self.external_module("TRIGGER"));
        }
        let (body, body_span) = self.module_body()?;
        let trigger = TriggerDefinition {
            verb,
            name,
            target,
            options,
            instead_of,
            events,
            not_for_replication,
            body,
            body_span,
        };
        Ok(StatementKind::Trigger(Box::new(trigger)))
    }

    fn trigger_target(&mut self) -> Parse<TriggerTarget> {
        if self.eat_kw(Kw::Database) {
            return Ok(TriggerTarget::Database);
        }
        if self.eat_words(&["ALL", "SERVER"]) {
            return Ok(TriggerTarget::AllServer);
        }
        Ok(TriggerTarget::Object(self.object_name()?))
    }

    /// `ENABLE | DISABLE TRIGGER …`.
    pub(super) fn switch_trigger(&mut self) -> Parse<StatementKind> {
        let enable = self.at_word("ENABLE");
        self.at += 2;
        let names = if self.eat_kw(Kw::All) { Vec::new() } else { self.list(Self::object_name)? };
        self.expect_kw(Kw::On)?;
        let target = self.trigger_target()?;
        Ok(StatementKind::SwitchTrigger(Box::new(SwitchTrigger { enable, names, target })))
    }
}
