//! What a text would send and what it wants, told without running it: sp_describe_first_result_set and its views,
//! sp_describe_undeclared_parameters.
//!
//! The text is compiled and its statements are bound one after the other until one sends rows. A variable that nobody declares
//! is bound as a value of any type; what it is brought to is what it is asked to be ([`Wanted`]).

use crate::binder::{Binder, Variable, Variables, Wanted};
use crate::catalog::Table;
use crate::database::Database;
use crate::exec::compile;
use crate::exec::interpret::source_of;
use crate::exec::metadata::SessionMetadata;
use crate::exec::module::{Code, ExecTarget, Execute, Module, Stmt, StmtKind};
use crate::exec::planning::Source;
use crate::exec::procedure::{Callee, Home};
use crate::exec::result_sets::{DeclaredResult, object_columns, type_columns};
use crate::exec::showplan::{unmade_of_type, unmade_tables};
use crate::plan::change::{ColumnSource, InsertPlan, InsertRows, OutputPlan, UpdatePlan};
use crate::plan::expr::Expr;
use crate::plan::rel::Rel;
use crate::session::Session;
use crate::sink::ColumnDesc;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::convert::Large;
use taffrail_types::{Collation, SqlType};

/// A type that a parameter is asked to have, with its name where that is not its own (text, xml).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Suggested {
    pub ty: SqlType,
    pub name: &'static str,
}

impl Suggested {
    fn of(ty: SqlType) -> Suggested {
        Suggested { ty, name: ty.name() }
    }
}

/// A text that is described.
pub(super) struct Description {
    module: Arc<Module>,
    home: Arc<Database>,
    /// Names of variables that nobody declares.
    pub undeclared: Vec<String>,
    /// How often each stands in the text; never when it is but the name of an argument.
    pub uses: Vec<usize>,
    /// What they are asked to be, as far as has been bound.
    pub suggested: Vec<Option<Suggested>>,
    /// The procedure's name for the parameter that takes it.
    pub formal: Vec<Option<Arc<str>>>,
    first: u32,
    /// Empty tables for the parameters of table types.
    tables: Vec<(String, Arc<Table>)>,
}

/// What a list of statements sends first.
enum Found {
    Nothing,
    Columns(Vec<ColumnDesc>),
    /// RETURN: nothing comes after it.
    End,
}

/// Modules that call each other are followed so deep.
const DEEPEST: u32 = 32;

impl Description {
    /// Compiles a text with declared parameters; the errors that keep it from being analysed.
    pub fn new(
        session: &Session,
        text: &str,
        declared: &str,
    ) -> Result<Description, Vec<SqlError>> {
        let parameters = compile::declare_list(session, declared)?;
        let home = session.database.clone();
        let of_tables = parameters.iter().filter_map(|p| Some((&*p.name, p.table.as_ref()?.id)));
        let tables = of_tables.map(|of| unmade_of_type(session, &home, of));
        let tables = tables.collect::<SqlResult<Vec<_>>>().map_err(|e| vec![*e])?;
        let text: Arc<str> = text.into();
        // Its own variables are known once it is compiled; what is missing then is told by nobody.
        let own = compile::batch(session, &text)?;
        let collation = Collation::default();
        let mut undeclared: Vec<String> = Vec::new();
        let mut uses: Vec<usize> = Vec::new();
        for name in variables_in(&text) {
            let known = |n: &str| collation.eq_str(n, name);
            if parameters.iter().any(|p| known(&p.name))
                || own.variables.list.iter().any(|v| known(&v.name))
            {
                continue;
            }
            match undeclared.iter().position(|u| known(u)) {
                Some(at) => uses[at] += 1,
                None => {
                    undeclared.push(name.into());
                    uses.push(1);
                }
            }
        }
        let declared = parameters.iter().map(|p| {
            let table = p.table.as_ref();
            Variable {
                name: p.name.to_string(),
                ty: table.is_none().then_some(p.ty),
                large: p.large,
                user_type: table.map_or(0, |t| t.id),
                readonly: table.is_some(),
                cursor: false,
            }
        });
        let wanted = undeclared.iter().map(|n| Variable {
            name: n.clone(),
            ty: Some(SqlType::Int),
            large: Large::Plain,
            user_type: 0,
            readonly: false,
            cursor: false,
        });
        let variables = Variables { list: declared.chain(wanted).collect() };
        let first = parameters.len() as u32;
        let module = compile::with_variables(session, &home, &text, variables)?;
        // The names of arguments are no variables.
        for (name, uses) in undeclared.iter().zip(&mut uses) {
            let named = named_arguments(&module.statements, &|n| collation.eq_str(n, name));
            *uses = uses.saturating_sub(named);
        }
        Ok(Description {
            module: Arc::new(module),
            home,
            suggested: vec![None; undeclared.len()],
            formal: vec![None; undeclared.len()],
            undeclared,
            uses,
            first,
            tables,
        })
    }

    /// The columns of the first result; none where nothing is sent.
    pub fn columns(&mut self, session: &Session) -> SqlResult<Option<Vec<ColumnDesc>>> {
        let module = self.module.clone();
        let mut walk =
            Walk { session, home: &self.home.clone(), module: &module, of: Some(self), depth: 0 };
        Ok(match walk.list(&module.statements)? {
            Found::Columns(columns) => Some(columns),
            _ => None,
        })
    }

    /// Binds all statements: what they ask of the undeclared is known then.
    pub fn ask(&mut self, session: &Session) -> SqlResult<()> {
        let module = self.module.clone();
        let mut walk =
            Walk { session, home: &self.home.clone(), module: &module, of: Some(self), depth: 0 };
        walk.all(&module.statements)
    }

    /// Notes what a variable is asked to be.
    fn note(&mut self, variable: u32, suggested: Suggested) {
        let at = variable.checked_sub(self.first).map(|n| n as usize);
        if let Some(slot @ None) = at.and_then(|n| self.suggested.get_mut(n)) {
            *slot = Some(suggested);
        }
    }
}

/// What a procedure sends first.
pub(super) fn of_procedure(
    session: &Session,
    procedure: &crate::catalog::Module,
) -> SqlResult<Option<Vec<ColumnDesc>>> {
    let home = &session.database;
    let module = session.procedure_module(home, procedure)?;
    let mut walk = Walk { session, home, module: &module, of: None, depth: 1 };
    Ok(match walk.list(&module.statements)? {
        Found::Columns(columns) => Some(columns),
        _ => None,
    })
}

/// The names of variables as they stand in a text, one for each time: not those with two `@`, nor what texts, comments and
/// delimited names hold.
fn variables_in(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let is_part = |c: char| c.is_alphanumeric() || "_@#$".contains(c);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skip = match c {
            '\'' | '"' => rest[1..].find(c).map_or(rest.len(), |n| n + 2),
            '[' => rest.find(']').map_or(rest.len(), |n| n + 1),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |n| n + 2),
            c if is_part(c) => {
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                let word = &rest[..end];
                if word.len() > 1 && word.starts_with('@') && !word.starts_with("@@") {
                    found.push(word);
                }
                end
            }
            c => c.len_utf8(),
        };
        rest = &rest[skip..];
    }
    found
}

/// How often a name is that of an argument (`EXEC p @name = …`).
fn named_arguments(list: &[Stmt], known: &dyn Fn(&str) -> bool) -> usize {
    let one = |s: &Stmt| match &s.kind {
        StmtKind::Execute(e) => {
            e.arguments.iter().filter(|a| a.name.as_deref().is_some_and(known)).count()
        }
        StmtKind::Block(list) => named_arguments(list, known),
        StmtKind::If(_, a, b) => {
            named_arguments(std::slice::from_ref(a), known) + named_arguments(b, known)
        }
        StmtKind::While(_, body) => named_arguments(std::slice::from_ref(body), known),
        StmtKind::TryCatch(a, b) => named_arguments(a, known) + named_arguments(b, known),
        _ => 0,
    };
    list.iter().map(one).sum()
}

/// A list of statements that is looked through.
struct Walk<'a> {
    session: &'a Session,
    home: &'a Arc<Database>,
    module: &'a Arc<Module>,
    /// The text itself; none inside a procedure that it calls.
    of: Option<&'a mut Description>,
    depth: u32,
}

impl Walk<'_> {
    fn list(&mut self, list: &[Stmt]) -> SqlResult<Found> {
        for s in list {
            match self.statement(s)? {
                Found::Nothing => {}
                found => return Ok(found),
            }
        }
        Ok(Found::Nothing)
    }

    /// Every statement, whatever comes before it.
    fn all(&mut self, list: &[Stmt]) -> SqlResult<()> {
        for s in list {
            match &s.kind {
                StmtKind::Block(list) => self.all(list)?,
                StmtKind::TryCatch(a, b) => {
                    self.all(a)?;
                    self.all(b)?;
                }
                StmtKind::If(_, a, b) => {
                    self.all(std::slice::from_ref(a))?;
                    self.all(b)?;
                }
                StmtKind::While(_, body) => self.all(std::slice::from_ref(body))?,
                StmtKind::Execute(e) => self.arguments(e)?,
                _ => {
                    if let Some(source) = source_of(s) {
                        self.bound(s, &source, false)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn text(&self, s: &Stmt) -> &str {
        self.module.shown().get(s.span.start as usize..s.span.end as usize).unwrap_or_default()
    }

    /// An error about a statement, with its procedure where it stands in one.
    fn about(&self, s: &Stmt, number: i32, in_procedure: i32) -> Box<SqlError> {
        let text = self.text(s);
        match &self.module.name {
            Some(name) => SqlError::new(in_procedure, &[&text, name]),
            None => SqlError::new(number, &[&text]),
        }
    }

    fn statement(&mut self, s: &Stmt) -> SqlResult<Found> {
        match &s.kind {
            StmtKind::Block(list) => self.list(list),
            StmtKind::TryCatch(body, catch) => match self.list(body)? {
                Found::Nothing => self.list(catch),
                found => Ok(found),
            },
            StmtKind::While(_, body) => self.statement(body),
            StmtKind::Return(_) | StmtKind::Result(_) => Ok(Found::End),
            StmtKind::If(_, then, others) => self.branches(then, others),
            StmtKind::Execute(e) => self.executed(s, e),
            // Its rows go into the table.
            StmtKind::InsertExec(..) | StmtKind::DeclareCursor(_) => Ok(Found::Nothing),
            _ => match source_of(s) {
                Some(source) => self.bound(s, &source, true),
                None => Ok(Found::Nothing),
            },
        }
    }

    /// IF with its ELSE IFs and ELSE: all branches that send something send the same.
    fn branches(&mut self, then: &Stmt, others: &[Stmt]) -> SqlResult<Found> {
        let mut sent: Option<(&Stmt, Vec<ColumnDesc>)> = None;
        let (mut ends, mut complete) = (true, false);
        for body in std::iter::once(then).chain(others) {
            // Another condition, or the last ELSE.
            let body = match &body.kind {
                StmtKind::If(_, inner, _) if !std::ptr::eq(body, then) => inner,
                _ => {
                    complete |= !std::ptr::eq(body, then);
                    body
                }
            };
            match (self.statement(body)?, &mut sent) {
                (Found::Columns(columns), None) => sent = Some((body, columns)),
                (Found::Columns(columns), Some((first, before))) => match alike(before, &columns) {
                    Some(both) => *before = both,
                    None => return Err(self.conflict(first, body)),
                },
                (Found::Nothing, _) => ends = false,
                (Found::End, _) => {}
            }
        }
        Ok(match sent {
            Some((_, columns)) => Found::Columns(columns),
            None if ends && complete => Found::End,
            None => Found::Nothing,
        })
    }

    fn conflict(&self, a: &Stmt, b: &Stmt) -> Box<SqlError> {
        let (left, right) = (self.text(a), self.text(b));
        match &self.module.name {
            Some(name) => SqlError::new(11512, &[&left, name, &right, name]),
            None => SqlError::new(11509, &[&left, &right]),
        }
    }

    /// A statement that needs tables: what it sends, where that is `asked`.
    fn bound(&mut self, s: &Stmt, source: &Source<'_>, asked: bool) -> SqlResult<Found> {
        let mut tables = unmade_tables(self.session, self.module, s.visible)?;
        tables.extend(self.of.iter().flat_map(|of| of.tables.iter().cloned()));
        let metadata = SessionMetadata::new(self.session, self.home, &[]).with_unmade(&tables);
        let list = self.module.variables.list.get(..s.visible as usize).unwrap_or_default();
        let variables = Variables { list: list.to_vec() };
        let mut binder = Binder::new(&metadata, &variables, &self.module.lines);
        if let Some(of) = &self.of {
            let last = of.first + of.undeclared.len() as u32;
            binder.wanted = Some(Wanted::new(of.first..last));
        }
        let (columns, assigned) = match bind(&mut binder, source) {
            Ok(found) => found,
            Err(e) => return Err(self.refused(s, e)),
        };
        let wanted = binder.wanted.take();
        let facts = std::mem::take(&mut binder.facts);
        drop(binder);
        self.session.allow_described(self.module, &facts)?;
        if let Some(columns) = columns.as_ref().filter(|_| asked)
            && self.depends_on_undeclared(&metadata, variables, source, columns)
        {
            return Err(SqlError::new(11521, &[&self.text(s)]));
        }
        if let Some(of) = self.of.as_deref_mut() {
            for (variable, suggested) in assigned {
                of.note(variable, suggested);
            }
            for (variable, ty) in wanted.map(Wanted::into_types).unwrap_or_default() {
                of.note(variable, Suggested::of(ty));
            }
        }
        Ok(columns.map_or(Found::Nothing, Found::Columns))
    }

    /// Whether the columns would be others if what nobody declares were of another type.
    fn depends_on_undeclared(
        &self,
        metadata: &SessionMetadata<'_>,
        mut variables: Variables,
        source: &Source<'_>,
        columns: &[ColumnDesc],
    ) -> bool {
        let Some(of) = &self.of else { return false };
        let undeclared = of.first..of.first + of.undeclared.len() as u32;
        if undeclared.is_empty() {
            return false;
        }
        for (n, v) in variables.list.iter_mut().enumerate() {
            if undeclared.contains(&(n as u32)) {
                v.ty = Some(SqlType::Date);
            }
        }
        let mut binder = Binder::new(metadata, &variables, &self.module.lines);
        binder.wanted = Some(Wanted::new(undeclared));
        match bind(&mut binder, source) {
            Ok((Some(others), _)) => columns.iter().zip(&others).any(|(a, b)| a.ty != b.ty),
            _ => true,
        }
    }

    /// Temp tables that only running makes.
    fn refused(&self, s: &Stmt, e: Box<SqlError>) -> Box<SqlError> {
        match e.number {
            208 if e.message.contains("'#") => self.about(s, 11525, 11526),
            _ => e,
        }
    }

    /// What EXEC runs.
    fn callee(&self, e: &Execute) -> SqlResult<Option<Callee>> {
        match &e.target {
            ExecTarget::Procedure(name) => {
                let database = name.database.as_ref().map(|d| &*d.value);
                let schema = name.schema.as_ref().map(|d| &*d.value);
                let session = self.session;
                let home = Home { database: self.home, schema: None };
                let found = session.find_procedure(database, schema, &name.name.value, home, name);
                found.map(Some)
            }
            ExecTarget::Text(_) | ExecTarget::Variable(_) => Ok(None),
        }
    }

    fn executed(&mut self, s: &Stmt, e: &Execute) -> SqlResult<Found> {
        let constant = |at: usize| match e.arguments.get(at).and_then(|a| a.value.as_ref()) {
            Some(Code::Ready(Expr::Const(v), _)) => v.as_text(),
            _ => None,
        };
        // The declaration of the caller decides.
        match e.results.as_deref() {
            Some([DeclaredResult::Columns(columns), ..]) => {
                return Ok(Found::Columns(columns.clone()));
            }
            Some([DeclaredResult::Object(name), ..]) => {
                let columns = object_columns(self.session, self.home, name)?;
                return Ok(Found::Columns(columns));
            }
            Some([DeclaredResult::Type(name), ..]) => {
                let columns = type_columns(self.session, self.home, name)?;
                return Ok(Found::Columns(columns));
            }
            Some([]) => return Ok(Found::Nothing),
            Some([DeclaredResult::ForXml, ..]) | None => {}
        }
        match self.callee(e)? {
            Some(Callee::User(database, procedure)) => {
                if self.depth >= DEEPEST {
                    return Ok(Found::Nothing);
                }
                let module = self.session.procedure_module(&database, &procedure)?;
                let depth = self.depth + 1;
                let mut inside = Walk {
                    session: self.session,
                    home: &database,
                    module: &module,
                    of: None,
                    depth,
                };
                match inside.list(&module.statements)? {
                    Found::End => Ok(Found::Nothing),
                    found => Ok(found),
                }
            }
            Some(Callee::Special(taffrail_base::procedure::SP_EXECUTESQL)) => {
                let Some(text) = constant(0) else { return Err(self.about(s, 11513, 11514)) };
                let declared = constant(1).unwrap_or_default();
                let first = |e: Vec<SqlError>| {
                    Box::new(e.into_iter().next().unwrap_or_else(|| *SqlError::new(11501, &[])))
                };
                let mut inner = Description::new(self.session, &text, &declared).map_err(first)?;
                Ok(inner.columns(self.session)?.map_or(Found::Nothing, Found::Columns))
            }
            Some(_) => Err(self.about(s, 11519, 11520)),
            None => Err(self.about(s, 11513, 11514)),
        }
    }

    /// What a procedure's parameters ask of the variables that are handed to them.
    fn arguments(&mut self, e: &Execute) -> SqlResult<()> {
        let Some(Callee::User(_, procedure)) = self.callee(e)? else { return Ok(()) };
        let collation = Collation::default();
        for (n, a) in e.arguments.iter().enumerate() {
            let Some(Code::Ready(Expr::Var(variable), _)) = &a.value else { continue };
            let parameter = match &a.name {
                None => procedure.parameters.get(n),
                Some(name) => procedure.parameters.iter().find(|p| collation.eq_str(&p.name, name)),
            };
            if let (Some(p), Some(of)) = (parameter, self.of.as_deref_mut()) {
                of.note(*variable, Suggested::of(p.ty));
                let at = variable.checked_sub(of.first).map(|n| n as usize);
                if let Some(formal) = at.and_then(|n| of.formal.get_mut(n)) {
                    *formal = Some(p.name.clone());
                }
            }
        }
        Ok(())
    }
}

/// Columns that are the same in both, NULL where either can be; none when they differ.
fn alike(a: &[ColumnDesc], b: &[ColumnDesc]) -> Option<Vec<ColumnDesc>> {
    let same = |(x, y): (&ColumnDesc, &ColumnDesc)| x.ty == y.ty && x.large == y.large;
    if a.len() != b.len() || !a.iter().zip(b).all(same) {
        return None;
    }
    let both = |(x, y): (&ColumnDesc, &ColumnDesc)| ColumnDesc {
        nullable: x.nullable || y.nullable,
        name: if x.name == y.name { x.name.clone() } else { String::new() },
        ..x.clone()
    };
    Some(a.iter().zip(b).map(both).collect())
}

/// Variables that are put into columns as they are.
type Assigned = Vec<(u32, Suggested)>;

fn suggested(table: &crate::catalog::Table, column: usize) -> Suggested {
    let c = &table.columns[column];
    Suggested { ty: c.ty, name: c.type_name() }
}

fn inserted<R>(i: &InsertPlan<R>, out: &mut Assigned) {
    let InsertRows::Values(rows) = &i.rows else { return };
    for (column, source) in i.columns.iter().enumerate() {
        let ColumnSource::Source(n) = source else { continue };
        for row in rows {
            if let Some(Some(Expr::Var(v))) = row.get(*n) {
                out.push((*v, suggested(&i.table, column)));
            }
        }
    }
}

fn updated<R>(u: &UpdatePlan<R>, out: &mut Assigned) {
    for a in &u.set {
        if let Expr::Var(v) = &a.expr {
            out.push((*v, suggested(&u.table, a.column)));
        }
    }
}

/// Binds a statement: the columns that it sends, and the variables that it assigns.
fn bind<'a>(
    binder: &mut Binder<'a>,
    source: &Source<'a>,
) -> SqlResult<(Option<Vec<ColumnDesc>>, Assigned)> {
    let sent = |o: Option<OutputPlan<Rel>>| o.filter(|o| o.into.is_none()).map(|o| o.columns);
    let mut assigned = Vec::new();
    let columns = match source {
        Source::Select(s) | Source::Cursor(s, ..) => {
            let into = s.query.body.first_block().into.is_some();
            let bound = binder.bind_select(s)?;
            let sends = !into && bound.assign.is_empty();
            sends.then_some(bound.plan.columns)
        }
        // An INSERT of the rows of a change sends nothing.
        Source::Insert(i) if binder.bind_nested_insert(i)?.is_some() => None,
        Source::Insert(i) => {
            let plan = binder.bind_insert(i)?;
            inserted(&plan, &mut assigned);
            sent(plan.output)
        }
        // A view whose trigger replaces the change sends nothing of its own.
        Source::Update(u) if binder.bind_update_of_view(u)?.is_some() => None,
        Source::Delete(d) if binder.bind_delete_of_view(d)?.is_some() => None,
        Source::Update(u) => {
            let plan = binder.bind_update(u)?;
            updated(&plan, &mut assigned);
            sent(plan.output)
        }
        Source::Delete(d) => sent(binder.bind_delete(d)?.output),
        Source::Merge(m) => {
            let plan = binder.bind_merge(m)?;
            for c in &plan.clauses {
                if let crate::plan::change::MergeAction::Update(u) = &c.action {
                    updated(u, &mut assigned);
                }
            }
            sent(plan.output)
        }
        Source::Scalar(..) | Source::Condition(_) => None,
    };
    Ok((columns, assigned))
}

#[cfg(test)]
mod tests {
    use super::variables_in;

    #[test]
    fn variables_are_found_outside_texts() {
        let text = "SELECT @a, '@b', \"@c\", [@d] /* @e */ + @@rowcount -- @f\n, a@g, @A";
        assert_eq!(variables_in(text), ["@a", "@A"]);
    }
}
