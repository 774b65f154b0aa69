//! CREATE, ALTER and DROP EVENT SESSION.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn event_session(&mut self, verb: EventSessionVerb) -> Parse<StatementKind> {
        self.at += 3;
        let name = self.name()?;
        self.expect_kw(Kw::On)?;
        let on_database = self.eat_word("DATABASE");
        if !on_database {
            self.expect_word("SERVER")?;
        }
        let (parts, options, state) = (Vec::new(), Vec::new(), None);
        let mut s = EventSession { verb, name, on_database, parts, options, state };
        if verb == EventSessionVerb::Drop {
            return Ok(StatementKind::EventSession(Box::new(s)));
        }
        if verb == EventSessionVerb::Alter && self.eat_word("STATE") {
            self.expect(TokenKind::Eq)?;
            s.state = Some(self.eat_word("START"));
            if s.state == Some(false) {
                self.expect_word("STOP")?;
            }
            return Ok(StatementKind::EventSession(Box::new(s)));
        }
        loop {
            let adds = self.at_kw(Kw::Add);
            let drops = self.at_kw(Kw::Drop) && verb == EventSessionVerb::Alter;
            let what = self.ahead_word(1, "EVENT") || self.ahead_word(1, "TARGET");
            // DROP EVENT SESSION is the next statement.
            if !(adds || drops) || !what || drops && self.ahead_word(2, "SESSION") {
                break;
            }
            // ADD and DROP do not meet in one statement.
            let other = |p: &EventSessionPart| {
                let dropped =
                    matches!(p, EventSessionPart::DropEvent(_) | EventSessionPart::DropTarget(_));
                dropped != drops
            };
            if s.parts.iter().any(other) {
                return Err(self.unexpected());
            }
            self.bump();
            let event = self.eat_word("EVENT");
            if !event {
                self.expect_word("TARGET")?;
            }
            s.parts.push(match (event, adds) {
                (true, true) => EventSessionPart::AddEvent(self.event_definition()?),
                (true, false) => EventSessionPart::DropEvent(self.event_name()?),
                (false, true) => EventSessionPart::AddTarget(self.target_definition()?),
                (false, false) => EventSessionPart::DropTarget(self.event_name()?),
            });
            self.eat(TokenKind::Comma);
        }
        if self.at_kw(Kw::With) {
            self.bump();
            s.options = self.event_session_options()?;
        }
        if s.parts.is_empty() && s.options.is_empty() {
            return Err(self.unexpected());
        }
        Ok(StatementKind::EventSession(Box::new(s)))
    }

    /// `(NAME = value [,] …)`.
    fn event_session_options(&mut self) -> Parse<Vec<NamedOption>> {
        self.expect(TokenKind::LParen)?;
        let mut options = Vec::new();
        loop {
            options.push(self.named_option()?);
            self.eat(TokenKind::Comma);
            if self.eat(TokenKind::RParen) {
                return Ok(options);
            }
        }
    }

    /// Reads a name `[module.]package.name`; the module is not kept.
    fn event_name(&mut self) -> Parse<EventName> {
        let mut package = self.any_word()?;
        self.expect(TokenKind::Dot)?;
        let mut name = self.any_word()?;
        if self.eat(TokenKind::Dot) {
            package = std::mem::replace(&mut name, self.any_word()?);
        }
        Ok(EventName { package, name })
    }

    fn event_definition(&mut self) -> Parse<EventDefinition> {
        let name = self.event_name()?;
        let (set, actions, predicate) = (Vec::new(), Vec::new(), None);
        let mut event = EventDefinition { name, set, actions, predicate, predicate_length: 0 };
        if !self.eat(TokenKind::LParen) {
            return Ok(event);
        }
        if self.eat_kw(Kw::Set) {
            event.set = self.list(Self::event_attribute)?;
        }
        if self.eat_word("ACTION") {
            event.actions = self.paren_list(Self::event_name)?;
        }
        if self.eat_kw(Kw::Where) {
            let start = self.start();
            event.predicate = Some(self.event_predicate()?);
            event.predicate_length = self.since(start).end - start;
        }
        self.expect(TokenKind::RParen)?;
        Ok(event)
    }

    fn target_definition(&mut self) -> Parse<TargetDefinition> {
        let name = self.event_name()?;
        let mut set = Vec::new();
        if self.eat(TokenKind::LParen) {
            self.expect_kw(Kw::Set)?;
            set = self.list(Self::event_attribute)?;
            self.expect(TokenKind::RParen)?;
        }
        Ok(TargetDefinition { name, set })
    }

    fn event_attribute(&mut self) -> Parse<(Ident, EventValue)> {
        let name = self.any_word()?;
        self.expect(TokenKind::Eq)?;
        Ok((name, self.event_value()?))
    }

    /// A number or string, in parentheses or not.
    fn event_value(&mut self) -> Parse<EventValue> {
        if self.is(TokenKind::LParen) {
            return self.nested(|p| {
                p.bump();
                let value = p.event_value()?;
                p.expect(TokenKind::RParen)?;
                Ok(value)
            });
        }
        match self.kind() {
            TokenKind::String | TokenKind::NString => {
                let national = self.is(TokenKind::NString);
                Ok(EventValue::Text(self.string()?, national))
            }
            _ => Ok(EventValue::Number(self.signed_text()?)),
        }
    }

    fn event_predicate(&mut self) -> Parse<EventPredicate> {
        let mut any = vec![self.event_conjunction()?];
        while self.eat_kw(Kw::Or) {
            any.push(self.event_conjunction()?);
        }
        Ok(if any.len() == 1 { any.remove(0) } else { EventPredicate::Or(any) })
    }

    fn event_conjunction(&mut self) -> Parse<EventPredicate> {
        let mut all = vec![self.event_factor()?];
        while self.eat_kw(Kw::And) {
            all.push(self.event_factor()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { EventPredicate::And(all) })
    }

    fn event_factor(&mut self) -> Parse<EventPredicate> {
        self.nested(|p| {
            if p.eat_kw(Kw::Not) {
                return Ok(EventPredicate::Not(Box::new(p.event_factor()?)));
            }
            if p.is(TokenKind::LParen) && !p.parenthesised_source() {
                p.bump();
                let inner = p.event_predicate()?;
                p.expect(TokenKind::RParen)?;
                return Ok(inner);
            }
            p.event_comparison()
        })
    }

    /// `([package].[source])` before an operator: the parentheses are the source's.
    fn parenthesised_source(&self) -> bool {
        let dotted = self.ahead(2).kind == TokenKind::Dot;
        let close = if dotted { 4 } else { 2 };
        self.ahead(close).kind == TokenKind::RParen && self.ahead(1).kind != TokenKind::LParen
    }

    fn event_source(&mut self) -> Parse<EventSource> {
        let bracket = self.eat(TokenKind::LParen);
        let first = self.any_word()?;
        let source = if self.eat(TokenKind::Dot) {
            EventSource::Global(EventName { package: first, name: self.any_word()? })
        } else {
            EventSource::Field(first)
        };
        if bracket {
            self.expect(TokenKind::RParen)?;
        }
        Ok(source)
    }

    fn event_comparison(&mut self) -> Parse<EventPredicate> {
        let source = self.event_source()?;
        if let EventSource::Global(name) = &source
            && self.eat(TokenKind::LParen)
        {
            let name = name.clone();
            let source = self.event_source()?;
            self.expect(TokenKind::Comma)?;
            let value = self.event_value()?;
            self.expect(TokenKind::RParen)?;
            return Ok(EventPredicate::Call(name, source, value));
        }
        let op = self.comparison_operator()?;
        Ok(EventPredicate::Compare(source, op, self.event_value()?))
    }
}
