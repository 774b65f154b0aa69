//! CREATE and ALTER TABLE: columns and constraints.

use super::{Parse, Parser};
use crate::ast::*;
use crate::lexer::{Kw, TokenKind};

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn create_table(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let name = self.object_name()?;
        let mut table = CreateTable {
            name,
            body: TableBody::default(),
            on: None,
            textimage_on: None,
            filestream_on: None,
            options: Vec::new(),
            variant: None,
        };
        if !self.at_kw(Kw::As) {
            table.body = self.table_elements()?;
        }
        if self.eat_kw(Kw::As) {
            table.variant = Some(self.any_word()?);
        }
        loop {
            if self.at_kw(Kw::On) && table.on.is_none() {
                table.on = self.placement()?;
            } else if self.eat_word("TEXTIMAGE_ON") {
                table.textimage_on = Some(self.name_or_string()?);
            } else if self.eat_word("FILESTREAM_ON") {
                table.filestream_on = Some(self.name_or_string()?);
            } else if self.at_kw(Kw::With) && self.ahead(1).kind == TokenKind::LParen {
                let mut options = self.with_options()?;
                table.options.append(&mut options);
            } else {
                break;
            }
        }
        Ok(StatementKind::CreateTable(Box::new(table)))
    }

    /// `ON filegroup` or `ON scheme(column)` if it stands here.
    pub(super) fn placement(&mut self) -> Parse<Option<Placement>> {
        if !self.eat_kw(Kw::On) {
            return Ok(None);
        }
        let name = self.name_or_string()?;
        let column = if self.eat(TokenKind::LParen) {
            let column = self.name()?;
            self.expect(TokenKind::RParen)?;
            Some(column)
        } else {
            None
        };
        Ok(Some(Placement { name, column }))
    }

    /// Reads `(columns, constraints, indexes)` of a table variable or type, which has no period: 13572.
    pub(super) fn table_body(&mut self) -> Parse<TableBody> {
        let start = self.start();
        let body = self.table_elements()?;
        match body.period {
            Some(_) => Err(self.error_at(13572, start, &[])),
            None => Ok(body),
        }
    }

    fn table_elements(&mut self) -> Parse<TableBody> {
        self.expect(TokenKind::LParen)?;
        let mut body = TableBody::default();
        loop {
            if !self.period_for(&mut body)? {
                self.table_element(&mut body)?;
            }
            // A comma may follow the last element.
            if !self.eat(TokenKind::Comma) || self.is(TokenKind::RParen) {
                break;
            }
        }
        self.expect(TokenKind::RParen)?;
        Ok(body)
    }

    /// `PERIOD FOR SYSTEM_TIME (start, end)` if it stands here: 13508 for a second one.
    fn period_for(&mut self, body: &mut TableBody) -> Parse<bool> {
        let start = self.start();
        if !self.eat_words(&["PERIOD", "FOR", "SYSTEM_TIME"]) {
            return Ok(false);
        }
        if body.period.is_some() {
            return Err(self.error_at(13508, start, &[]));
        }
        self.expect(TokenKind::LParen)?;
        let from = self.name()?;
        self.expect(TokenKind::Comma)?;
        let to = self.name()?;
        self.expect(TokenKind::RParen)?;
        body.period = Some((from, to));
        Ok(true)
    }

    /// A column, a constraint or an index.
    fn table_element(&mut self, body: &mut TableBody) -> Parse<()> {
        match self.kind() {
            TokenKind::Keyword(
                Kw::Constraint | Kw::Primary | Kw::Unique | Kw::Foreign | Kw::Check | Kw::Default,
            ) => body.constraints.push(self.table_constraint()?),
            TokenKind::Keyword(Kw::Index) => body.indexes.push(self.inline_index()?),
            _ => body.columns.push(self.column_definition()?),
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn column_definition(&mut self) -> Parse<ColumnDefinition> {
        let start = self.start();
        let name = self.name()?;
        let mut column = ColumnDefinition {
            name,
            ty: None,
            computed: None,
            collation: None,
            identity: None,
            nullable: None,
            rowguidcol: false,
            sparse: false,
            default: None,
            second_default: false,
            constraints: Vec::new(),
            index: None,
            mask: None,
            other: Vec::new(),
            span: Span::default(),
        };
        if self.eat_kw(Kw::As) {
            let expr = self.expr()?;
            let persisted = self.eat_word("PERSISTED");
            column.computed = Some(Computed { expr, persisted });
        } else if self.at_name()
            || matches!(self.kind(), TokenKind::Keyword(Kw::Double | Kw::National))
        {
            column.ty = Some(self.data_type()?);
        } else if matches!(self.kind(), TokenKind::Comma | TokenKind::RParen)
            && !column.name.is("timestamp")
        {
            return Err(self.error_at(173, start, &[&column.name.value]));
        } else if !column.name.is("timestamp") {
            return Err(self.unexpected());
        }
        while self.column_attribute(&mut column)? {}
        column.span = self.since(start);
        Ok(column)
    }

    /// One attribute; false when none follows.
    fn column_attribute(&mut self, column: &mut ColumnDefinition) -> Parse<bool> {
        match self.kind() {
            // Its type and its values are its expression's.
            TokenKind::Keyword(
                Kw::Null | Kw::Collate | Kw::Identity | Kw::Rowguidcol | Kw::Default,
            ) if column.computed.is_some() => return Ok(false),
            TokenKind::Keyword(keyword) => match keyword {
                Kw::Null => {
                    self.bump();
                    column.nullable = Some(true);
                }
                Kw::Not if self.ahead_kw(1, Kw::Null) => {
                    self.at += 2;
                    column.nullable = Some(false);
                }
                Kw::Not if self.ahead_kw(1, Kw::For) => {
                    if !self.not_for_replication() {
                        return Err(self.unexpected());
                    }
                    if let Some(identity) = &mut column.identity {
                        identity.not_for_replication = true;
                    }
                }
                Kw::Collate => {
                    self.bump();
                    column.collation = Some(self.name()?);
                }
                Kw::Identity => column.identity = Some(self.identity()?),
                Kw::Rowguidcol => {
                    self.bump();
                    column.rowguidcol = true;
                }
                Kw::Default => {
                    column.second_default |= column.default.is_some();
                    column.default = Some(self.default_constraint(None)?);
                }
                Kw::Constraint if self.unnamed => return Err(self.unexpected()),
                Kw::Constraint => {
                    self.bump();
                    let name = self.name()?;
                    match self.kind() {
                        TokenKind::Keyword(Kw::Default) => {
                            column.second_default |= column.default.is_some();
                            column.default = Some(self.default_constraint(Some(name))?);
                        }
                        TokenKind::Keyword(Kw::Null | Kw::Not) => {
                            column.nullable = self.nullability();
                        }
                        _ => column.constraints.push(self.column_constraint(Some(name))?),
                    }
                }
                Kw::Primary | Kw::Unique | Kw::Foreign | Kw::References | Kw::Check => {
                    column.constraints.push(self.column_constraint(None)?);
                }
                Kw::Index => column.index = Some(self.inline_index()?),
                _ => return Ok(false),
            },
            TokenKind::Word => return self.column_word(column),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn column_word(&mut self, column: &mut ColumnDefinition) -> Parse<bool> {
        if self.eat_word("SPARSE") {
            column.sparse = true;
        } else if self.at_word("PERSISTED") && column.computed.is_some() {
            self.bump();
            if let Some(computed) = &mut column.computed {
                computed.persisted = true;
            }
        } else if self.at_word("MASKED") && column.computed.is_none() && !self.unnamed {
            self.bump();
            column.mask = Some(self.mask_function()?);
        } else if self.eat_word("ENCRYPTED") {
            column.other.push("ENCRYPTED".into());
            self.expect_kw(Kw::With)?;
            self.skip_parentheses()?;
        } else if self.eat_words(&["COLUMN_SET", "FOR", "ALL_SPARSE_COLUMNS"]) {
            column.other.push("COLUMN_SET".into());
        } else if self.at_word("HIDDEN") || self.at_word("FILESTREAM") {
            let word = self.any_word()?;
            column.other.push(word.value.to_ascii_uppercase().into());
        } else if self.eat_words(&["GENERATED", "ALWAYS", "AS"]) {
            let what = self.any_word()?.value.to_ascii_uppercase();
            let end = self.any_word()?.value.to_ascii_uppercase();
            column.other.push(format!("GENERATED ALWAYS AS {what} {end}").into());
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `WITH (FUNCTION = 'text')` behind `MASKED`.
    fn mask_function(&mut self) -> Parse<Box<str>> {
        self.expect_kw(Kw::With)?;
        self.expect(TokenKind::LParen)?;
        if !self.eat_kw(Kw::Function) {
            return Err(self.unexpected());
        }
        self.expect(TokenKind::Eq)?;
        let text = self.string()?;
        self.expect(TokenKind::RParen)?;
        Ok(text)
    }

    /// `NOT FOR REPLICATION` if it stands here.
    pub(super) fn not_for_replication(&mut self) -> bool {
        self.eat_words(&["NOT", "FOR", "REPLICATION"])
    }

    fn identity(&mut self) -> Parse<IdentitySpec> {
        self.bump();
        let (mut seed, mut increment) = ("1".into(), "1".into());
        if self.eat(TokenKind::LParen) {
            seed = self.signed_text()?;
            self.expect(TokenKind::Comma)?;
            increment = self.signed_text()?;
            self.expect(TokenKind::RParen)?;
        }
        let not_for_replication = self.not_for_replication();
        Ok(IdentitySpec { seed, increment, not_for_replication })
    }

    /// `DEFAULT value [FOR column] [WITH VALUES]`.
    fn default_constraint(&mut self, name: Option<Ident>) -> Parse<DefaultConstraint> {
        self.expect_kw(Kw::Default)?;
        let expr = self.expr()?;
        let column = if self.eat_kw(Kw::For) { Some(self.name()?) } else { None };
        let with_values = self.eat_words(&["WITH", "VALUES"]);
        Ok(DefaultConstraint { name, expr, with_values, column })
    }

    fn table_constraint(&mut self) -> Parse<TableConstraint> {
        let start = self.start();
        if self.unnamed && self.at_kw(Kw::Constraint) {
            return Err(self.unexpected());
        }
        let name = if self.eat_kw(Kw::Constraint) { Some(self.name()?) } else { None };
        if self.at_kw(Kw::Default) {
            let default = self.default_constraint(name.clone())?;
            if default.column.is_none() {
                return Err(self.error_at(142, start, &[&"TABLE"]));
            }
            let kind = ConstraintKind::Default(default);
            return Ok(TableConstraint { name, kind, span: self.since(start) });
        }
        let mut constraint = self.column_constraint(name)?;
        constraint.span = self.since(start);
        let columns = match &constraint.kind {
            ConstraintKind::Key(key) => key.columns.len(),
            ConstraintKind::ForeignKey(key) => key.columns.len(),
            _ => 1,
        };
        if columns == 0 {
            return Err(self.error_at(142, start, &[&"TABLE"]));
        }
        Ok(constraint)
    }

    /// `PRIMARY KEY`, `UNIQUE`, `FOREIGN KEY`, `REFERENCES` or `CHECK`, with or without columns of its own.
    fn column_constraint(&mut self, name: Option<Ident>) -> Parse<TableConstraint> {
        let start = name.as_ref().map_or(self.start(), |n| n.span.start);
        let kind = match self.kind() {
            TokenKind::Keyword(Kw::Primary | Kw::Unique) => {
                let primary = self.eat_kw(Kw::Primary);
                if primary {
                    self.expect_kw(Kw::Key)?;
                } else {
                    self.bump();
                }
                ConstraintKind::Key(self.key_constraint(primary)?)
            }
            TokenKind::Keyword(Kw::Foreign) => {
                self.bump();
                self.expect_kw(Kw::Key)?;
                let columns = self.optional_name_list()?;
                ConstraintKind::ForeignKey(self.foreign_key(columns)?)
            }
            TokenKind::Keyword(Kw::References) => {
                ConstraintKind::ForeignKey(self.foreign_key(Vec::new())?)
            }
            TokenKind::Keyword(Kw::Check) => {
                self.bump();
                let not_for_replication = self.not_for_replication();
                self.expect(TokenKind::LParen)?;
                let condition = self.condition()?;
                self.expect(TokenKind::RParen)?;
                ConstraintKind::Check(Check { condition, not_for_replication })
            }
            TokenKind::Word if self.at_word("CONNECTION") => {
                return Err(self.error_at(40510, start, &[&"A CONNECTION constraint"]));
            }
            _ => return Err(self.unexpected()),
        };
        Ok(TableConstraint { name, kind, span: self.since(start) })
    }

    fn key_constraint(&mut self, primary: bool) -> Parse<KeyConstraint> {
        let clustered = self.clustered();
        self.eat_word("HASH");
        let columns = if self.is(TokenKind::LParen) {
            self.paren_list(Self::index_column)?
        } else {
            Vec::new()
        };
        // The old form takes one option: what follows a comma is the table's.
        let options = if self.at_kw(Kw::With) && self.ahead_word(1, "FILLFACTOR") {
            self.bump();
            vec![self.named_option()?]
        } else {
            self.with_options()?
        };
        let on = self.placement()?;
        Ok(KeyConstraint { primary, clustered, columns, options, on })
    }

    fn foreign_key(&mut self, columns: Vec<Ident>) -> Parse<ForeignKey> {
        self.expect_kw(Kw::References)?;
        let table = self.object_name()?;
        let referenced = self.optional_name_list()?;
        let mut key = ForeignKey {
            columns,
            table,
            referenced,
            on_delete: ReferentialAction::NoAction,
            on_update: ReferentialAction::NoAction,
            not_for_replication: false,
        };
        while self.at_kw(Kw::On) && (self.ahead_kw(1, Kw::Delete) || self.ahead_kw(1, Kw::Update)) {
            let delete = self.ahead_kw(1, Kw::Delete);
            self.at += 2;
            let action = if self.eat_kw(Kw::Cascade) {
                ReferentialAction::Cascade
            } else if self.eat_kw(Kw::Set) {
                if self.eat_kw(Kw::Null) {
                    ReferentialAction::SetNull
                } else {
                    self.expect_kw(Kw::Default)?;
                    ReferentialAction::SetDefault
                }
            } else {
                self.expect_word("NO")?;
                self.expect_word("ACTION")?;
                ReferentialAction::NoAction
            };
            *if delete { &mut key.on_delete } else { &mut key.on_update } = action;
        }
        key.not_for_replication = self.not_for_replication();
        Ok(key)
    }

    #[inline(never)]
    pub(super) fn alter_table(&mut self) -> Parse<StatementKind> {
        self.at += 2;
        let table = self.object_name()?;
        let action = self.alter_table_action()?;
        Ok(StatementKind::AlterTable(Box::new(AlterTable { table, action })))
    }

    fn alter_table_action(&mut self) -> Parse<AlterTableAction> {
        let check = if self.at_kw(Kw::With) {
            self.bump();
            let check = self.eat_kw(Kw::Check);
            if !check {
                self.expect_kw(Kw::Nocheck)?;
            }
            Some(check)
        } else {
            None
        };
        match self.kind() {
            TokenKind::Keyword(Kw::Add) => {
                self.bump();
                let mut body = TableBody::default();
                loop {
                    if !self.period_for(&mut body)? {
                        self.table_element(&mut body)?;
                    }
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
                Ok(AlterTableAction::Add { check, body })
            }
            TokenKind::Keyword(Kw::Check | Kw::Nocheck) => {
                let enable = self.eat_kw(Kw::Check) || !self.eat_kw(Kw::Nocheck);
                self.expect_kw(Kw::Constraint)?;
                let names = self.all_or_names()?;
                Ok(AlterTableAction::CheckConstraint { with_check: check, enable, names })
            }
            _ if check.is_some() => Err(self.unexpected()),
            TokenKind::Keyword(Kw::Drop) => self.alter_table_drop(),
            TokenKind::Keyword(Kw::Alter) if self.ahead_kw(1, Kw::Index) => {
                self.at += 2;
                self.name()?;
                self.expect_word("REBUILD")?;
                self.clustered();
                self.eat_word("HASH");
                self.with_options()?;
                Ok(AlterTableAction::Other("ALTER INDEX".into()))
            }
            TokenKind::Keyword(Kw::Alter) => {
                self.bump();
                self.expect_kw(Kw::Column)?;
                self.alter_column()
            }
            TokenKind::Keyword(Kw::Set) => {
                self.bump();
                Ok(AlterTableAction::Set(self.option_list()?))
            }
            _ => self.alter_table_word(),
        }
    }

    fn alter_table_word(&mut self) -> Parse<AlterTableAction> {
        if self.eat_word("REBUILD") {
            return Ok(AlterTableAction::Rebuild(self.rebuild_options()?));
        }
        if self.eat_word("SWITCH") {
            let partition = if self.eat_word("PARTITION") { Some(self.expr()?) } else { None };
            self.expect_kw(Kw::To)?;
            let target = self.object_name()?;
            let target_partition =
                if self.eat_word("PARTITION") { Some(self.expr()?) } else { None };
            self.with_options()?;
            return Ok(AlterTableAction::Switch { partition, target, target_partition });
        }
        let enable = self.eat_word("ENABLE");
        if !enable {
            self.expect_word("DISABLE")?;
        }
        if self.eat_word("FILETABLE_NAMESPACE") {
            let verb = if enable { "ENABLE" } else { "DISABLE" };
            return Ok(AlterTableAction::Other(format!("{verb} FILETABLE_NAMESPACE").into()));
        }
        if self.eat_word("CHANGE_TRACKING") {
            self.with_options()?;
            return Ok(AlterTableAction::ChangeTracking(enable));
        }
        self.expect_kw(Kw::Trigger)?;
        Ok(AlterTableAction::Trigger { enable, names: self.all_or_names()? })
    }

    fn all_or_names(&mut self) -> Parse<Vec<Ident>> {
        if self.eat_kw(Kw::All) { Ok(Vec::new()) } else { self.list(Self::name) }
    }

    /// `DROP [CONSTRAINT | COLUMN] [IF EXISTS] a, b, COLUMN c`: a word holds until the next one.
    fn alter_table_drop(&mut self) -> Parse<AlterTableAction> {
        self.bump();
        if self.eat_words(&["PERIOD", "FOR", "SYSTEM_TIME"]) {
            return Ok(AlterTableAction::DropPeriod);
        }
        let mut column = false;
        let mut if_exists = false;
        let items = self.list(|p| {
            if p.eat_kw(Kw::Column) {
                column = true;
                if_exists = p.eat_words(&["IF", "EXISTS"]);
            } else if p.eat_kw(Kw::Constraint) {
                column = false;
                if_exists = p.eat_words(&["IF", "EXISTS"]);
            }
            let name = p.name()?;
            let (mut options, mut move_to) = (Vec::new(), None);
            if !column && p.at_kw(Kw::With) && p.ahead(1).kind == TokenKind::LParen {
                p.bump();
                p.paren_list(|p| p.drop_index_option(&mut options, &mut move_to))?;
            }
            Ok(DropTableItem { column, if_exists, name, options, move_to })
        })?;
        Ok(AlterTableAction::Drop(items))
    }

    fn alter_column(&mut self) -> Parse<AlterTableAction> {
        let name = self.name()?;
        if matches!(self.kind(), TokenKind::Keyword(Kw::Add | Kw::Drop)) {
            let add = self.bump().kind == TokenKind::Keyword(Kw::Add);
            if self.eat_word("MASKED") {
                let function = if add { Some(self.mask_function()?) } else { None };
                return Ok(AlterTableAction::AlterColumn(AlterColumn::Mask { name, function }));
            }
            let mut property = self.any_word()?.value.to_ascii_uppercase();
            if property == "NOT" {
                self.at -= 1;
                if !self.not_for_replication() {
                    return Err(self.unexpected());
                }
                property = "NOT FOR REPLICATION".into();
            }
            if self.at_kw(Kw::With) {
                self.with_options()?;
            }
            let property = AlterColumn::Property { name, add, property: property.into() };
            return Ok(AlterTableAction::AlterColumn(property));
        }
        let ty = self.data_type()?;
        let (mut collation, mut nullable, mut sparse) = (None, None, false);
        let (mut mask, mut encrypted) = (None, false);
        loop {
            if self.eat_kw(Kw::Collate) {
                collation = Some(self.name()?);
            } else if let Some(value) = self.nullability() {
                nullable = Some(value);
            } else if self.eat_word("SPARSE") {
                sparse = true;
            } else if self.eat_word("MASKED") {
                mask = Some(self.mask_function()?);
            } else if self.eat_word("ENCRYPTED") {
                encrypted = true;
                self.expect_kw(Kw::With)?;
                self.skip_parentheses()?;
            } else {
                break;
            }
        }
        let options = self.with_options()?;
        if encrypted {
            return Ok(AlterTableAction::Other("ALTER COLUMN … ENCRYPTED".into()));
        }
        let change = AlterColumn::Type { name, ty, collation, nullable, sparse, mask, options };
        Ok(AlterTableAction::AlterColumn(change))
    }
}
