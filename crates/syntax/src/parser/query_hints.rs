//! `OPTION (…)`.

use super::{Parse, Parser};
use crate::ast::{ExprKind, Ident, JoinHint, QueryHint, QueryHintKind};
use crate::lexer::{Kw, TokenKind};

/// The names that `USE HINT` takes; `QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_n` aside.
const NAMED: [&str; 26] = [
    "ALLOW_BATCH_MODE",
    "ASSUME_FULL_INDEPENDENCE_FOR_FILTER_ESTIMATES",
    "ASSUME_JOIN_PREDICATE_DEPENDS_ON_FILTERS",
    "ASSUME_MIN_SELECTIVITY_FOR_FILTER_ESTIMATES",
    "ASSUME_PARTIAL_CORRELATION_FOR_FILTER_ESTIMATES",
    "DISABLE_BATCH_MODE_ADAPTIVE_JOINS",
    "DISABLE_BATCH_MODE_MEMORY_GRANT_FEEDBACK",
    "DISABLE_CE_FEEDBACK",
    "DISABLE_DEFERRED_COMPILATION_TV",
    "DISABLE_DOP_FEEDBACK",
    "DISABLE_INTERLEAVED_EXECUTION_TVF",
    "DISABLE_MEMORY_GRANT_FEEDBACK_PERSISTENCE",
    "DISABLE_OPTIMIZED_NESTED_LOOP",
    "DISABLE_OPTIMIZED_PLAN_FORCING",
    "DISABLE_OPTIMIZER_ROWGOAL",
    "DISABLE_PARAMETER_SENSITIVE_PLAN_OPTIMIZATION",
    "DISABLE_PARAMETER_SNIFFING",
    "DISABLE_ROW_MODE_MEMORY_GRANT_FEEDBACK",
    "DISABLE_TSQL_SCALAR_UDF_INLINING",
    "DISALLOW_BATCH_MODE",
    "ENABLE_HIST_AMENDMENT_FOR_ASC_KEYS",
    "ENABLE_PARALLEL_PLAN_PREFERENCE",
    "ENABLE_QUERY_OPTIMIZER_HOTFIXES",
    "FORCE_DEFAULT_CARDINALITY_ESTIMATION",
    "FORCE_LEGACY_CARDINALITY_ESTIMATION",
    "QUERY_PLAN_PROFILE",
];

/// Hints that are one word, or two, with nothing behind them, and change no plan of this server's.
const ALONE: [&[&str]; 12] = [
    &["RECOMPILE"],
    &["EXPAND", "VIEWS"],
    &["KEEP", "PLAN"],
    &["KEEPFIXED", "PLAN"],
    &["ROBUST", "PLAN"],
    &["NO_PERFORMANCE_SPOOL"],
    &["IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX"],
    &["DISABLE_OPTIMIZED_PLAN_FORCING"],
    &["FORCE", "EXTERNALPUSHDOWN"],
    &["DISABLE", "EXTERNALPUSHDOWN"],
    &["FORCE", "SCALEOUTEXECUTION"],
    &["DISABLE", "SCALEOUTEXECUTION"],
];

impl Parser<'_> {
    /// `OPTION (hint, …)` if it stands here.
    pub(super) fn query_hints(&mut self) -> Parse<Vec<QueryHint>> {
        if !self.at_kw(Kw::Option) {
            return Ok(Vec::new());
        }
        self.bump();
        let mut grouping = None;
        self.paren_list(|p| p.query_hint(&mut grouping))
    }

    /// `grouping`: whether GROUP BY is done by hash, once a hint has said so.
    fn query_hint(&mut self, grouping: &mut Option<bool>) -> Parse<QueryHint> {
        let start = self.start();
        let kind = self.query_hint_kind(grouping)?;
        Ok(QueryHint { kind, span: self.since(start) })
    }

    /// Reads a hint of a method: of joins, of `GROUP BY` or of `UNION`. None: another hint stands here.
    fn method_hint(&mut self, grouping: &mut Option<bool>) -> Parse<Option<QueryHintKind>> {
        let at = self.start();
        let methods =
            [("LOOP", JoinHint::Loop), ("HASH", JoinHint::Hash), ("MERGE", JoinHint::Merge)];
        for (word, method) in methods {
            if self.eat_words(&[word, "JOIN"]) {
                return Ok(Some(QueryHintKind::Join(method)));
            }
        }
        for (word, hash) in [("HASH", true), ("ORDER", false)] {
            if self.eat_words(&[word, "GROUP"]) {
                if grouping.replace(hash).is_some_and(|h| h != hash) {
                    return Err(self.error_at(1042, at, &[&"GROUP BY"]));
                }
                return Ok(Some(QueryHintKind::Other));
            }
        }
        let union = ["CONCAT", "HASH", "MERGE"].iter().any(|w| self.eat_words(&[w, "UNION"]));
        Ok(union.then_some(QueryHintKind::Other))
    }

    fn query_hint_kind(&mut self, grouping: &mut Option<bool>) -> Parse<QueryHintKind> {
        use QueryHintKind::*;
        if let Some(method) = self.method_hint(grouping)? {
            return Ok(method);
        }
        if self.eat_words(&["FORCE", "ORDER"]) {
            return Ok(ForceOrder);
        }
        if ALONE.iter().any(|words| self.eat_words(words)) {
            return Ok(Other);
        }
        if self.eat_word("FAST") {
            return Ok(Fast(self.unsigned()?));
        }
        if self.eat_word("MAXRECURSION") {
            return Ok(MaxRecursion(self.unsigned()?));
        }
        if self.eat_word("MAXDOP") || self.eat_word("QUERYTRACEON") {
            self.unsigned()?;
            return Ok(Other);
        }
        if self.eat_word("MAX_GRANT_PERCENT") || self.eat_word("MIN_GRANT_PERCENT") {
            self.expect(TokenKind::Eq)?;
            self.signed_text()?;
            return Ok(Other);
        }
        if self.eat_word("PARAMETERIZATION") {
            return match self.eat_word("SIMPLE") || self.eat_word("FORCED") {
                true => Ok(Other),
                false => Err(self.unexpected()),
            };
        }
        if self.eat_word("LABEL") {
            self.expect(TokenKind::Eq)?;
            self.string()?;
            return Ok(Other);
        }
        if self.eat_words(&["USE", "PLAN"]) {
            self.string()?;
            return Ok(Other);
        }
        if self.eat_words(&["USE", "HINT"]) {
            let named = self.paren_list(Self::named_hint)?;
            return Ok(if named.contains(&true) { CallFunctions } else { Other });
        }
        if self.eat_words(&["OPTIMIZE", "FOR"]) {
            return match self.eat_word("UNKNOWN") {
                true => Ok(Other),
                false => Ok(OptimizeFor(self.paren_list(Self::optimized_for)?)),
            };
        }
        if self.eat_words(&["TABLE", "HINT"]) {
            return self.table_in_option();
        }
        Err(self.unexpected())
    }

    /// A name of `USE HINT`: whether it has scalar functions called.
    fn named_hint(&mut self) -> Parse<bool> {
        let at = self.start();
        let name = self.string()?;
        let upper = name.to_ascii_uppercase();
        let level = upper.strip_prefix("QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_");
        let known = match level {
            Some(level) => ["100", "110", "120", "130", "140", "150", "160"].contains(&level),
            None => NAMED.contains(&&*upper),
        };
        if !known {
            return Err(self.error_at(10715, at, &[&name]));
        }
        let earlier = level.is_some_and(|level| level != "150" && level != "160");
        Ok(earlier || upper == "DISABLE_TSQL_SCALAR_UDF_INLINING")
    }

    /// `@v = literal` or `@v UNKNOWN`. Plans are made without looking at values, so nothing comes of it.
    fn optimized_for(&mut self) -> Parse<Ident> {
        let at = self.start();
        let name = self.variable()?;
        if self.eat_word("UNKNOWN") {
            return Ok(name);
        }
        self.expect(TokenKind::Eq)?;
        let value = self.expr()?;
        let value = match &value.kind {
            ExprKind::Unary(_, e) => &e.kind,
            kind => kind,
        };
        match matches!(value, ExprKind::Literal(_)) {
            true => Ok(name),
            false => Err(self.error_at(320, at, &[&name.value])),
        }
    }

    /// `(name [, hint …])`
    fn table_in_option(&mut self) -> Parse<QueryHintKind> {
        let at = self.start();
        self.expect(TokenKind::LParen)?;
        let name = self.object_name()?;
        let mut hints = Vec::new();
        while !self.eat(TokenKind::RParen) {
            self.eat(TokenKind::Comma);
            hints.push(self.table_hint()?);
        }
        match super::hints::agree(&hints) {
            true => Ok(QueryHintKind::Table(name, hints)),
            false => Err(self.error_at(1047, at, &[])),
        }
    }
}
