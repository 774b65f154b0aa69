//! Execution: the batch interpreter and the operators.
//!
//! * [`module`]: a batch or procedure as statements, ready to run; [`compile`] makes it and its plans.
//! * [`interpret`]: runs statements, flow of control; [`ending`]: DONE and errors; [`fate`]: what an error ends.
//! * [`runtime`], [`eval`]: a running statement's frame, and expressions on it.
//! * [`authority`], `access`: permissions of statements, procedures and plans.
//! * [`ops`]: the operators.  [`modify`]: whatever changes rows; `into`: SELECT … INTO.
//! * [`showplan`]: plans that are shown, not run.  [`assess`]: texts that are judged, not run.
//! * [`procedure`], [`arguments`], [`insert_exec`], [`rpc`]: EXEC, prepared statements, remote calls.
//!   [`transaction`]: BEGIN to ROLLBACK. [`full_log`]: a full log. [`cursor`]: cursors.

mod access;
pub mod activation;
mod application_role;
pub(crate) mod arguments;
pub mod assess;
mod assign;
pub mod authority;
pub mod bulk;
pub(crate) mod called;
mod check;
pub mod compile;
pub mod cursor;
pub mod ddl_events;
pub mod declarations;
pub mod definition;
pub mod dependencies;
mod elsewhere;
pub(crate) mod ending;
pub(crate) mod eval;
mod execute_as;
mod executed_text;
mod fate;
pub mod figures;
mod for_json;
pub(crate) mod full_log;
pub mod function_facts;
pub mod functions;
mod handed_in;
mod handed_tables;
pub mod handles;
pub mod indexed_view;
pub(crate) mod insert_exec;
pub mod interpret;
mod into;
#[cfg(debug_assertions)]
pub mod invoked;
mod io_told;
mod key_map;
mod keyed;
mod left_out;
pub mod listed;
mod live_state;
mod measured;
pub mod metadata;
pub mod mistakes;
pub mod modify;
pub mod module;
mod next_value;
pub mod observer;
pub mod ops;
pub(crate) mod options;
mod pipelined;
mod plan_told;
pub mod planning;
pub(crate) mod plans;
pub mod predicates;
pub mod procedure;
mod profile;
pub(crate) mod properties;
pub(crate) mod query;
mod query_in;
pub(crate) mod raise;
mod readable;
pub mod references;
pub mod result_sets;
mod rows;
pub mod rpc;
pub mod runtime;
mod scalar_body;
mod scalar_function;
mod scalars;
mod schema_wait;
pub mod showplan;
mod silent;
mod synonym;
mod table_function;
pub(crate) mod table_variables;
pub(crate) mod timing;
pub(crate) mod transaction;
pub(crate) mod triggers;
mod used;
pub mod user_views;
pub(crate) mod variants;
