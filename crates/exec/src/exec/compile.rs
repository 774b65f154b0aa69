//! From text to [`Module`]s.

pub use super::declarations::declare_list;
use super::definition::Returns;
pub(crate) use super::definition::{CreatedUnder, procedure};
use super::executed_text::join_texts;
use super::figures::Tally;
pub(crate) use super::handed_in::{bulk_insert, external_insert};
use super::metadata::SessionMetadata;
use super::module::{
    Argument, CompiledUnder, DeclaredVariable, Default, ExecTarget, Execute, Module, NameCode,
    Parameter, Stmt, StmtKind, TableVariable,
};
use super::query_in::{query_in, takes_value};
use super::scalars::moves;
use super::showplan::stands_alone;
use super::variants::Variants;
use crate::binder::{Binder, Variables, declared};
use crate::database::Database;
use crate::features;
use crate::memory::Measured;
use crate::session::Session;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use taffrail_base::{SqlError, SqlResult, message::unsupported};
use taffrail_syntax::ast::{self, StatementKind};
use taffrail_syntax::{ParseOptions, parse_batch_watched};
use taffrail_types::SqlType;
use taffrail_types::convert::Large;

/// Makes a module of statements.
pub(super) struct Compiler<'s> {
    pub(super) session: &'s Session,
    pub(super) home: &'s Arc<Database>,
    pub(super) lines: ast::LineIndex,
    pub(super) variables: Variables,
    pub(super) table_variables: Vec<TableVariable>,
    pub(super) temp_tables: Vec<Box<str>>,
    plans: u32,
    loops: u32,
    /// What its RETURN gives back.
    pub(super) returns: Returns,
    /// SET QUOTED_IDENTIFIER where the text runs.
    pub(super) quoted_identifier: bool,
    /// A statement of it changes the session's database, or that one's collation.
    pub(super) moves: bool,
    /// The text and its QUOTED_IDENTIFIER, where it is only looked for mistakes.
    pub(super) strict: Option<(Arc<str>, bool)>,
    pub(super) errors: Vec<SqlError>,
    /// Its text is one statement.
    alone: bool,
    /// A module's schema: names without one are looked up there first.
    pub(super) schema: Option<Box<str>>,
    /// The version of the types of users before any was looked up.
    types_version: u64,
    /// It names types of users.
    pub(super) names_types: bool,
    /// The client or the limit of memory has ended it: the only error says which.
    ended: bool,
}

/// The most statements may nest.
const MAX_NESTING: u32 = 120;

/// Compiles a batch.
pub fn batch(session: &Session, text: &Arc<str>) -> Result<Module, Vec<SqlError>> {
    let measured = Measured::begin();
    let parsed = parse(session, session.activation.options.quoted_identifier, text)?;
    let mut compiler = Compiler::new(session, &session.database, parsed.lines.clone());
    if let Some(on) = parsed.settings.quoted_identifier {
        compiler.quoted_identifier = on;
    }
    let mut module = compiler.module(parsed.statements, text.clone(), Vec::new());
    module.quoted_identifier = parsed.settings.quoted_identifier;
    module.parse_only = parsed.settings.parse_only;
    module.bytes = measured.taken() + text.len();
    Ok(module)
}

/// Compiles a text with parameter declarations (`sp_executesql`, `sp_prepare`).
pub(crate) fn parameterised(
    session: &Session,
    text: &Arc<str>,
    declarations: &str,
) -> Result<Module, Vec<SqlError>> {
    let measured = Measured::begin();
    let declared = super::declarations::declarations(declarations)?;
    let parsed = parse(session, session.activation.options.quoted_identifier, text)?;
    let mut compiler = Compiler::new(session, &session.database, parsed.lines.clone());
    let mut parameters = Vec::new();
    for (p, ordinal) in declared.iter().zip(1..) {
        parameters.push(compiler.parameter(p, ordinal, 1).map_err(|e| vec![*e])?);
    }
    let mut module = compiler.module(parsed.statements, text.clone(), parameters);
    module.declarations = declarations.into();
    module.quoted_identifier = parsed.settings.quoted_identifier;
    module.bytes = measured.taken() + text.len();
    Ok(module)
}

/// Compiles a text of the server's own, with variables.
pub fn with_variables(
    session: &Session,
    home: &Arc<Database>,
    text: &Arc<str>,
    variables: Variables,
) -> Result<Module, Vec<SqlError>> {
    let parsed = parse(session, true, text)?;
    let mut compiler = Compiler::new(session, home, parsed.lines.clone());
    compiler.variables = variables;
    let module = compiler.module(parsed.statements, text.clone(), Vec::new());
    match module.errors.is_empty() {
        true => Ok(module),
        false => Err(module.errors),
    }
}

pub(super) fn parse(
    session: &Session,
    quoted_identifier: bool,
    text: &str,
) -> Result<ast::Batch, Vec<SqlError>> {
    let options = ParseOptions { quoted_identifier };
    parse_batch_watched(text, options, session).map_err(|e| e.errors)
}

impl<'s> Compiler<'s> {
    pub(super) fn new(
        session: &'s Session,
        home: &'s Arc<Database>,
        lines: ast::LineIndex,
    ) -> Compiler<'s> {
        Compiler {
            session,
            home,
            lines,
            variables: Variables::default(),
            table_variables: Vec::new(),
            temp_tables: Vec::new(),
            plans: 0,
            loops: 0,
            returns: Returns::Nothing,
            quoted_identifier: session.activation.options.quoted_identifier,
            moves: false,
            strict: None,
            errors: Vec::new(),
            alone: false,
            ended: false,
            schema: None,
            types_version: home.catalog.types_version(session.id),
            names_types: false,
        }
    }

    pub(super) fn module(
        mut self,
        statements: Vec<ast::Statement>,
        text: Arc<str>,
        parameters: Vec<Parameter>,
    ) -> Module {
        self.alone = statements.len() == 1;
        self.moves = moves(&statements);
        let statements = self.list(statements, 0);
        if self.ended {
            self.errors.truncate(1);
        }
        Module {
            bytes: 0,
            text,
            declarations: "".into(),
            lines: self.lines,
            statements,
            variables: self.variables,
            table_variables: self.table_variables,
            temp_tables: self.temp_tables,
            parameters,
            name: None,
            is_function: false,
            encrypted: false,
            object_id: 0,
            execute_as: None,
            trigger: None,
            ddl: None,
            quoted_identifier: None,
            ansi_nulls: None,
            parse_only: None,
            database: None,
            schema: None,
            moves: self.moves,
            types: self.names_types.then(|| (self.home.clone(), self.types_version)),
            shared: (0..self.plans).map(|_| Variants::default()).collect(),
            compiled: CompiledUnder::now(self.session, self.home.id),
            ran: Tally::default(),
            uses: AtomicU64::new(0),
            handle: OnceLock::new(),
            errors: self.errors,
        }
    }

    pub(super) fn default_of(&mut self, p: &ast::Parameter, out: &mut Parameter) -> SqlResult<()> {
        if let Some(e) = &p.default {
            let metadata = SessionMetadata::new(self.session, self.home, &[]);
            let none = Variables::default();
            let mut binder = Binder::new(&metadata, &none, &self.lines);
            let bound = binder.bind_scalar(e)?;
            let value = match &bound.expr {
                crate::plan::expr::Expr::Const(v) if bound.untyped => v.clone(),
                // The options are part of the key that the module is kept under.
                crate::plan::expr::Expr::Const(v) => taffrail_types::convert::cast_with(
                    v,
                    bound.ty,
                    out.ty,
                    None,
                    taffrail_types::Conversion::Implicit,
                    &self.session.convert_context(),
                )?,
                // What an @@variable says is asked for by each call.
                _ => {
                    let expr = binder.cast_to(bound, out.ty)?;
                    out.default = Some(Default::Global(Arc::new(expr)));
                    return Ok(());
                }
            };
            out.default = Some(Default::Value(value));
        }
        Ok(())
    }

    fn list(&mut self, statements: Vec<ast::Statement>, depth: u32) -> Vec<Stmt> {
        statements.into_iter().filter_map(|s| self.statement(s, depth)).collect()
    }

    /// A statement; errors are kept, so that a client hears all of them.
    fn statement(&mut self, s: ast::Statement, depth: u32) -> Option<Stmt> {
        let line = self.lines.line_of(s.span.start);
        let span = s.span;
        let plan = self.plans;
        if self.ended {
            return None;
        }
        if let Err(e) = self.session.check_compiling(0) {
            self.ended = true;
            self.errors = vec![*e];
            return None;
        }
        self.look_for_undeclared(&s);
        match self.kind(s, depth) {
            Ok(kind) => {
                let visible = self.variables.list.len() as u32;
                Some(Stmt { line, span, visible, plan, kind })
            }
            Err(e) => {
                self.errors.push(*e.with_line(line));
                None
            }
        }
    }

    pub(super) fn new_plan(&mut self) -> u32 {
        self.plans += 1;
        self.plans - 1
    }

    fn boxed(&mut self, s: ast::Statement, depth: u32) -> SqlResult<Box<Stmt>> {
        let line = self.lines.line_of(s.span.start);
        let span = s.span;
        let kind = || StmtKind::Block(Vec::new());
        let nothing = || Stmt { line, span, visible: 0, plan: 0, kind: kind() };
        Ok(Box::new(self.statement(s, depth).unwrap_or_else(nothing)))
    }

    fn kind(&mut self, s: ast::Statement, depth: u32) -> SqlResult<StmtKind> {
        use StatementKind as K;
        if depth > MAX_NESTING {
            return Err(SqlError::new(191, &[]));
        }
        let d = depth + 1;
        Ok(match s.kind {
            K::Select(q) => {
                if let Some(into) = &q.query.body.first_block().into {
                    self.makes_temp_table(into)?;
                }
                self.new_plan();
                StmtKind::Select(q)
            }
            K::Insert(mut i) => {
                self.new_plan();
                if let ast::InsertSource::Execute(e) = &mut i.source {
                    if e.results.is_some() {
                        return Err(SqlError::new(102, &[&"RESULT"]));
                    }
                    let e = (**e).clone();
                    let e = self.execute(e)?;
                    return Ok(StmtKind::InsertExec(i, Box::new(e)));
                }
                crate::binder::MergeStatement::within(&mut i);
                StmtKind::Insert(i)
            }
            K::Update(u) => {
                self.new_plan();
                StmtKind::Update(u)
            }
            K::Delete(d) => {
                self.new_plan();
                StmtKind::Delete(d)
            }
            K::Declare(list) => return self.declare(list, self.lines.line_of(s.span.start)),
            K::SetVariable(set) => self.set_variable(*set)?,
            K::SetOption(o) => {
                stands_alone(&o, self.alone && !self.returns.in_module() && depth == 0)?;
                self.set_option(*o)?
            }
            K::Block(list) => StmtKind::Block(self.list(list, d)),
            K::If(i) => {
                let i = *i;
                let cond = self.condition(i.condition)?;
                let then = self.boxed(i.then, d)?;
                StmtKind::If(cond, then, self.list(i.otherwise, d))
            }
            K::While(w) => {
                let w = *w;
                let cond = self.condition(w.condition)?;
                self.loops += 1;
                let body = self.boxed(w.body, d);
                self.loops -= 1;
                StmtKind::While(cond, body?)
            }
            K::Break if self.loops > 0 => StmtKind::Break,
            K::Break => return Err(SqlError::new(135, &[])),
            K::Continue if self.loops > 0 => StmtKind::Continue,
            K::Continue => return Err(SqlError::new(136, &[])),
            K::TryCatch(t) => StmtKind::TryCatch(self.list(t.body, d), self.list(t.catch, d)),
            K::Return(None) if matches!(self.returns, Returns::Value(_)) => {
                return Err(SqlError::new(1075, &[]));
            }
            K::Return(None) => StmtKind::Return(None),
            K::Return(Some(e)) if takes_value(&e) => return Err(SqlError::new(11719, &[])),
            K::Return(Some(e)) => match self.returns {
                Returns::Nothing | Returns::Table => return Err(SqlError::new(178, &[])),
                Returns::Status => StmtKind::Return(Some(self.code(*e, Some(SqlType::Int))?)),
                Returns::Value(to) => StmtKind::Result(self.code_for(*e, Some(to))?),
            },
            K::Goto(label) => StmtKind::Goto(label.value),
            K::Label(label) => StmtKind::Label(label.value),
            K::WaitFor(w) => StmtKind::WaitFor { until: w.until, value: self.code(w.value, None)? },
            K::Print(e) if query_in(&e, false) => return Err(SqlError::new(1046, &[])),
            K::Print(e) if takes_value(&e) => return Err(SqlError::new(11738, &[])),
            K::Print(e) => StmtKind::Print(self.code(*e, None)?),
            K::RaisError(r) => {
                let r = *r;
                StmtKind::RaisError {
                    message: self.code(r.message, None)?,
                    severity: self.code(r.severity, Some(SqlType::Int))?,
                    state: self.code(r.state, Some(SqlType::Int))?,
                    arguments: r
                        .arguments
                        .into_iter()
                        .map(|e| self.code(e, None))
                        .collect::<SqlResult<_>>()?,
                    log: r.log,
                    nowait: r.nowait,
                    set_error: r.set_error,
                }
            }
            K::Throw(None) => StmtKind::Throw(None),
            K::Throw(Some(t)) => {
                let t = *t;
                let text = SqlType::NVarChar(taffrail_types::MaxLen::N(2048));
                StmtKind::Throw(Some(Box::new((
                    self.code(t.number, Some(SqlType::Int))?,
                    self.code(t.message, Some(text))?,
                    self.code(t.state, Some(SqlType::Int))?,
                ))))
            }
            K::Execute(e) => StmtKind::Execute(Box::new(self.execute(*e)?)),
            K::BeginTransaction(b) => {
                if b.distributed {
                    return Err(unsupported("BEGIN DISTRIBUTED TRANSACTION"));
                }
                let text = SqlType::NVarChar(taffrail_types::MaxLen::N(255));
                let described =
                    |e: Option<ast::Expr>| e.map(|e| self.code(e, Some(text))).transpose();
                let mark = b.mark.map(described).transpose()?;
                StmtKind::Begin(b.name.map(|n| self.name(n)).transpose()?, mark)
            }
            K::Commit(c) => StmtKind::Commit(c.delayed_durability),
            K::Rollback(r) => StmtKind::Rollback(r.name.map(|n| self.name(n)).transpose()?),
            K::SaveTransaction(n) => StmtKind::Save(self.name(*n)?),
            K::Use(_) if self.returns.in_module() => {
                let places = "a procedure, function or trigger";
                return Err(SqlError::new(154, &[&"a USE database statement", &places]));
            }
            K::Use(name) => StmtKind::Use(name.value),
            K::Kill(k) => StmtKind::Kill(self.code(k.target, None)?, k.status_only),
            K::Checkpoint(seconds) => {
                StmtKind::Checkpoint(seconds.map(|e| self.code(*e, None)).transpose()?)
            }
            K::Unsupported(u) => StmtKind::Unsupported((&*u.what).into()),
            K::Merge(m) => {
                self.new_plan();
                StmtKind::Merge(Box::new(crate::binder::MergeStatement::new(*m)))
            }
            K::DeclareCursor(d) => {
                self.new_plan();
                let text = super::cursor::text(&d.name.value, false, d.definition)?;
                StmtKind::DeclareCursor(Arc::new(text))
            }
            K::OpenCursor(c) => StmtKind::OpenCursor(self.cursor(*c)?),
            K::CloseCursor(c) => StmtKind::CloseCursor(self.cursor(*c)?),
            K::DeallocateCursor(c) => StmtKind::DeallocateCursor(self.cursor(*c)?),
            K::Fetch(f) => StmtKind::Fetch(Box::new(self.fetch(*f)?)),
            K::Drop(drop) if drop.names.len() > 1 && drop.kind != ast::DropKind::Database => {
                StmtKind::Block(self.list(drop.one_each(s.span), d))
            }
            kind => {
                if let K::CreateTable(t) = &kind {
                    self.makes_temp_table(&t.name)?;
                }
                self.new_plan();
                match features::statement(kind.words()) {
                    None => StmtKind::Unsupported(kind.words().into()),
                    Some(found) => {
                        StmtKind::Registered(found, Box::new(ast::Statement { span: s.span, kind }))
                    }
                }
            }
        })
    }

    fn name(&self, n: ast::TransactionName) -> SqlResult<NameCode> {
        Ok(match n.name {
            ast::NameOrVariable::Name(n) => NameCode::Name(n.value),
            ast::NameOrVariable::Variable(v) => NameCode::Var(self.variables.scalar(&v.value)?.0),
        })
    }

    fn declare(&mut self, list: Vec<ast::Declaration>, line: u32) -> SqlResult<StmtKind> {
        let mut out = Vec::new();
        for d in list {
            match d.kind {
                ast::DeclarationKind::Scalar { ty, .. } if declared::large(&ty) == Large::Old => {
                    return Err(SqlError::new(2739, &[]));
                }
                ast::DeclarationKind::Scalar { ty, value } => {
                    let named = self.named_type(&ty, 1);
                    let named =
                        named.map_err(|e| declared::named_too_wide(e, &ty, &d.name.value))?;
                    if let Some(of) = &named.table {
                        out.push(self.declare_of_type(&d.name, of, value, line)?);
                        continue;
                    }
                    // The name counts from here on, its own first value included.
                    let at = self.variables.declare(&d.name.value, Some(named.declared.ty))?;
                    let variable = &mut self.variables.list[at as usize];
                    variable.large = named.declared.large();
                    variable.user_type = named.user_type;
                    if let Some(e) = value {
                        let to = self.variables.declared(at);
                        out.push(DeclaredVariable::Value(at, self.code_for(e, Some(to))?));
                    }
                }
                ast::DeclarationKind::Table(body) => {
                    let var = self.variables.declare(&d.name.value, None)?;
                    out.push(DeclaredVariable::Table(self.table_variables.len() as u32));
                    self.table_variables.push(TableVariable { var, body: *body, line, of: None });
                }
                ast::DeclarationKind::Cursor => {
                    self.variables.declare_cursor(&d.name.value)?;
                }
            }
        }
        Ok(StmtKind::Declare(out))
    }

    fn set_variable(&mut self, set: ast::SetVariable) -> SqlResult<StmtKind> {
        let value = match set.value {
            ast::SetValue::Expr(value) => value,
            ast::SetValue::Cursor(definition) => {
                return self.new_cursor(set.variable, *definition);
            }
        };
        if let Some(statement) = self.set_cursor(&set.variable, &value)? {
            return Ok(statement);
        }
        let (at, _) = self.variables.assigned(&set.variable.value)?;
        let value = match set.op.operator() {
            None => value,
            Some(op) => {
                let span = value.span;
                let left = ast::Expr { span, kind: ast::ExprKind::Variable(set.variable) };
                let binary = ast::Binary { op, left, right: value };
                ast::Expr { span, kind: ast::ExprKind::Binary(Box::new(binary)) }
            }
        };
        let to = self.variables.declared(at);
        Ok(StmtKind::Set(at, self.code_for(value, Some(to))?))
    }

    fn set_option(&mut self, o: ast::SetOptionStatement) -> SqlResult<StmtKind> {
        Ok(match o {
            ast::SetOptionStatement::Switch { options, on } => StmtKind::SetSwitches(options, on),
            ast::SetOptionStatement::IdentityInsert { table, on } => {
                StmtKind::SetIdentityInsert(table, on)
            }
            ast::SetOptionStatement::Isolation(level) => StmtKind::SetIsolation(level),
            ast::SetOptionStatement::Value { option, value } => {
                StmtKind::SetValue(option, self.code(value, None)?)
            }
        })
    }

    fn execute(&mut self, e: ast::Execute) -> SqlResult<Execute> {
        if e.at.is_some() {
            return Err(unsupported("EXEC AT"));
        }
        if e.run_as.is_some() {
            return Err(unsupported("EXEC AS"));
        }
        let (recompile, results) = (e.recompile, self.result_sets(e.results)?);
        let status = match &e.return_variable {
            None => None,
            Some(v) => Some(self.variables.scalar(&v.value)?.0),
        };
        let target = match e.target {
            // Of procedures of one name there is the first.
            ast::ExecTarget::Procedure(name, Some(number)) if number != 1 => {
                return Err(SqlError::new(2812, &[&name]).with_state(62));
            }
            ast::ExecTarget::Procedure(name, _) => ExecTarget::Procedure(name),
            ast::ExecTarget::Variable(v) => {
                ExecTarget::Variable(self.variables.scalar(&v.value)?.0)
            }
            ast::ExecTarget::String(mut text) => {
                let ty = SqlType::NVarChar(taffrail_types::MaxLen::Max);
                join_texts(&self.variables, &mut text);
                ExecTarget::Text(self.code(text, Some(ty))?)
            }
        };
        let mut arguments = Vec::new();
        let mut named = false;
        for a in e.arguments {
            if named && a.name.is_none() {
                return Err(SqlError::new(119, &[&(arguments.len() + 1)]));
            }
            named |= a.name.is_some();
            if let Some(table) = self.passed_table(&a.value).filter(|_| !a.output) {
                let name = a.name.map(|n| n.value);
                let (value, output, cursor) = (None, None, None);
                arguments.push(Argument { name, value, output, table: Some(table), cursor });
                continue;
            }
            if let Some(cursor) = self.passed_cursor(&a.value).filter(|_| a.output) {
                let name = a.name.map(|n| n.value);
                let (value, output, table) = (None, None, None);
                arguments.push(Argument { name, value, output, table, cursor: Some(cursor) });
                continue;
            }
            let output = match (&a.value.kind, a.output) {
                (_, false) => None,
                (ast::ExprKind::Variable(v), true) => Some(self.variables.scalar(&v.value)?.0),
                (_, true) => return Err(SqlError::new(179, &[])),
            };
            let value = match a.value.kind {
                ast::ExprKind::Default => None,
                _ => Some(self.code(a.value, None)?),
            };
            let name = a.name.map(|n| n.value);
            arguments.push(Argument { name, value, output, table: None, cursor: None });
        }
        Ok(Execute { status, target, arguments, recompile, results })
    }
}
