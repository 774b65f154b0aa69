//! A system view, or a function in FROM, as a feature registers it, and how its name is found.
//!
//! A view is declared by its columns (`name type!` for NOT NULL, `?` for nullable, in the order clients rely on) and a function
//! that makes its rows. The function gives natural values (any integer, any text); they are brought to the declared types, so
//! that a row cannot disagree with its columns.

use super::cell::{Columns, Rows};
use super::features;
use super::needs::{DATABASE_TRIGGERS_SEEN, Needs, SERVER_TRIGGERS_SEEN};
use crate::catalog::{Module, Object, ObjectHead, Schema, Sight, Table, Touched, TouchedId};
use crate::catalog::{TriggerScope, fold};
use crate::database::Database;
use crate::permissions::{PermissionId, SecurableClass, known};
use crate::session::Session;
use crate::session::entry::SessionEntry;
use std::cell::Cell;
use std::sync::{Arc, LazyLock};
use taffrail_base::{ObjectId, SchemaId, SqlResult};
use taffrail_types::convert::Large;
use taffrail_types::names::TypeUse;
use taffrail_types::{MaxLen, SqlType, Value, convert, names};

pub use crate::plan::system_view::{SystemView, ViewColumn};

/// An integer argument of a function; `None`: it is NULL, DEFAULT or left out. Text is converted (245 where it is no number).
pub fn integer(args: &[Value], at: usize) -> SqlResult<Option<i64>> {
    let Some(v) = args.get(at) else { return Ok(None) };
    let from = match v {
        Value::VarChar(_) => SqlType::VarChar(MaxLen::N(8000)),
        Value::NVarChar(_) => SqlType::NVarChar(MaxLen::N(4000)),
        other => return Ok(other.as_i64()),
    };
    let number = convert::cast(v, from, SqlType::Int, None, convert::Conversion::Implicit)?;
    Ok(number.as_i64())
}

/// The permission to see sessions of others.
const SESSIONS: PermissionId = known(SecurableClass::Server, "VIEW SERVER PERFORMANCE STATE");

/// Where a view is read.
pub struct ViewContext<'a> {
    /// The session that reads.
    pub session: &'a Session,
    /// Through which database it was named.
    pub database: &'a Arc<Database>,
    /// What others have not committed is shown too, and nobody is waited for.
    pub dirty: bool,
    /// Whether, and of what, only a part is to be shown. Without it the session notes that it has to wait where any DDL of other
    /// sessions is pending, and the view is read anew after the wait.
    pub scope: Option<&'a Scope<'a>>,
}

/// The part of the catalogue that a view is to show, for whoever sees to the waits itself.
#[derive(Default)]
pub struct Scope<'a> {
    /// Only rows of these objects and schemas, beside those that come from no object.
    pub only: Option<&'a [Touched]>,
    /// The view has looked at objects or schemas.
    pub asked: Cell<bool>,
}

/// The catalogue as a view shows it.
impl ViewContext<'_> {
    /// The changes of the catalogue that the view shows.
    pub fn sight(&self) -> Sight {
        match self.scope {
            Some(scope) => scope.asked.set(true),
            None if self.dirty => {}
            None => self.session.note_blocked(self.database.catalog.blocked_list(self.session.id)),
        }
        Sight { session: self.session.id, dirty: self.dirty }
    }

    fn only(&self) -> Option<&[Touched]> {
        self.scope.and_then(|s| s.only)
    }

    /// All objects that the session may see, by id.
    pub fn objects(&self) -> Vec<Object> {
        let mut all = self.all_objects();
        let seen = self.session.seen(self.database);
        if !seen.is_everything() {
            all.retain(|o| seen.object(o));
        }
        all
    }

    /// Whether the text of a module, default, check or computed column of an object is shown.
    pub fn sees_definition(&self, head: &ObjectHead) -> bool {
        self.session.seen(self.database).definition(head)
    }

    /// Whether an object of the database is shown, by its id.
    pub fn sees_object(&self, id: i32) -> bool {
        let seen = self.session.seen(self.database);
        let object = || self.database.catalog.object(ObjectId(id), self.sight());
        seen.is_everything() || object().is_some_and(|o| seen.object(&o))
    }

    /// The triggers of the database or of the server that the session may see, the oldest first.
    pub fn ddl_triggers(&self, scope: TriggerScope) -> SqlResult<Vec<Arc<Module>>> {
        let (needs, database) = match scope {
            TriggerScope::Database => (&DATABASE_TRIGGERS_SEEN, self.database.clone()),
            TriggerScope::Server => {
                (&SERVER_TRIGGERS_SEEN, self.session.instance.databases().master()?)
            }
        };
        let mut all = database.catalog.ddl_triggers(scope, self.sight());
        if let (TriggerScope::Database, Some(only)) = (scope, self.only()) {
            all.retain(|t| only.iter().any(|o| o.what == TouchedId::Object(t.head.id)));
        }
        match self.session.holds_in(&database, needs) {
            true => Ok(all),
            false => Ok(Vec::new()),
        }
    }

    /// Whether sessions of others are shown.
    pub fn sees_sessions(&self) -> bool {
        self.session.may_on_server(SESSIONS)
    }

    /// All sessions that are shown: one's own, and those of others to who may see them.
    pub fn sessions(&self) -> Vec<Arc<SessionEntry>> {
        let (all, own) = (self.session.instance.all_sessions(), self.session.id);
        let others = self.sees_sessions();
        all.into_iter().filter(|s| others || s.id == own).collect()
    }

    fn all_objects(&self) -> Vec<Object> {
        let (catalog, sight) = (&self.database.catalog, self.sight());
        match self.only() {
            None => catalog.objects(sight),
            Some(only) => {
                let ids = only.iter().filter_map(|t| match t.what {
                    TouchedId::Object(id) => Some(id),
                    TouchedId::Schema(_) => None,
                });
                let own = |o: &Object| !matches!(o, Object::Type(_) | Object::DdlTrigger(_));
                ids.filter_map(|id| catalog.object(id, sight)).filter(own).collect()
            }
        }
    }

    /// All foreign keys, by id.
    pub fn foreign_keys(&self) -> SqlResult<Vec<crate::catalog::ForeignKey>> {
        let mut all = self.database.catalog.foreign_keys(self.sight())?;
        if let Some(only) = self.only() {
            let touched = |id: ObjectId| only.iter().any(|t| t.what == TouchedId::Object(id));
            all.retain(|k| touched(k.id) || touched(k.table) || touched(k.referenced));
        }
        let seen = self.session.seen(self.database);
        if !seen.is_everything() {
            all.retain(|k| self.table(k.table).is_some());
        }
        Ok(all)
    }

    /// All user tables, those beside table types among them, by id.
    pub fn tables(&self) -> Vec<Arc<Table>> {
        self.objects().iter().filter_map(|o| o.as_table().cloned()).collect()
    }

    /// The rows of the views that have indexes.
    pub fn indexed_views(&self) -> Vec<Arc<Table>> {
        let own = |o: &Object| match o {
            Object::View(view) => view.indexed.clone(),
            _ => None,
        };
        self.objects().iter().filter_map(own).collect()
    }

    /// A table by id.
    pub fn table(&self, id: ObjectId) -> Option<Arc<Table>> {
        let table = self.database.catalog.table(id, self.sight())?;
        let seen = self.session.seen(self.database);
        (seen.is_everything() || seen.head(&table.head)).then_some(table)
    }

    /// The schemas of the database.
    pub fn schemas(&self) -> Vec<Schema> {
        let mut all = self.database.catalog.schemas(self.sight());
        if let Some(only) = self.only() {
            all.retain(|s| only.iter().any(|t| t.what == TouchedId::Schema(s.id)));
        }
        all
    }

    /// The name of a schema.
    pub fn schema_name(&self, id: SchemaId) -> Option<Arc<str>> {
        self.database.catalog.schema_name(id, self.sight())
    }
}

/// Makes a view's rows. Arguments of a function that were left out or DEFAULT are NULL.
pub type Make = fn(&ViewContext<'_>, &[Value], &mut Rows) -> SqlResult<()>;

/// Begins to read what is too much to be made at once. The last argument: the positions of the columns that are wanted.
pub type OpenStream = fn(&ViewContext<'_>, &[Value], &[usize]) -> SqlResult<Box<dyn RowStream>>;

/// Rows that are made one at a time.
pub trait RowStream: Send {
    /// The next row: a value of exactly its column's type for each column that is wanted, in the order in which they were
    /// asked for; false at the end.
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool>;
}

/// Where a view's rows come from.
#[derive(Clone, Copy)]
pub enum RowSource {
    /// All rows are made at once.
    Made(Make),
    /// Rows are made one at a time.
    Streamed(OpenStream),
}

/// A view that is being read.
pub(crate) enum ViewRows {
    /// The rows of the view, whole.
    Made(std::vec::IntoIter<Vec<Value>>),
    /// The rows, made one at a time.
    Streamed(Box<dyn RowStream>),
}

/// The names by which a view is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Its schema's alone.
    Schema,
    /// Without a schema and in `dbo` as well.
    Bare,
    /// Without a schema and in `dbo` as well, in master alone: it stands for a table there.
    BareInMaster,
    /// None: it is a method of xml, or a function with a syntax of its own.
    Method,
}

/// A declaration: schema, name, needs, columns, arguments, rows, reach.
pub struct Declaration {
    /// The schema: `sys`, `INFORMATION_SCHEMA` or one of ours.
    pub schema: &'static str,
    /// The name in its schema.
    pub name: &'static str,
    /// The permissions that reading needs.
    pub needs: Needs,
    /// Texts of columns, `name type` each.
    pub columns: Vec<&'static str>,
    /// Of a function: how many arguments it takes, at least and at most.
    pub arguments: Option<(usize, usize)>,
    /// The code that gives the rows.
    pub source: RowSource,
    /// The names by which the view is found.
    pub reach: Reach,
}

impl Declaration {
    /// The declaration of a view that is found by these names.
    pub fn reached(self, reach: Reach) -> Declaration {
        Declaration { reach, ..self }
    }
}

/// Declares a view of schema `sys`. `columns` are texts that are read one after the other.
pub fn sys(name: &'static str, needs: Needs, columns: &[&'static str], make: Make) -> Declaration {
    let source = RowSource::Made(make);
    Declaration {
        schema: "sys",
        name,
        needs,
        columns: columns.to_vec(),
        arguments: None,
        source,
        reach: Reach::Schema,
    }
}

/// Declares a view of schema `sys` whose rows [`Rows::show`] makes of these columns.
pub fn by_column<T>(
    name: &'static str,
    needs: Needs,
    columns: Columns<T>,
    make: Make,
) -> Declaration {
    let columns = columns.iter().flat_map(|group| group.iter()).map(|c| c.0).collect();
    let source = RowSource::Made(make);
    Declaration {
        schema: "sys",
        name,
        needs,
        columns,
        arguments: None,
        source,
        reach: Reach::Schema,
    }
}

/// The schema under which stands what is read as a table of msdb.dbo.
pub const MSDB: &str = "msdb";

/// Declares what is read as a table of msdb.dbo.
pub fn msdb(name: &'static str, needs: Needs, columns: &[&'static str], make: Make) -> Declaration {
    Declaration { schema: MSDB, ..sys(name, needs, columns, make) }
}

/// Declares a function of schema `sys`.
pub fn function(
    name: &'static str,
    needs: Needs,
    arguments: usize,
    columns: &[&'static str],
    make: Make,
) -> Declaration {
    Declaration { arguments: Some((arguments, arguments)), ..sys(name, needs, columns, make) }
}

/// Declares a function with arguments that may be left out: at least and at most so many.
pub fn ranged(
    name: &'static str,
    needs: Needs,
    arguments: (usize, usize),
    columns: &[&'static str],
    make: Make,
) -> Declaration {
    Declaration { arguments: Some(arguments), ..sys(name, needs, columns, make) }
}

/// Declares a function of schema `sys` whose rows are made one at a time. `arguments`: at least and at most.
pub fn streamed(
    name: &'static str,
    needs: Needs,
    arguments: (usize, usize),
    columns: &[&'static str],
    open: OpenStream,
) -> Declaration {
    let source = RowSource::Streamed(open);
    let columns = columns.to_vec();
    Declaration {
        schema: "sys",
        name,
        needs,
        columns,
        arguments: Some(arguments),
        source,
        reach: Reach::Schema,
    }
}

/// Declares a view of schema `sys` whose rows are made one at a time.
pub fn streamed_view(
    name: &'static str,
    needs: Needs,
    columns: &[&'static str],
    open: OpenStream,
) -> Declaration {
    Declaration { arguments: None, ..streamed(name, needs, (0, 0), columns, open) }
}

/// The permissions that reading a view needs, by its id.
pub(crate) fn needs(id: ObjectId) -> Option<Needs> {
    let number = usize::try_from(-100 - id.0).ok()?;
    REGISTERED.needs.get(number).copied()
}

/// The names by which a view is found.
fn reach(view: &SystemView) -> Reach {
    REGISTERED.sources[view.number].1
}

/// How the rows of a view come.
fn source(view: &SystemView) -> RowSource {
    REGISTERED.sources[view.number].0
}

/// The rows of a view are made one at a time.
pub(crate) fn is_streamed(view: &SystemView) -> bool {
    matches!(source(view), RowSource::Streamed(_))
}

/// Whether a view of the catalogue has no rows for the session, which lacks what it needs.
fn hides(view: &SystemView, context: &ViewContext<'_>) -> bool {
    let needs = &REGISTERED.needs[view.number];
    let open = matches!(needs, Needs::Public | Needs::MetadataVisibility);
    !open && needs.hides_rows() && !context.session.holds_in(context.database, needs)
}

/// Begins to read the rows of a view. `wanted`: the positions of the columns whose values are looked at.
pub(crate) fn open(
    view: &SystemView,
    context: &ViewContext<'_>,
    arguments: &[Value],
    wanted: &[usize],
) -> SqlResult<ViewRows> {
    if hides(view, context) {
        return Ok(ViewRows::Made(Vec::new().into_iter()));
    }
    // A method of xml reads its argument alone.
    if reach(view) != Reach::Method {
        context.session.promises.learn();
    }
    match source(view) {
        RowSource::Made(make) => {
            let mut rows = Rows::new(&view.columns);
            make(context, arguments, &mut rows)?;
            Ok(ViewRows::Made(rows.finish().into_iter()))
        }
        RowSource::Streamed(open) => open(context, arguments, wanted).map(ViewRows::Streamed),
    }
}

/// A declaration as the binder sees it; `number` is its place among those that are registered.
fn system_view(number: usize, d: &Declaration) -> SystemView {
    let columns = d.columns.iter().flat_map(|text| text.split('·')).map(column).collect();
    let id = -(number as i32) - 100;
    SystemView { schema: d.schema, name: d.name, id, columns, arguments: d.arguments, number }
}

/// Reads `name type!`, `name type?` or `name type`; a name with blanks stands in brackets.
fn column(text: &'static str) -> ViewColumn {
    let text = text.trim();
    let (name, ty) = match text.strip_prefix('[').and_then(|t| t.split_once(']')) {
        Some((name, ty)) => (name, ty.trim()),
        None => text.split_once(' ').unwrap_or((text, "int")),
    };
    let nullable = !ty.ends_with('!');
    let ty = ty.trim_end_matches(['!', '?']);
    let large = if ty == "xml" { Large::Xml } else { Large::Plain };
    let ty = match ty {
        "xml" => SqlType::NVARCHAR_MAX,
        "sysname" => SqlType::NVarChar(taffrail_types::MaxLen::N(128)),
        _ => match names::parse(ty, TypeUse::Declaration) {
            Some(Ok(ty)) => ty,
            _ => panic!("the type '{ty}' of a system view's column '{name}'"),
        },
    };
    ViewColumn { name, ty, large, nullable }
}

/// Id and name of the schema of our own views. It has no row in sys.schemas: a database may have a schema of the name.
pub const OWN_SCHEMA: (i32, &str) = (16_383, "taffrail");

/// The views of all features, where their rows come from and how they are reached; behind them those that no name finds.
struct Registered {
    views: Vec<SystemView>,
    methods: Vec<SystemView>,
    sources: Vec<(RowSource, Reach)>,
    needs: Vec<Needs>,
}

static REGISTERED: LazyLock<Registered> = LazyLock::new(|| {
    let mut all = Vec::new();
    features().flat_map(|f| f.views).for_each(|declare| declare(&mut all));
    let (methods, all): (Vec<_>, Vec<_>) = all.into_iter().partition(|d| d.reach == Reach::Method);
    let needs = all.iter().chain(&methods).map(|d| d.needs).collect();
    let sources = all.iter().chain(&methods).map(|d| (d.source, d.reach)).collect();
    let views: Vec<_> = all.iter().enumerate().map(|(n, d)| system_view(n, d)).collect();
    let numbered = methods.iter().zip(views.len()..);
    let methods = numbered.map(|(d, n)| system_view(n, d)).collect();
    Registered { views, methods, sources, needs }
});

type Names = hashbrown::HashMap<(String, String), usize, foldhash::fast::RandomState>;

static BY_NAME: LazyLock<Names> = LazyLock::new(|| {
    let key = |v: &SystemView| (fold(v.schema), fold(v.name));
    all().iter().enumerate().map(|(n, v)| (key(v), n)).collect()
});

/// A view that stands for a table of master; no other database has it.
pub(crate) fn is_of_master_alone(view: &SystemView) -> bool {
    reach(view) == Reach::BareInMaster
}

/// A source of rows that no name finds, such as the method `nodes()` of xml.
pub fn method(name: &str) -> &'static SystemView {
    let found = REGISTERED.methods.iter().find(|v| v.name == name);
    found.expect("a method is registered by whoever knows its name")
}

/// The views and functions of all features.
pub fn all() -> &'static [SystemView] {
    &REGISTERED.views
}

/// A view or function by name. The old `sysobjects`, `sysdatabases` … are found in `dbo` and without schema as well.
pub fn find(schema: Option<&str>, name: &str) -> Option<&'static SystemView> {
    let name = fold(name);
    let found = |schema: &str| BY_NAME.get(&(schema.into(), name.clone())).map(|n| &all()[*n]);
    match schema.map(fold).as_deref() {
        Some("sys") => found("sys"),
        Some("information_schema") => found("information_schema"),
        Some(own) if own == OWN_SCHEMA.1 => found(OWN_SCHEMA.1),
        None | Some("" | "dbo") => found("sys").filter(|v| reach(v) != Reach::Schema),
        Some(_) => None,
    }
}

/// The view that is read as a table of msdb, by name.
pub(crate) fn find_in_msdb(schema: Option<&str>, name: &str) -> Option<&'static SystemView> {
    match schema.map(fold).as_deref() {
        None | Some("" | "dbo") => BY_NAME.get(&(MSDB.into(), fold(name))).map(|n| &all()[*n]),
        Some(_) => None,
    }
}
