//! A module that an expression calls, entered from inside a statement that runs. Only tests register a function that does so, and only
//! debug builds have its code: it shows that an activation owns what runs, and that the statement around the call goes on as if nothing
//! had been.

use super::activation::Way;
use super::called::Passed;
use super::interpret::{Interpreter, Unwind};
use super::procedure::Home;
use super::silent::Silent;
use crate::session::context::StatementContext;
use std::cell::RefCell;
use taffrail_base::SqlResult;
use taffrail_base::message::{cancelled, client_gone};
use taffrail_types::convert::Large;
use taffrail_types::{SqlType, Value};

/// The function that tests register: the name of a procedure and its first argument; gives its second, which is for output.
pub const NAME: &str = "ENTERS_A_PROCEDURE";

thread_local! {
    /// Where the calls of the function stood on the thread's stack.
    static PLACES: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Takes the addresses at which the calls of the function stood on this thread's stack, in their order.
pub fn take_places() -> Vec<usize> {
    PLACES.take()
}

/// Calls the function.
pub(crate) fn call(cx: &mut StatementContext<'_>, args: &[Value]) -> SqlResult<Value> {
    let here = 0_u8;
    PLACES.with_borrow_mut(|places| places.push(std::ptr::from_ref(&here).addr()));
    let name = args[0].as_text().unwrap_or_default();
    let int = |value: Value, output| Passed {
        name: String::new(),
        value: Some(value),
        ty: SqlType::Int,
        large: Large::Plain,
        typed: true,
        output,
        table: None,
        cursor: None,
    };
    let passed = [int(args[1].clone(), false), int(Value::Null, true)];
    let mut sink = Silent(cx.sink);
    let mut it = Interpreter::new(cx.session, &mut sink);
    let database = it.session.database.clone();
    let home = Home { database: &database, schema: None };
    let callee = it.session.find_procedure(None, None, &name, home, &name)?;
    match it.call(callee, &name, &passed, Way { expression: true, ..Way::default() }) {
        Ok(Ok(returned)) => Ok(returned.outputs.into_iter().next().map_or(Value::Null, |o| o.1)),
        Ok(Err(failed)) => Err(failed.error),
        Err(Unwind::Error(e) | Unwind::Caller(e)) => Err(e),
        Err(Unwind::Cancelled) => Err(cancelled()),
        // The connection ends: the client has heard why, or has gone.
        Err(Unwind::Module | Unwind::Batch | Unwind::Insert | Unwind::Gone) => Err(client_gone()),
    }
}
