//! The binder: from the syntax tree to expressions and relations ([`taffrail_plan::rel`]). Names become slots and variables,
//! types are settled by T-SQL's rules, conversions become explicit.
//!
//! The binder knows metadata only through [`Metadata`], so it is tested without storage. Invariants:
//! 1. Every column that is mentioned has one slot; slots are never shared by two blocks' sources.
//! 2. A slot belongs to the block (`SELECT`) that brought it in; `outer` lists of subqueries name every slot of an
//!    enclosing block that they read.

mod aggregate;
mod bound;
mod change;
mod coercion;
mod computed;
mod conversion;
pub mod cursor;
pub mod declared;
mod definition;
mod dml;
mod expr;
mod facts;
mod file;
mod for_xml;
mod from;
mod function;
mod grouping;
mod hints;
mod identity;
mod inlined;
mod inlined_rows;
mod json;
mod json_table;
mod large;
mod masks;
mod merge;
mod missing;
mod nested;
mod next_value;
mod operators;
mod order;
mod output;
mod owner;
mod pivot;
mod policies;
mod pred;
mod query;
mod recursive;
mod replaced;
mod rowset;
mod sample;
mod scalar_function;
mod scope;
mod set;
mod table_argument;
mod table_function;
mod table_hints;
mod table_use;
mod target;
mod temporal;
mod through;
mod triggers;
pub mod user_types;
mod variables;
mod view;
mod wanted;
mod window;
mod written;
mod xml;

use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{Module, SecurityPredicate, SequenceObject, Table};
use taffrail_plan::columns::{Column, Columns};
use taffrail_plan::expr::{Call, Expr, Slot, Subquery};
use taffrail_plan::facts::Facts;
use taffrail_plan::foreign::{Incoming, Outgoing};
use taffrail_plan::hints::QueryHints;
pub use taffrail_plan::locking::Hints;
use taffrail_plan::rel::{Rel, Subqueries, SubqueryRows};
use taffrail_plan::system_view::SystemView;
use taffrail_plan::triggers::ChangedRows;
use taffrail_syntax::ast;
use taffrail_types::{Collation, ConvertContext, Value};

pub use bound::Bound;
pub use computed::{ComputedFacts, bind_computed, computed_columns, computed_facts};
pub use definition::{bind_check, bind_default, bind_text, check_text, default_text};
pub use expr::{has_collation, is_text as is_text_type, resolve_type};
use from::FromTree;
pub use function::is_function;
pub use inlined::{BodyAssignment, BodyIf, BodyStep, ScalarBody};
pub use merge::MergeStatement;
pub use next_value::sequences_of;
pub use policies::{PredicateText, predicate_facts};
pub use pred::compare_op;
pub(crate) use scope::{Block, Cte, Mark, Mention, Source, SourceColumn, SourceKind, WindowGroup};
pub use table_use::TableUse;
pub use taffrail_base::message::unsupported;
pub use triggers::TriggerBody;
pub use variables::{Variable, Variables};
pub use view::ViewText;
pub use wanted::Wanted;

/// What a name in FROM stands for.
pub enum Resolved {
    /// A table.
    Table(Arc<Database>, Arc<Table>),
    /// A system view.
    View(Arc<Database>, &'static SystemView),
    /// A view of the user's.
    UserView(Arc<Database>, Arc<Module>),
    /// `inserted` or `deleted` in the body of a trigger.
    Changed(Arc<Database>, ChangedRows),
}

/// What the binder asks about names.
pub trait Metadata {
    /// The object that a name in FROM or of a target stands for: 208 when there is none.
    fn table(&self, name: &ast::ObjectName) -> SqlResult<Resolved>;
    /// A table-valued system function by name.
    fn table_function(
        &self,
        name: &ast::ObjectName,
    ) -> SqlResult<(Arc<Database>, &'static SystemView)>;
    /// The user's function of a name, of any kind.
    fn function(&self, _: &ast::ObjectName) -> SqlResult<Option<(Arc<Database>, Arc<Module>)>> {
        Ok(None)
    }
    /// The sequence of a name: 208, and 11726 for an object of another kind.
    fn sequence(&self, name: &ast::ObjectName) -> SqlResult<(Arc<Database>, Arc<SequenceObject>)> {
        Err(SqlError::new(208, &[name]))
    }
    /// Whether scalar functions are called in the session's database, whatever their texts are.
    fn calls_functions(&self) -> bool {
        false
    }
    /// Names are looked up in a function.
    fn in_function(&self) -> bool {
        false
    }
    /// Whether a name is that of a synonym.
    fn is_synonym(&self, _: &ast::ObjectName) -> bool {
        false
    }
    /// A source of rows that no name finds ([`NODES`](taffrail_plan::system_view::NODES), files).
    fn method(&self, name: &str) -> &'static SystemView;
    /// The session's database.
    fn current_database(&self) -> SqlResult<Arc<Database>>;
    /// The collation of literals and variables: that of the database in which names without one are looked up.
    fn collation(&self) -> Collation {
        self.current_database().map_or(Collation::DEFAULT, |d| d.collation())
    }
    /// The table behind a table variable: 1087.
    fn table_variable(&self, name: &str) -> SqlResult<(Arc<Database>, Arc<Table>)>;
    /// Whether users have made a type of this name.
    fn has_type(&self, _: &ast::ObjectName) -> bool {
        false
    }
    /// The text of a view or function. Until [`Metadata::leave_view`] names are looked up as it means them.
    fn enter_view(&self, _: &Arc<Database>, _: &Module) -> SqlResult<&ViewText> {
        Err(unsupported("A view"))
    }
    /// The view has been bound, or could not be.
    fn leave_view(&self, _: &Module, _failed: bool) {}
    /// The call of a security predicate's function. Until [`Metadata::leave_policy`] names are those of its database.
    fn enter_policy(&self, _: &Arc<Database>, _: &SecurityPredicate) -> SqlResult<&PredicateText> {
        Err(unsupported("A security policy"))
    }
    /// A function of a database.
    fn function_by_id(&self, _: &Database, _: taffrail_base::ObjectId) -> Option<Arc<Module>> {
        None
    }
    /// The call of a predicate's function has been bound, or could not be.
    fn leave_policy(&self) {}
    /// Rows are read whatever security policies say: foreign keys look at all of them.
    fn is_unguarded(&self) -> bool {
        false
    }
    /// The table that has the old rows of another one.
    fn history(&self, _: &Arc<Database>, _: &Arc<Table>) -> SqlResult<Option<Arc<Table>>> {
        Ok(None)
    }
    /// The foreign keys of a table.
    fn outgoing(&self, _: &Arc<Database>, _: &Arc<Table>) -> SqlResult<Vec<Outgoing>> {
        Ok(Vec::new())
    }
    /// The foreign keys that refer to a table.
    fn incoming(&self, _: &Arc<Database>, _: &Arc<Table>) -> SqlResult<Vec<Incoming>> {
        Ok(Vec::new())
    }
    /// The enabled triggers of a table, the oldest first.
    fn triggers(&self, _: &Arc<Database>, _: &Arc<Table>) -> Vec<Arc<Module>> {
        Vec::new()
    }
    /// The trigger in whose body names are looked up.
    fn trigger(&self) -> Option<TriggerBody> {
        None
    }
    /// What conversions need of the session's options, to fold what depends on them; `None` where what is bound outlives them.
    fn options_to_fold(&self) -> Option<ConvertContext>;
    /// Options that stand as they must not where methods of xml are called.
    fn wrong_for_xml_methods(&self) -> Vec<&'static str>;
    /// ANSI_NULLS where names are looked up now.
    fn null_rule(&self) -> NullRule;
    /// `SET IDENTITY_INSERT` is on for the table.
    fn identity_insert(&self, database: &Database, table: &Table) -> bool;
    /// Rows of a table, roughly.
    fn row_estimate(&self, database: &Database, table: &Table) -> u64;
    /// What a deterministic function comes to; `None` where it fails, or nobody computes.
    fn computed(&self, _: &Call, _: &[Value]) -> Option<Value> {
        None
    }
    /// An error when the statement is to end before it runs.
    fn check_cancel(&self) -> SqlResult<()>;
}

/// What `=` and `<>` say of NULL, where one side is the literal or a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NullRule {
    /// SET ANSI_NULLS ON: nothing is known.
    Unknown,
    /// SET ANSI_NULLS OFF: NULL equals NULL and nothing else.
    Equal,
    /// As the session's option says when the condition is tested.
    BySession,
}

/// Where references to enclosing blocks are collected.
struct OuterFrame {
    depth: usize,
    slots: Vec<Slot>,
}

/// The binder of one statement.
pub struct Binder<'a> {
    pub(crate) meta: &'a dyn Metadata,
    /// Variables and parameters that the statement can name.
    pub variables: &'a Variables,
    pub(crate) lines: &'a ast::LineIndex,
    /// That of what has no other: of literals, variables and what is made of no text.
    pub collation: Collation,
    /// The columns of the statement's frame, by slot.
    pub columns: Columns,
    /// How the text names each of them, by slot.
    mentions: Vec<Mention>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) ctes: Vec<Cte<'a>>,
    outer: Vec<OuterFrame>,
    /// Where all mistakes of the statement are told: the columns that could not be found.
    missing: Option<missing::Missing>,
    /// While an aggregate is bound: the columns that it mentions, each with the depth of its block.
    mentioned: Option<Vec<(usize, Slot)>>,
    next_block: u32,
    next_source: u32,
    /// Tables and views that the query names so far, those of common table expressions once for each time these are named. Of a set
    /// operation the query counts that names the most; a subquery counts for itself.
    named_tables: u32,
    /// The same of the whole statement.
    all_tables: u32,
    /// Names of the common table expressions that are being bound, the innermost last.
    expanding: Vec<&'a str>,
    /// Recursive ones whose parts are being bound, innermost last.
    recursion: Vec<recursive::Recursion<'a>>,
    /// How many subqueries (in expressions, not in FROM) enclose what is being bound.
    subquery_depth: u32,
    /// What is bound is an expression of the catalogue, where no subquery may be: 1046.
    pub scalars_only: bool,
    /// Bodies of functions that were looked at to stand in place of their calls.
    pub bodies: u32,
    /// Whether an expression that is bound is computed for each row of a block, where a subquery in place of a function's call may stand.
    pub by_row: bool,
    /// The windows that the clause WINDOW of the query names.
    pub(super) named_windows: &'a [(ast::Ident, ast::Over)],
    /// Of an expression of the catalogue the database, where sequences without one are looked up.
    of_database: Option<String>,
    /// All that decides whether NEXT VALUE FOR may stand here.
    drawing: next_value::Drawing,
    /// Sequences that an expression outside any query has named.
    alone: Vec<(taffrail_base::DatabaseId, taffrail_base::ObjectId)>,
    /// The names of tables and views are noted among the facts: for the dependencies of modules, and not where a statement is planned.
    pub notes_names: bool,
    /// An item of OUTPUT is being bound, which holds no subquery.
    pub in_output: bool,
    /// The condition of a MERGE's clause is being bound, which sees one side only: the message for other names.
    pub one_side: Option<i32>,
    /// A default that is being bound: only it may be NEWSEQUENTIALID().
    pub whole_default: Option<&'a ast::Expr>,
    /// In a text that is described: the variables that nobody declares.
    pub wanted: Option<Wanted>,
    /// Where an expression is bound for the catalogue: the forms of its parts.
    forms: Option<written::Forms>,
    /// Where OUTPUT of a MERGE finds `$action`.
    merge_action: Option<Slot>,
    /// An expression has come upon its own name.
    self_reference: bool,
    /// OPTION (MAXRECURSION).
    max_recursion: u32,
    /// The statement's.
    pub hints: QueryHints,
    /// OPTION (TABLE HINT (…)).
    option_hints: Vec<table_hints::OptionHints<'a>>,
    /// The rows of the subqueries bound so far, by number.
    pub subqueries: Subqueries,
    depth: u32,
    /// The statement assigns variables row by row.
    pub assigns_variables: bool,
    /// The statement is one SELECT … INTO, whose list may have IDENTITY(…).
    into_alone: bool,
    /// That column of its list.
    into_identity: Option<taffrail_plan::statement::IntoIdentity>,
    /// Tables that the statement names, to be locked before it runs.
    pub uses: Vec<TableUse>,
    /// The objects that the statement needs, and the names in it.
    pub facts: Facts,
    /// What a change looks for among the queries of its FROM.
    through: Option<through::Through<'a>>,
    /// ORDER BY of the set operation whose first query is bound next.
    order_above: &'a [ast::OrderItem],
    /// For each item of that ORDER BY its place in the query's list, if it is there.
    listed: Vec<Option<usize>>,
    /// Where the target of a change stands in FROM, if it does.
    place: Option<target::Place<'a>>,
    /// The reference that is bound next is the target of the change.
    armed: bool,
    /// The query that is bound next shows the rows that are changed.
    locate: bool,
    /// The query that is bound next stands in EXISTS: what it selects is not computed.
    existence: bool,
    /// What is known of JSON.
    json: json::JsonFacts,
    /// The namespaces of WITH XMLNAMESPACES.
    namespaces: Vec<taffrail_functions::xquery::Namespace>,
    /// Views and inline functions that are being bound, the innermost last.
    views: Vec<view::Expansion>,
    /// Rows are read whatever security policies say.
    unguarded: bool,
    /// Columns of FOR UPDATE OF, where a cursor's query is bound.
    for_update: cursor::ForUpdate<'a>,
}

/// Expressions and queries nest at most so deep.
const MAX_DEPTH: u32 = 400;

impl<'a> Binder<'a> {
    /// A binder for a statement of a text with these lines.
    pub fn new(
        meta: &'a dyn Metadata,
        variables: &'a Variables,
        lines: &'a ast::LineIndex,
    ) -> Binder<'a> {
        Binder {
            meta,
            variables,
            lines,
            collation: meta.collation(),
            columns: Columns::default(),
            mentions: Vec::new(),
            blocks: Vec::new(),
            ctes: Vec::new(),
            outer: Vec::new(),
            missing: None,
            mentioned: None,
            next_block: 0,
            next_source: 0,
            named_tables: 0,
            all_tables: 0,
            expanding: Vec::new(),
            recursion: Vec::new(),
            subquery_depth: 0,
            scalars_only: false,
            bodies: 0,
            by_row: false,
            named_windows: &[],
            of_database: None,
            drawing: Default::default(),
            alone: Vec::new(),
            notes_names: true,
            in_output: false,
            one_side: None,
            whole_default: None,
            wanted: None,
            forms: None,
            merge_action: None,
            self_reference: false,
            max_recursion: recursive::MAX_RECURSION,
            hints: QueryHints::default(),
            option_hints: Vec::new(),
            subqueries: Vec::new(),
            depth: 0,
            assigns_variables: false,
            into_alone: false,
            into_identity: None,
            uses: Vec::new(),
            facts: Facts::default(),
            through: None,
            order_above: &[],
            listed: Vec::new(),
            place: None,
            armed: false,
            locate: false,
            existence: false,
            json: Default::default(),
            namespaces: Vec::new(),
            views: Vec::new(),
            unguarded: meta.is_unguarded(),
            for_update: Default::default(),
        }
    }

    /// How many slots the frame needs.
    pub(crate) fn frame_size(&self) -> usize {
        self.columns.len()
    }

    /// A scalar expression outside any query.
    pub fn bind_scalar(&mut self, e: &'a ast::Expr) -> SqlResult<Bound> {
        self.drawing.alone = true;
        self.expr(e)
    }

    /// A condition outside any query.
    pub fn bind_condition(&mut self, e: &'a ast::Expr) -> SqlResult<taffrail_plan::expr::Pred> {
        self.drawing.alone = true;
        self.pred(e)
    }

    pub(crate) fn line(&self, span: ast::Span) -> u32 {
        self.lines.line_of(span.start)
    }

    /// Guards recursion: 191 when a statement is nested too deeply, and whoever cancels it is heard.
    pub fn deeper<R>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<R>) -> SqlResult<R> {
        if self.depth >= MAX_DEPTH {
            return Err(SqlError::new(191, &[]));
        }
        self.meta.check_cancel()?;
        self.depth += 1;
        let r = f(self);
        self.depth -= 1;
        r
    }

    pub(crate) fn new_slot(&mut self, column: Column, mention: Mention) -> Slot {
        self.mentions.push(mention);
        self.columns.push(column)
    }

    /// A slot for the locator of the rows of a source of the current block.
    pub(crate) fn locator_slot(&mut self, source: u32) -> Slot {
        let block = self.block().id;
        let column = Column { nullable: false, ..Column::computed(through::LOCATOR) };
        self.new_slot(column, Mention { source, ..Mention::computed(block, "") })
    }

    /// A slot for a computed value of the current block.
    pub(crate) fn computed_slot(&mut self, b: &Bound, name: &str) -> Slot {
        let block = self.blocks.last().map_or(u32::MAX, |b| b.id);
        let slot = self.new_slot(b.column(), Mention::computed(block, name));
        self.json.note(slot, &b.expr);
        slot
    }

    /// Keeps the rows of a subquery and numbers it.
    pub(crate) fn add_subquery(&mut self, rel: Rel, output: Slot, outer: Vec<Slot>) -> Subquery {
        self.subqueries.push(SubqueryRows { rel, output });
        Subquery { index: self.subqueries.len() as u32 - 1, output, outer, last: false }
    }

    /// Binds something that may read enclosing blocks and tells which of their slots it read.
    pub(crate) fn collecting_outer<R>(
        &mut self,
        f: impl FnOnce(&mut Self) -> SqlResult<R>,
    ) -> SqlResult<(R, Vec<Slot>)> {
        self.outer.push(OuterFrame { depth: self.blocks.len(), slots: Vec::new() });
        let r = f(self);
        let frame = self.outer.pop().expect("pushed above");
        r.map(|r| (r, frame.slots))
    }

    /// Resolves a column: the innermost block that has it wins (207, 209, 4104).
    pub(crate) fn existing_column(&mut self, c: &ast::ColumnRef) -> SqlResult<Bound> {
        let name = &*c.name.value;
        let marked = Mark::of(&c.name);
        for depth in (0..self.blocks.len()).rev() {
            let block = &self.blocks[depth];
            if block.hidden || (block.qualified_only && c.qualifier.is_none()) {
                continue;
            }
            let mut found = None;
            let mut qualifier_known = c.qualifier.is_none();
            let seen = self.blocks[depth].seen_from;
            for (s, source) in self.blocks[depth].sources.iter().enumerate().skip(seen) {
                if let Some(q) = &c.qualifier {
                    if !source.is_called(q) {
                        continue;
                    }
                    qualifier_known = true;
                }
                let hits = source.columns.iter().enumerate().filter(|(at, k)| match marked {
                    None => eq(&k.name, name),
                    Some(mark) => source.is_marked(*at, mark),
                });
                for (at, _) in hits {
                    if found.is_some() {
                        return Err(self.at(SqlError::new(209, &[&name]), c.name.span));
                    }
                    found = Some((s, at));
                }
            }
            if found.is_some() && self.blocks[depth].counts {
                return Err(self.at(SqlError::new(4115, &[&name]), c.name.span));
            }
            if let Some((s, at)) = found {
                self.readable(depth, s, at)?;
                return Ok(self.source_column(depth, s, at));
            }
            if c.qualifier.is_some() && qualifier_known {
                return Err(self.at(SqlError::new(207, &[&name]), c.name.span));
            }
        }
        let qualified = c.qualifier.as_ref().map(|q| format!("{q}.{name}"));
        if let Some(number) = self.one_side {
            let text = qualified.as_deref().unwrap_or(name);
            let e = SqlError::new(number, &[&text]).with_state(1 + qualified.is_some() as u8);
            return Err(self.at(e, c.name.span));
        }
        if let Some(text) = qualified {
            return Err(self.at(SqlError::new(4104, &[&text]), c.name.span));
        }
        // A bare word where no column can be: SQL Server says 128 in PRINT and VALUES.
        if self.blocks.iter().all(|b| b.sources.is_empty()) && self.blocks.len() <= 1 {
            let number = if self.blocks.is_empty() { 128 } else { 207 };
            return Err(self.at(SqlError::new(number, &[&name]), c.name.span));
        }
        Err(self.at(SqlError::new(207, &[&name]), c.name.span))
    }

    /// The name of the column that an expression is; empty where it is none.
    pub(super) fn own_name(&self, bound: &Bound) -> String {
        let Expr::Slot(slot) = &bound.expr else { return String::new() };
        self.mentions.get(*slot as usize).map_or_else(String::new, |m| m.column.to_string())
    }

    /// The value of a source's column; gives it its slot.
    pub fn source_column(&mut self, depth: usize, source: usize, column: usize) -> Bound {
        let slot = self.own_slot(depth, source, column);
        let c = self.blocks[depth].sources[source].columns[column].clone();
        self.note_outer(depth, slot);
        if let Some(object) = self.blocks[depth].sources[source].object.clone() {
            self.needs_column(object, column, &c.name);
        }
        if let Some(mentioned) = &mut self.mentioned {
            mentioned.push((depth, slot));
        }
        let block = &self.blocks[depth];
        let left_out = block.sources[source].left_out || block.groups.nulls.contains(&slot);
        let (nullable, collation, large) = (c.nullable || left_out, c.collation, c.large);
        let label = self.columns[slot].label;
        let user_type = c.user_type;
        Bound { nullable, collation, label, large, user_type, ..Bound::new(Expr::Slot(slot), c.ty) }
    }

    /// The slot of a source's column, which is given with its first mention.
    fn own_slot(&mut self, depth: usize, source: usize, column: usize) -> Slot {
        let block = self.blocks[depth].id;
        let src = &self.blocks[depth].sources[source];
        let c = &src.columns[column];
        if let Some(slot) = c.slot {
            return slot;
        }
        let mention = Mention {
            block,
            source: src.id,
            schema: src.qualified.then(|| src.schema.clone()).flatten(),
            table: src.alias.clone(),
            column: c.name.clone(),
        };
        let slot = self.new_slot(c.of_table(), mention);
        self.blocks[depth].sources[source].columns[column].slot = Some(slot);
        self.mention_inputs(depth, source, column);
        slot
    }

    /// The statement that is bound reads a slot of the block at this depth.
    fn note_outer(&mut self, depth: usize, slot: Slot) {
        let reads = |f: &&mut OuterFrame| f.depth > depth && !f.slots.contains(&slot);
        self.outer.iter_mut().filter(reads).for_each(|f| f.slots.push(slot));
    }

    pub(crate) fn at(&self, e: Box<SqlError>, span: ast::Span) -> Box<SqlError> {
        e.with_line(self.line(span))
    }
}

/// Names compare as the default collation does.
pub fn eq(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || (!a.is_ascii() && Collation::default().eq_str(a, b))
}
