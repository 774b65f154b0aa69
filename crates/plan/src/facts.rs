//! The facts that a bound statement leaves behind, before rules change its tree: the objects that it needs, for which action, along the
//! path of ownership, and the names that it depends on.
//!
//! ```text
//! CREATE VIEW v AS SELECT x AS a, y AS b FROM t WHERE z > 0
//! SELECT a FROM v WHERE b = 1      SELECT dbo.v (a, b)
//!                                  SELECT dbo.t (x, y, z) through dbo.v
//! ```
//! What stands in a view's text is needed *through* the view. Temporary tables and table variables need nothing.

use std::fmt;
use std::sync::Arc;
use taffrail_base::{DatabaseId, ObjectId};
use taffrail_syntax::ast::ObjectName;

/// An action of a statement on an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// SELECT: columns are read.
    Select,
    /// INSERT: columns get values, and the others their defaults.
    Insert,
    /// UPDATE: columns get new values.
    Update,
    /// DELETE, of whole rows.
    Delete,
    /// EXECUTE of a scalar function.
    Execute,
}

impl Action {
    /// Whether rows of the object are changed.
    pub fn changes(self) -> bool {
        matches!(self, Action::Insert | Action::Update | Action::Delete)
    }
}

/// An object that a permission is held on.
#[derive(Clone, Debug)]
pub struct Securable {
    /// The database that the object belongs to.
    pub database: DatabaseId,
    /// The object, by its id.
    pub object: ObjectId,
    /// The name of the object's schema.
    pub schema: Arc<str>,
    /// The name of the object.
    pub name: Arc<str>,
}

impl PartialEq for Securable {
    fn eq(&self, other: &Securable) -> bool {
        (self.database, self.object) == (other.database, other.object)
    }
}

/// An object that a statement needs.
#[derive(Clone, Debug)]
pub struct Need {
    /// The object that is needed.
    pub object: Securable,
    /// The action on the object.
    pub action: Action,
    /// The view in whose text the object is named; none where the statement itself names it.
    pub through: Option<Securable>,
    /// The columns that the action is about, by position; none where it is about the object alone (`COUNT(*)`, DELETE).
    pub columns: Vec<(usize, Arc<str>)>,
    /// The text names them all at once: `SELECT *`, INSERT without a list.
    pub all: bool,
}

/// The facts of a statement.
#[derive(Clone, Default, Debug)]
pub struct Facts {
    /// The objects that the statement needs, in the order in which it names them.
    pub needs: Vec<Need>,
    /// The names of tables and views that the statement itself holds, found or not; those in the texts of views are not among them.
    pub names: Vec<ObjectName>,
    /// Whether `*` stands for all columns of something.
    pub all_columns: bool,
}

impl Facts {
    /// The number of a need, which is there once.
    pub fn need(&mut self, object: Securable, action: Action, through: Option<Securable>) -> usize {
        let same = |n: &Need| n.object == object && n.action == action && n.through == through;
        if let Some(at) = self.needs.iter().position(same) {
            return at;
        }
        self.needs.push(Need { object, action, through, columns: Vec::new(), all: false });
        self.needs.len() - 1
    }

    /// The action of a need is about this column, too.
    pub fn add_column(&mut self, need: usize, position: usize, name: &Arc<str>) {
        let columns = &mut self.needs[need].columns;
        if let Err(at) = columns.binary_search_by_key(&position, |c| c.0) {
            columns.insert(at, (position, name.clone()));
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Action::Select => "SELECT",
            Action::Insert => "INSERT",
            Action::Update => "UPDATE",
            Action::Delete => "DELETE",
            Action::Execute => "EXECUTE",
        })
    }
}

impl fmt::Display for Need {
    /// `SELECT dbo.t (x, y) through dbo.v`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}.{}", self.action, self.object.schema, self.object.name)?;
        if !self.columns.is_empty() {
            let names: Vec<&str> = self.columns.iter().map(|c| &*c.1).collect();
            write!(f, " ({})", names.join(", "))?;
        }
        match &self.through {
            Some(view) => write!(f, " through {}.{}", view.schema, view.name),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Facts {
    /// The needs, one a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.needs.iter().map(Need::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}
