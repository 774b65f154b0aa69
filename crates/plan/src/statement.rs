//! A statement as a whole: bound (`R` is [`Rel`]), or planned.
//!
//! [`Rel`]: crate::rel::Rel

use crate::change::{DeletePlan, InsertPlan, MergePlan, UpdatePlan};
use crate::expr::{Expr, Pred};
use crate::node::{Node, QueryPlan};
use crate::triggers::Triggers;
use std::sync::Arc;
use taffrail_catalog::TriggerEvent;
use taffrail_functions::json::Form;
use taffrail_syntax::ast;
use taffrail_types::convert::Declared;

/// A statement, or an expression or condition outside any statement.
#[derive(Clone, Debug)]
pub enum Statement<R = Node> {
    /// SELECT; the table that INTO makes.
    Select(Box<SelectPlan<R>>, Option<ast::ObjectName>),
    /// An INSERT with its plan.
    Insert(Box<InsertPlan<R>>),
    /// An UPDATE with its plan.
    Update(Box<UpdatePlan<R>>),
    /// A DELETE with its plan.
    Delete(Box<DeletePlan<R>>),
    /// A MERGE with its plan.
    Merge(Box<MergePlan<R>>),
    /// A value of this type.
    Scalar(Expr, Declared),
    /// A condition of IF or WHILE.
    Condition(Pred),
}

/// A SELECT statement with its query.
#[derive(Clone, Debug)]
pub struct SelectPlan<R = Node> {
    /// The query of the statement.
    pub plan: QueryPlan<R>,
    /// `SELECT @v = …`: evaluated for each row, in place of outputs.
    pub assign: Vec<(u32, Expr)>,
    /// Columns by which the rows are ordered (1-based), for the client.
    pub order: Vec<u16>,
    /// `SELECT IDENTITY(…) AS c … INTO`: which output the new table makes itself.
    pub identity: Option<IntoIdentity>,
    /// `SELECT … INTO`: which output is the identity column of the one table that it reads, which the new table inherits.
    pub inherited: Option<IntoIdentity>,
    /// The query gives the rows of a change that an INSTEAD OF trigger of a view replaces.
    pub replaces: Option<ReplacedChange>,
    /// `FOR JSON`: the one output is the text of a row, and the texts are put together where they are sent.
    pub json: Option<Arc<Form>>,
    /// Columns of `FOR UPDATE OF` of a cursor: the table's place among those that the rows are made of, and the column's in it.
    pub updatable: Vec<(usize, usize)>,
}

impl<R> SelectPlan<R> {
    /// The plan of a query whose rows go to the client as they are.
    pub fn of(plan: QueryPlan<R>) -> SelectPlan<R> {
        SelectPlan {
            plan,
            assign: Vec::new(),
            order: Vec::new(),
            identity: None,
            inherited: None,
            replaces: None,
            json: None,
            updatable: Vec::new(),
        }
    }
}

/// An UPDATE of a view or a DELETE from one, which a trigger replaces. The outputs of its query are the columns of the view as they are,
/// and behind them, of an UPDATE, as they would be.
#[derive(Clone, Debug)]
pub struct ReplacedChange {
    /// The triggers of the view; one is the INSTEAD OF trigger of the event.
    pub triggers: Arc<Triggers>,
    /// The event of the statement.
    pub event: TriggerEvent,
}

/// An identity column of the table that a SELECT … INTO makes: `IDENTITY(type, seed, increment)` in its list, or that of another table.
#[derive(Clone, Copy, Debug)]
pub struct IntoIdentity {
    /// The position of the output.
    pub output: usize,
    /// The first value of the sequence.
    pub seed: i64,
    /// The step between two values.
    pub increment: i64,
}

impl Statement {
    /// It changes nothing, or nothing but table variables.
    pub fn changes_table_variables_only(&self) -> bool {
        let (database, output) = match self {
            Statement::Select(s, into) => return into.is_none() && s.replaces.is_none(),
            Statement::Scalar(..) | Statement::Condition(_) => return true,
            Statement::Insert(p) => (&p.database, &p.output),
            Statement::Update(p) => (&p.database, &p.output),
            Statement::Delete(p) => (&p.database, &p.output),
            Statement::Merge(p) => (&p.database, &p.output),
        };
        let into = output.as_ref().and_then(|o| o.into.as_ref());
        database.holds_table_variables() && into.is_none_or(|p| p.database.holds_table_variables())
    }
}
