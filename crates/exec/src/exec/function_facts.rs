//! What is known of a function by its text: whether equal arguments give equal results, whether it computes with floats, what it reads, and
//! the objects beneath it.

use super::definition::{CreatedUnder, procedure_for};
use super::interpret::source_of;
use super::metadata::SessionMetadata;
use super::module::{Code, Cond, DeclaredVariable, Module, Stmt, StmtKind};
use super::planning::{Source, bind};
use super::showplan::{unmade_parameters, unmade_tables};
use crate::binder::{Binder, Variable, Variables};
use crate::catalog::{self, FunctionFacts};
use crate::database::Database;
use crate::functions::Determinism;
use crate::plan::change::InsertRows;
use crate::plan::expr::{Call, Cast, Expr, Part, has_user_call};
use crate::plan::facts::Need;
use crate::plan::node::{Agg, AggFunction};
use crate::plan::rel::{Rel, RowsetSource, Subqueries};
use crate::plan::statement::Statement;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{FunctionDefinition, LineIndex, ObjectName, ViewDefinition};
use taffrail_types::{Family, SqlType, Value};

/// Functions that SQL Server counts as not deterministic, beside those that come to other values by themselves: they go by the session's
/// language and settings.
const BY_SESSION: [&str; 9] = [
    "COMPRESS",
    "DATENAME",
    "FORMAT",
    "FORMATMESSAGE",
    "ISDATE",
    "PARSENAME",
    "SQL_VARIANT_PROPERTY",
    "TRY_PARSE",
    "PARSE",
];

/// Styles by which a text is a date, and a date a text, whatever the session's settings are.
const FIXED_STYLES: [i64; 18] =
    [20, 21, 101, 102, 103, 104, 105, 108, 110, 111, 112, 114, 120, 121, 126, 127, 130, 131];

/// What stands beneath a function.
#[derive(Default)]
pub struct Beneath {
    /// Of these: deterministic, imprecise, reads_data and reads_system.
    pub facts: FunctionFacts,
    /// The names of tables, views and functions, as they are written.
    pub names: Vec<ObjectName>,
    /// The objects that these stand for.
    pub needs: Vec<Need>,
    /// `*` stands for all columns of something.
    pub all_columns: bool,
    /// Something would come to another value where its text stood in place of a call: what tells of the moment, the session, the last
    /// statement or the catalogue, methods of xml, table variables, the call of another function in RETURN.
    pub stays: bool,
    /// The first mistake, where a statement cannot be bound.
    pub failed: Option<Box<SqlError>>,
}

/// The facts of an expression that reads columns of its row.
pub fn facts_of(e: &Expr) -> FunctionFacts {
    let mut beneath = Beneath::new();
    beneath.part(Part::Expr(e));
    beneath.facts
}

impl Beneath {
    fn new() -> Beneath {
        let facts = FunctionFacts { deterministic: true, ..FunctionFacts::default() };
        Beneath { facts, ..Beneath::default() }
    }

    fn ty(&mut self, ty: SqlType) {
        self.facts.imprecise |= matches!(ty, SqlType::Float | SqlType::Real);
    }

    fn call(&mut self, c: &Call) {
        let name = c.function.name();
        let part = c.function.datepart.map(|p| p.name());
        self.facts.deterministic &= match name {
            // Of these some calls alone go by the session: by its DATEFIRST, by its seed.
            "DATEPART" => !part.is_some_and(|p| matches!(p, "weekday" | "week")),
            "RAND" => !c.args.is_empty(),
            _ => {
                let fixed = c.function.determinism() == Determinism::Deterministic;
                fixed && !BY_SESSION.contains(&name)
            }
        };
        let catalogue = crate::functions::reads_catalogue(name);
        self.facts.reads_system |= catalogue;
        let is_method = c.function.is_of_xml();
        self.stays |= catalogue || is_method;
        self.stays |= c.function.determinism() != Determinism::Deterministic;
        c.function.params.iter().chain([&c.function.result]).for_each(|ty| self.ty(*ty));
    }

    fn cast(&mut self, c: &Cast) {
        self.ty(c.from);
        self.ty(c.to);
        let date = |ty: SqlType| matches!(ty.family(), Family::NewDate | Family::OldDate);
        let between = |a: SqlType, b: SqlType| a.is_text() && date(b);
        if between(c.from, c.to) || between(c.to, c.from) {
            let style = c.style.as_ref().and_then(|s| s.constant()).and_then(Value::as_i64);
            let fixed = style.is_some_and(|s| FIXED_STYLES.contains(&s));
            self.facts.deterministic &= fixed;
        }
        self.facts.deterministic &= c.from != SqlType::Variant;
    }

    /// What a function beneath is, this one is not less.
    fn function(&mut self, beneath: &FunctionFacts) {
        let bound = beneath.schema_bound;
        self.facts.deterministic &= bound && beneath.deterministic;
        self.facts.imprecise |= beneath.imprecise;
        self.facts.reads_data |= !bound || beneath.reads_data;
        self.facts.reads_system |= !bound || beneath.reads_system;
    }

    fn part(&mut self, part: Part<'_>) {
        match part {
            Part::Expr(e) => {
                match e {
                    Expr::Const(Value::Float(_) | Value::Real(_)) => self.facts.imprecise = true,
                    Expr::Global(_) | Expr::Named(_) => {
                        self.facts.deterministic = false;
                        self.stays = true;
                    }
                    Expr::Call(c) => self.call(c),
                    Expr::Cast(c) => self.cast(c),
                    Expr::UserCall(c) => self.function(&c.function.module.facts),
                    _ => {}
                }
                e.children(&mut |p| self.part(p));
            }
            Part::Pred(p) => p.children(&mut |p| self.part(p)),
            Part::Plan(_) => {}
        }
    }

    fn rel(&mut self, rel: &Rel) {
        rel.visit(&mut |r| {
            match r {
                Rel::Get(g) => {
                    let own = g.table.database.holds_table_variables();
                    self.facts.reads_data |= !own;
                    self.stays |= own;
                }
                Rel::Rowset(r) => match &r.of.source {
                    RowsetSource::Function(f) => self.function(&f.facts),
                    // Those with arguments make their rows of these.
                    RowsetSource::View(v) => {
                        self.facts.reads_system |= v.arguments.is_none();
                        self.stays = true;
                    }
                    _ => self.stays = true,
                },
                Rel::Group(g) => {
                    let text = |a: &Agg| a.function == AggFunction::StringAgg;
                    self.stays |= g.aggs.iter().any(text);
                }
                _ => {}
            }
            r.parts(&mut |p| self.part(p));
        });
    }

    fn statement(&mut self, statement: &Statement<Rel>, subqueries: &Subqueries) {
        let mut values: Vec<&Expr> = Vec::new();
        match statement {
            Statement::Select(s, _) => {
                self.rel(&s.plan.node);
                values.extend(s.assign.iter().map(|(_, e)| e));
            }
            Statement::Insert(i) => match &i.rows {
                InsertRows::Query(q) => self.rel(&q.node),
                InsertRows::Values(rows) => values.extend(rows.iter().flatten().flatten()),
                InsertRows::External => {}
            },
            Statement::Update(u) => {
                self.rel(&u.node);
                values.extend(u.set.iter().flat_map(|a| a.exprs()));
            }
            Statement::Delete(d) => self.rel(&d.node),
            // Not looked into: nothing is promised of it.
            Statement::Merge(m) => {
                self.rel(&m.node);
                self.facts.deterministic = false;
            }
            Statement::Scalar(e, _) => values.push(e),
            Statement::Condition(p) => self.part(Part::Pred(p)),
        }
        values.into_iter().for_each(|e| self.part(Part::Expr(e)));
        subqueries.iter().for_each(|s| self.rel(&s.rel));
    }

    /// Takes over what the binder has noted of a statement.
    fn noted(&mut self, binder: &mut Binder<'_>) {
        let types = (0..).map_while(|slot| binder.columns.get(slot)).map(|c| c.ty.ty);
        types.for_each(|ty| self.ty(ty));
        let facts = std::mem::take(&mut binder.facts);
        self.names.extend(facts.names);
        self.needs.extend(facts.needs);
        self.all_columns |= facts.all_columns;
    }
}

/// A function whose statements are looked through.
struct Walk<'a> {
    session: &'a Session,
    home: &'a Arc<Database>,
    module: &'a Module,
    beneath: Beneath,
}

impl Walk<'_> {
    fn list(&mut self, statements: &[Stmt]) -> SqlResult<()> {
        statements.iter().try_for_each(|s| self.one(s))
    }

    fn one(&mut self, s: &Stmt) -> SqlResult<()> {
        match &s.kind {
            StmtKind::Block(list) => self.list(list),
            StmtKind::If(condition, then, others) => {
                self.condition(s, condition)?;
                self.one(then)?;
                self.list(others)
            }
            StmtKind::While(condition, body) => {
                self.condition(s, condition)?;
                self.one(body)
            }
            StmtKind::Set(_, code) => self.code(s, code),
            StmtKind::Result(code) => {
                self.beneath.stays |= self.beneath.failed.is_some();
                self.code(s, code)?;
                self.beneath.stays |= self.beneath.failed.is_some() || calls(code);
                Ok(())
            }
            StmtKind::Declare(list) => {
                list.iter().filter_map(DeclaredVariable::value).try_for_each(|c| self.code(s, c))
            }
            _ => source_of(s).map_or(Ok(()), |source| self.source(s, &source)),
        }
    }

    fn code(&mut self, s: &Stmt, code: &Code) -> SqlResult<()> {
        match code {
            Code::Ready(e, _) => {
                self.beneath.part(Part::Expr(e));
                Ok(())
            }
            Code::Lazy(e, _, to) => self.source(s, &Source::Scalar(e, *to)),
        }
    }

    fn condition(&mut self, s: &Stmt, condition: &Cond) -> SqlResult<()> {
        match condition {
            Cond::Ready(p) => {
                self.beneath.part(Part::Pred(p));
                Ok(())
            }
            Cond::Lazy(e, _) => self.source(s, &Source::Condition(e)),
        }
    }

    fn source(&mut self, s: &Stmt, source: &Source<'_>) -> SqlResult<()> {
        let tables = unmade_tables(self.session, self.module, s.visible)?;
        let metadata = SessionMetadata::new(self.session, self.home, &[])
            .of_module(self.module)
            .with_unmade(&tables);
        let list = self.module.variables.list.get(..s.visible as usize).unwrap_or_default();
        let variables = Variables { list: list.to_vec() };
        let mut binder = Binder::new(&metadata, &variables, &self.module.lines);
        let bound = bind(&mut binder, source);
        self.beneath.noted(&mut binder);
        match bound {
            Ok(bound) => self.beneath.statement(&bound, &binder.subqueries),
            Err(e) => {
                self.beneath.failed.get_or_insert(e.with_line(s.line));
            }
        }
        Ok(())
    }
}

/// Whether an expression calls a user's function. One with a query is not looked into: a call within it is one of the query.
fn calls(code: &Code) -> bool {
    match code {
        Code::Ready(e, _) => has_user_call(Part::Expr(e)),
        Code::Lazy(e, ..) => !super::query_in::query_in(e, false) && super::query_in::has_query(e),
    }
}

/// What stands beneath a function of statements that this text makes under the session's options; `head` is its name and, where it is not
/// dbo, its schema.
pub fn of_text(
    session: &Session,
    home: &Arc<Database>,
    text: &Arc<str>,
    head: (&str, Option<&str>),
) -> SqlResult<Beneath> {
    let options = &session.activation.options;
    let (quoted_identifier, ansi_nulls) = (options.quoted_identifier, options.ansi_nulls);
    let under = CreatedUnder { quoted_identifier, ansi_nulls };
    let module = procedure_for(session, home, text, under, head, 0, false);
    let module = module.map_err(|mut errors| Box::new(errors.remove(0)))?;
    of_module(session, home, &module)
}

fn of_module(session: &Session, home: &Arc<Database>, module: &Module) -> SqlResult<Beneath> {
    let mut beneath = Beneath::new();
    module.variables.list.iter().filter_map(|v| v.ty).for_each(|ty| beneath.ty(ty));
    let mut walk = Walk { session, home, module, beneath };
    walk.list(&module.statements)?;
    session.lookups.failed_views.take();
    Ok(walk.beneath)
}

/// The objects and facts beneath a function or view of the catalogue.
pub(crate) fn of_function(
    session: &Session,
    home: &Arc<Database>,
    function: &catalog::Module,
) -> SqlResult<Beneath> {
    if function.head.kind == catalog::ObjectKind::View {
        let definition = super::user_views::definition(function)?;
        let head = (function.head.id, &*function.head.schema);
        return of_view(session, home, head, &definition, &function.definition);
    }
    if function.head.kind != catalog::ObjectKind::InlineFunction {
        let module = session.procedure_module(home, function)?;
        return of_module(session, home, &module);
    }
    let definition = super::user_views::function_definition(function)?;
    let head = (function.head.id, &*function.head.schema);
    of_query(session, home, head, &definition, &function.parameters, &function.definition)
}

/// What stands beneath an inline function of this id and schema.
pub fn of_query(
    session: &Session,
    home: &Arc<Database>,
    (id, schema): (ObjectId, &str),
    definition: &FunctionDefinition,
    parameters: &[catalog::Parameter],
    text: &str,
) -> SqlResult<Beneath> {
    let lines = LineIndex::new(text);
    let variable = |p: &catalog::Parameter| Variable {
        name: p.name.to_string(),
        ty: (!p.readonly).then_some(p.ty),
        large: p.large,
        user_type: p.user_type,
        readonly: p.readonly,
        cursor: false,
    };
    let variables = Variables { list: parameters.iter().map(variable).collect() };
    let tables = unmade_parameters(session, home, parameters)?;
    let metadata = SessionMetadata::new(session, home, &[]).with_unmade(&tables);
    metadata.as_view(home, schema);
    let mut binder = Binder::new(&metadata, &variables, &lines);
    let bound = binder.bind_inline((home.id, id), definition).map(|b| b.rel);
    Ok(beneath_query(session, &mut binder, bound))
}

/// The objects and facts of a query that has been bound, or could not be.
fn beneath_query(session: &Session, binder: &mut Binder<'_>, bound: SqlResult<Rel>) -> Beneath {
    let mut beneath = Beneath::new();
    beneath.noted(binder);
    match bound {
        Ok(rel) => {
            beneath.rel(&rel);
            binder.subqueries.iter().for_each(|s| beneath.rel(&s.rel));
        }
        Err(e) => beneath.failed = Some(e),
    }
    session.lookups.failed_views.take();
    beneath
}

/// The objects and facts beneath a view of this id and schema.
pub fn of_view(
    session: &Session,
    home: &Arc<Database>,
    (id, schema): (ObjectId, &str),
    definition: &ViewDefinition,
    text: &str,
) -> SqlResult<Beneath> {
    let lines = LineIndex::new(text);
    let none = Variables::default();
    let metadata = SessionMetadata::new(session, home, &[]);
    metadata.as_view(home, schema);
    let mut binder = Binder::new(&metadata, &none, &lines);
    let bound = binder.bind_view((home.id, id), definition).map(|b| b.rel);
    Ok(beneath_query(session, &mut binder, bound))
}

/// The object that keeps another one, or one of its columns (by position), as it is: the oldest function or view that is schema-bound to
/// it, or a constraint that calls it.
pub fn bound_to(
    session: &Session,
    home: &Arc<Database>,
    id: ObjectId,
    column: Option<usize>,
) -> SqlResult<Option<Arc<str>>> {
    let all = home.catalog.objects(session.id);
    let head = all.iter().find(|o| o.head().id == id).map(|o| o.head());
    let Some(head) = head else { return Ok(None) };
    let written = format!("[{}].[{}](", head.schema, head.name).to_lowercase();
    let mut users: Vec<&catalog::ObjectHead> = Vec::new();
    for object in all.iter().filter(|o| o.head().id != id) {
        let uses = match object {
            catalog::Object::Function(m) | catalog::Object::View(m) if m.facts.schema_bound => {
                let beneath = of_function(session, home, m)?;
                let of_column =
                    |n: &Need| column.is_none_or(|at| n.columns.iter().any(|c| c.0 == at));
                beneath.needs.iter().any(|n| n.object.object == id && of_column(n))
            }
            catalog::Object::Constraint(c) => {
                head.kind.is_function() && c.definition.to_lowercase().contains(&written)
            }
            catalog::Object::Table(t) if head.kind.is_function() => {
                let mut computed = t.columns.iter().filter_map(|c| c.computed.as_ref());
                computed.any(|c| c.definition.to_lowercase().contains(&written))
            }
            catalog::Object::Policy(p) => p.predicates.iter().any(|p| {
                let of_column = |at: usize| {
                    let table = all.iter().find(|o| o.head().id == p.table);
                    let c = table.and_then(|t| t.columns().get(at));
                    c.is_some_and(|c: &catalog::Column| p.columns.contains(&c.id))
                };
                // A table stays whatever the policy is bound to: its predicates are of no other one.
                let table = p.table == id && column.is_none_or(of_column);
                table || p.function == id && p.schema_bound
            }),
            _ => false,
        };
        if uses {
            users.push(object.head());
        }
    }
    let age = |h: &&catalog::ObjectHead| match h.created {
        Value::DateTime { days, ticks } => (days, ticks, h.id),
        _ => (0, 0, h.id),
    };
    Ok(users.into_iter().min_by_key(age).map(|h| h.name.clone()))
}
