//! Execution: the batch interpreter and the operators.
//!
//! * [`module`]: a batch or procedure as statements, ready to run; [`compile`] makes it and its plans.
//! * [`interpret`]: runs statements, flow of control; [`ending`]: DONE and errors; [`fate`]: what an error ends.
//! * [`runtime`], [`eval`]: a running statement's frame, and expressions on it.
//! * [`ops`]: the operators.  [`modify`]: whatever changes rows; `into`: SELECT … INTO.
//! * [`showplan`]: plans that are shown, not run.
//! * [`procedure`], [`arguments`], [`insert_exec`], [`rpc`]: EXEC, prepared statements, remote calls.
//!   [`transaction`]: BEGIN to ROLLBACK. [`full_log`]: a full log. [`cursor`]: cursors.

pub(crate) mod activation;
pub(crate) mod arguments;
mod assign;
pub(crate) mod bulk;
pub(crate) mod called;
mod check;
pub(crate) mod compile;
pub(crate) mod cursor;
mod declarations;
pub(crate) mod definition;
mod elsewhere;
pub(crate) mod ending;
pub(crate) mod eval;
mod fate;
pub(crate) mod full_log;
pub(crate) mod functions;
mod handed_in;
pub(crate) mod insert_exec;
pub(crate) mod interpret;
mod into;
#[cfg(test)]
mod invoked;
mod key_map;
mod keyed;
pub(crate) mod metadata;
pub(crate) mod mistakes;
pub(crate) mod modify;
pub(crate) mod module;
pub(crate) mod observer;
pub(crate) mod ops;
pub(crate) mod options;
pub(crate) mod planning;
pub(crate) mod plans;
pub(crate) mod procedure;
pub(crate) mod properties;
pub(crate) mod query;
mod query_in;
pub(crate) mod raise;
pub(crate) mod references;
pub(crate) mod rpc;
pub(crate) mod runtime;
mod scalar_function;
mod scalars;
mod schema_wait;
pub(crate) mod showplan;
mod silent;
mod table_function;
pub(crate) mod table_variables;
pub(crate) mod timing;
pub(crate) mod transaction;
pub(crate) mod user_views;
pub(crate) mod variants;
