//! Calls of users' scalar functions in expressions.

use crate::expr::Expr;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use taffrail_catalog::Module;
use taffrail_catalog::database::Database;
use taffrail_types::convert::Declared;
use taffrail_types::{Collation, SqlType};

/// The call of a user's scalar function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UserCall {
    /// The function that is called.
    pub function: UserFunction,
    /// The arguments, of the parameters' types.
    pub args: Vec<Expr>,
    /// For each argument whether it is the parameter's default.
    pub defaulted: Vec<bool>,
    /// The statement itself names the function, and not the text of a view or of a function that has taken the place of its call.
    pub named: bool,
}

/// A user's scalar function, as it was when the statement was bound. Two are equal when they are the same version of one function.
#[derive(Clone)]
pub struct UserFunction {
    /// The database that the function belongs to.
    pub database: Arc<Database>,
    /// The function's definition.
    pub module: Arc<Module>,
}

impl UserFunction {
    /// The type of the result.
    pub fn result(&self) -> Declared {
        self.module.result.as_ref().map_or(SqlType::Int.into(), |r| r.declared())
    }

    /// The collation of a result that is text.
    pub fn collation(&self) -> Collation {
        self.database.collation()
    }
}

impl PartialEq for UserFunction {
    fn eq(&self, other: &UserFunction) -> bool {
        let key = |f: &UserFunction| (f.database.id, f.module.head.id, f.module.version);
        key(self) == key(other)
    }
}

impl Eq for UserFunction {}

impl Hash for UserFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.database.id, self.module.head.id, self.module.version).hash(state);
    }
}

impl std::fmt::Debug for UserFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.module.head.qualified())
    }
}
