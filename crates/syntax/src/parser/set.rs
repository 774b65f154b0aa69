//! SET in all its forms.

use super::{Context, Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

/// Options that are on or off, by name.
const SWITCHES: &[(&str, SwitchOption)] = &[
    ("ANSI_DEFAULTS", SwitchOption::AnsiDefaults),
    ("ANSI_NULL_DFLT_OFF", SwitchOption::AnsiNullDfltOff),
    ("ANSI_NULL_DFLT_ON", SwitchOption::AnsiNullDfltOn),
    ("ANSI_NULLS", SwitchOption::AnsiNulls),
    ("ANSI_PADDING", SwitchOption::AnsiPadding),
    ("ANSI_WARNINGS", SwitchOption::AnsiWarnings),
    ("ARITHABORT", SwitchOption::ArithAbort),
    ("ARITHIGNORE", SwitchOption::ArithIgnore),
    ("CONCAT_NULL_YIELDS_NULL", SwitchOption::ConcatNullYieldsNull),
    ("CURSOR_CLOSE_ON_COMMIT", SwitchOption::CursorCloseOnCommit),
    ("FMTONLY", SwitchOption::FmtOnly),
    ("FORCEPLAN", SwitchOption::ForcePlan),
    ("IMPLICIT_TRANSACTIONS", SwitchOption::ImplicitTransactions),
    ("NO_BROWSETABLE", SwitchOption::NoBrowseTable),
    ("NOCOUNT", SwitchOption::NoCount),
    ("NOEXEC", SwitchOption::NoExec),
    ("NUMERIC_ROUNDABORT", SwitchOption::NumericRoundAbort),
    ("PARSEONLY", SwitchOption::ParseOnly),
    ("QUOTED_IDENTIFIER", SwitchOption::QuotedIdentifier),
    ("REMOTE_PROC_TRANSACTIONS", SwitchOption::RemoteProcTransactions),
    ("SHOWPLAN_ALL", SwitchOption::ShowPlanAll),
    ("SHOWPLAN_TEXT", SwitchOption::ShowPlanText),
    ("SHOWPLAN_XML", SwitchOption::ShowPlanXml),
    ("XACT_ABORT", SwitchOption::XactAbort),
];

/// The options after `SET STATISTICS`.
const STATISTICS: &[(&str, SwitchOption)] = &[
    ("IO", SwitchOption::StatisticsIo),
    ("PROFILE", SwitchOption::StatisticsProfile),
    ("TIME", SwitchOption::StatisticsTime),
    ("XML", SwitchOption::StatisticsXml),
];

/// Options with a value, by name.
const VALUES: &[(&str, ValueOption)] = &[
    ("CONTEXT_INFO", ValueOption::ContextInfo),
    ("DATEFIRST", ValueOption::DateFirst),
    ("DATEFORMAT", ValueOption::DateFormat),
    ("DEADLOCK_PRIORITY", ValueOption::DeadlockPriority),
    ("FIPS_FLAGGER", ValueOption::FipsFlagger),
    ("LANGUAGE", ValueOption::Language),
    ("LOCK_TIMEOUT", ValueOption::LockTimeout),
    ("QUERY_GOVERNOR_COST_LIMIT", ValueOption::QueryGovernorCostLimit),
    ("ROWCOUNT", ValueOption::RowCount),
    ("TEXTSIZE", ValueOption::TextSize),
];

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn set(&mut self) -> Parse<StatementKind> {
        self.bump();
        match self.kind() {
            TokenKind::Variable => self.set_variable(),
            TokenKind::Keyword(Kw::Transaction | Kw::Tran) => self.set_isolation(),
            TokenKind::Keyword(Kw::IdentityInsert) => {
                self.bump();
                let table = self.object_name()?;
                let on = self.on_or_off()?;
                Ok(option(SetOptionStatement::IdentityInsert { table, on }))
            }
            TokenKind::Keyword(Kw::Statistics) => {
                self.bump();
                self.switches(STATISTICS)
            }
            TokenKind::Keyword(Kw::Rowcount | Kw::Textsize) | TokenKind::Word => {
                let word = self.slice(self.token());
                let found = VALUES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
                match found {
                    Some(&(_, value_option)) => {
                        self.bump();
                        let value = self.set_option_value()?;
                        Ok(option(SetOptionStatement::Value { option: value_option, value }))
                    }
                    None => self.switches(SWITCHES),
                }
            }
            TokenKind::Keyword(Kw::Offsets) => {
                self.at -= 1;
                Ok(self.unsupported(2))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn set_variable(&mut self) -> Parse<StatementKind> {
        let variable = self.variable()?;
        let is_call = self.is(TokenKind::Dot) && self.ahead(2).kind == TokenKind::LParen;
        if is_call && ["query", "value", "exist", "nodes"].iter().any(|m| self.ahead_word(1, m)) {
            self.bump();
            let method = self.name()?;
            return Err(self.error_at(8113, method.span.start, &[&method.value]));
        }
        if is_call && self.ahead_word(1, "modify") {
            self.bump();
            let method = self.name()?;
            let arguments = self.arguments()?;
            let target = Expr { span: variable.span, kind: ExprKind::Variable(variable.clone()) };
            let value = SetValue::Expr(self.change_of_xml(target, method, arguments));
            let set = SetVariable { variable, op: AssignOp::Set, value };
            return Ok(StatementKind::SetVariable(Box::new(set)));
        }
        if self.is(TokenKind::Dot) && self.ahead_name(1) {
            let what = "A property or method of a CLR type";
            return Err(self.error_at(40510, self.start(), &[&what]));
        }
        let op = self.assign_op()?;
        let value = if op == AssignOp::Set && self.at_kw(Kw::Cursor) {
            self.bump();
            SetValue::Cursor(Box::new(self.cursor_definition(Vec::new())?))
        } else {
            SetValue::Expr(self.expr()?)
        };
        Ok(StatementKind::SetVariable(Box::new(SetVariable { variable, op, value })))
    }

    fn set_isolation(&mut self) -> Parse<StatementKind> {
        self.bump();
        self.expect_word("ISOLATION")?;
        self.expect_word("LEVEL")?;
        let level = if self.eat_kw(Kw::Read) {
            if self.eat_word("COMMITTED") {
                IsolationLevel::ReadCommitted
            } else {
                self.expect_word("UNCOMMITTED")?;
                IsolationLevel::ReadUncommitted
            }
        } else if self.eat_word("REPEATABLE") {
            self.expect_kw(Kw::Read)?;
            IsolationLevel::RepeatableRead
        } else if self.eat_word("SNAPSHOT") {
            IsolationLevel::Snapshot
        } else {
            self.expect_word("SERIALIZABLE")?;
            IsolationLevel::Serializable
        };
        Ok(option(SetOptionStatement::Isolation(level)))
    }

    /// `a, b ON | OFF`.
    fn switches(&mut self, known: &[(&str, SwitchOption)]) -> Parse<StatementKind> {
        let options = self.list(|p| {
            let token = p.token();
            if token.kind != TokenKind::Word {
                return Err(p.unexpected());
            }
            let word = p.slice(token);
            let Some((_, switch)) = known.iter().find(|(name, _)| word.eq_ignore_ascii_case(name))
            else {
                return Err(p.error_at(195, token.start, &[&word, &"SET option"]));
            };
            p.bump();
            Ok(*switch)
        })?;
        let on = self.on_or_off()?;
        if self.context == Context::Batch {
            for option in &options {
                match option {
                    SwitchOption::QuotedIdentifier | SwitchOption::AnsiDefaults => {
                        self.settings.quoted_identifier = Some(on);
                    }
                    SwitchOption::ParseOnly => self.settings.parse_only = Some(on),
                    _ => {}
                }
            }
        }
        Ok(option(SetOptionStatement::Switch { options, on }))
    }

    fn on_or_off(&mut self) -> Parse<bool> {
        let on = self.eat_kw(Kw::On);
        if !on {
            self.expect_kw(Kw::Off)?;
        }
        Ok(on)
    }

    fn set_option_value(&mut self) -> Parse<Expr> {
        match self.kind() {
            TokenKind::Word | TokenKind::Delimited | TokenKind::Keyword(Kw::Full | Kw::Off) => {
                self.word_as_string(true)
            }
            TokenKind::Minus | TokenKind::Plus => self.signed_literal(),
            _ => self.literal_or_variable(),
        }
    }
}

fn option(statement: SetOptionStatement) -> StatementKind {
    StatementKind::SetOption(Box::new(statement))
}
