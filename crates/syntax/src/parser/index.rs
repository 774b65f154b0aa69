//! Indexes and statistics.

use super::refused::refused;
use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    /// `CLUSTERED` or `NONCLUSTERED` if it stands here.
    pub(super) fn clustered(&mut self) -> Option<bool> {
        if self.eat_kw(Kw::Clustered) {
            Some(true)
        } else if self.eat_kw(Kw::Nonclustered) {
            Some(false)
        } else {
            None
        }
    }

    /// `column [ASC | DESC]`.
    pub(super) fn index_column(&mut self) -> Parse<IndexColumn> {
        let name = self.name()?;
        Ok(IndexColumn { name, order: self.sort_order() })
    }

    /// `WITH (…)`, or the old `WITH FILLFACTOR = 80, PAD_INDEX`.
    pub(super) fn index_options(&mut self) -> Parse<Vec<NamedOption>> {
        let old = [
            "FILLFACTOR",
            "PAD_INDEX",
            "IGNORE_DUP_KEY",
            "DROP_EXISTING",
            "SORT_IN_TEMPDB",
            "STATISTICS_NORECOMPUTE",
        ];
        if self.at_kw(Kw::With) && old.iter().any(|word| self.ahead_word(1, word)) {
            self.bump();
            return self.list(Self::named_option);
        }
        self.with_options()
    }

    #[inline(never)]
    pub(super) fn create_index(&mut self) -> Parse<StatementKind> {
        self.bump();
        let unique = self.eat_kw(Kw::Unique);
        let clustered = self.clustered() == Some(true);
        let columnstore = self.eat_word("COLUMNSTORE");
        self.expect_kw(Kw::Index)?;
        let name = self.name()?;
        self.expect_kw(Kw::On)?;
        let table = self.object_name()?;
        // A clustered columnstore index has no columns of its own.
        let columns = if columnstore && !self.is(TokenKind::LParen) {
            Vec::new()
        } else {
            self.paren_list(Self::index_column)?
        };
        let include = if self.eat_word("INCLUDE") { self.name_list()? } else { Vec::new() };
        if columnstore && self.eat_kw(Kw::Order) {
            self.name_list()?;
        }
        let filter = if self.eat_kw(Kw::Where) { Some(self.condition()?) } else { None };
        let options = self.index_options()?;
        let on = self.placement()?;
        if self.at_word("FILESTREAM_ON") {
            return Err(self.error_at(40510, self.start(), &[&"CREATE INDEX … FILESTREAM_ON"]));
        }
        let index = CreateIndex {
            name,
            table,
            unique,
            clustered,
            columnstore,
            columns,
            include,
            filter,
            options,
            on,
        };
        Ok(StatementKind::CreateIndex(Box::new(index)))
    }

    /// `INDEX name [UNIQUE] [CLUSTERED] [(columns)] …` within a table.
    pub(super) fn inline_index(&mut self) -> Parse<InlineIndex> {
        self.expect_kw(Kw::Index)?;
        let name = self.name()?;
        let unique = self.eat_kw(Kw::Unique);
        let clustered = self.clustered();
        let variant = if self.at_word("COLUMNSTORE") || self.at_word("HASH") {
            Some(self.any_word()?)
        } else {
            None
        };
        let columns = if self.is(TokenKind::LParen) {
            self.paren_list(Self::index_column)?
        } else {
            Vec::new()
        };
        let include = if self.eat_word("INCLUDE") { self.name_list()? } else { Vec::new() };
        let filter = if self.eat_kw(Kw::Where) { Some(self.condition()?) } else { None };
        let options = self.index_options()?;
        let on = self.placement()?;
        Ok(InlineIndex { name, unique, clustered, variant, columns, include, filter, options, on })
    }

    pub(super) fn alter_index(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let name = if self.eat_kw(Kw::All) { None } else { Some(self.name()?) };
        self.expect_kw(Kw::On)?;
        let table = self.object_name()?;
        if self.eat_kw(Kw::For) {
            // The paths of a selective XML index.
            self.skip_parentheses()?;
            return Ok(refused("ALTER INDEX … FOR"));
        }
        let action = if self.eat_word("REBUILD") {
            AlterIndexAction::Rebuild(self.rebuild_options()?)
        } else if self.eat_word("REORGANIZE") {
            AlterIndexAction::Reorganize(self.rebuild_options()?)
        } else if self.eat_word("DISABLE") {
            AlterIndexAction::Disable
        } else if self.eat_kw(Kw::Set) {
            AlterIndexAction::Set(self.option_list()?)
        } else if ["RESUME", "PAUSE", "ABORT"].iter().any(|word| self.at_word(word)) {
            let word = self.any_word()?;
            self.with_options()?;
            AlterIndexAction::Other(word)
        } else {
            return Err(self.unexpected());
        };
        Ok(StatementKind::AlterIndex(Box::new(AlterIndex { name, table, action })))
    }

    /// `[PARTITION = ALL | n] [WITH (…)]`.
    pub(super) fn rebuild_options(&mut self) -> Parse<Vec<NamedOption>> {
        let mut options = Vec::new();
        if self.at_word("PARTITION") {
            options.push(self.named_option()?);
        }
        options.append(&mut self.with_options()?);
        Ok(options)
    }

    pub(super) fn drop_index(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let if_exists = self.eat_words(&["IF", "EXISTS"]);
        let (mut options, mut move_to) = (Vec::new(), None);
        let indexes = self.list(|p| {
            let name = p.object_name()?;
            if p.eat_kw(Kw::On) {
                let Some(index) = name.as_bare().cloned() else { return Err(p.unexpected()) };
                let table = p.object_name()?;
                if p.at_kw(Kw::With) && p.ahead(1).kind == TokenKind::LParen {
                    p.bump();
                    p.paren_list(|p| p.drop_index_option(&mut options, &mut move_to))?;
                }
                return Ok((index, table));
            }
            // The old form is table.index, perhaps with a schema before it.
            let ObjectName { database, schema, name, span, server: _ } = name;
            let Some(table) = schema else {
                return Err(p.error_at(159, span.start, &[&"DROP INDEX"]));
            };
            let table =
                ObjectName { server: None, database: None, schema: database, name: table, span };
            Ok((name, table))
        })?;
        Ok(StatementKind::DropIndex(Box::new(DropIndex { if_exists, indexes, options, move_to })))
    }

    /// `MOVE TO placement`, or an option by name.
    pub(super) fn drop_index_option(
        &mut self,
        options: &mut Vec<NamedOption>,
        move_to: &mut Option<Placement>,
    ) -> Parse<()> {
        if !(self.at_word("MOVE") && self.ahead_kw(1, Kw::To)) {
            options.push(self.named_option()?);
            return Ok(());
        }
        self.at += 2;
        let name = self.name_or_string()?;
        let column = if self.eat(TokenKind::LParen) {
            let column = self.name()?;
            self.expect(TokenKind::RParen)?;
            Some(column)
        } else {
            None
        };
        *move_to = Some(Placement { name, column });
        Ok(())
    }

    pub(super) fn create_statistics(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let name = self.name()?;
        self.expect_kw(Kw::On)?;
        let table = self.object_name()?;
        let columns = self.name_list()?;
        let filter = if self.eat_kw(Kw::Where) { Some(self.condition()?) } else { None };
        let options = self.statistics_options()?;
        let statistics = CreateStatistics { name, table, columns, filter, options };
        Ok(StatementKind::CreateStatistics(Box::new(statistics)))
    }

    pub(super) fn update_statistics(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let table = self.object_name()?;
        let names = if self.is(TokenKind::LParen) {
            self.name_list()?
        } else if self.at_name() && !self.is_label() {
            vec![self.name()?]
        } else {
            Vec::new()
        };
        let options = self.statistics_options()?;
        let statistics = UpdateStatistics { table, names, options };
        Ok(StatementKind::UpdateStatistics(Box::new(statistics)))
    }

    /// `WITH FULLSCAN, SAMPLE 10 PERCENT, NORECOMPUTE …`.
    fn statistics_options(&mut self) -> Parse<Vec<NamedOption>> {
        if !self.at_kw(Kw::With) {
            return Ok(Vec::new());
        }
        self.bump();
        self.list(|p| {
            let mut option = p.named_option()?;
            if option.value.is_none() && p.is(TokenKind::Integer) {
                option.value = Some(p.option_value()?);
            }
            Ok(option)
        })
    }
}
