//! Functions of live state: what commits of other sessions change at any moment.
//!
//! With PIPELINED_COMMIT such a commit need not be durable yet, so a session that has asked depends on it. Nobody has to remember that:
//! the state can be asked for by functions of [`Code::Live`] alone, and the session notes it before it hands the state to one of them.
//!
//! ```text
//! Code::Own(fn(&Call, …))       context: what is the session's own, and the catalogue, which shows nothing that is not durable
//! Code::Live(fn(&LiveCall, …))  the same, and state: only here, behind FnContext::live
//! ```

use super::context::LiveState;
use super::{Call, Code, FnContext, SettledCall};
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// The right to ask a context for live state: nothing but the evaluation of a function that is registered for it has one.
pub struct Registered(());

/// The facts that an evaluation of a function of live state sees beside its arguments.
pub struct LiveCall<'a> {
    /// The state that commits change.
    pub state: &'a dyn LiveState,
    /// The call, as other functions have it.
    pub call: Call<'a>,
}

impl<'a> std::ops::Deref for LiveCall<'a> {
    type Target = Call<'a>;

    fn deref(&self) -> &Call<'a> {
        &self.call
    }
}

/// Evaluates a call by the code of its function.
pub(super) fn eval(
    code: &Code,
    context: &dyn FnContext,
    bound: &SettledCall,
    args: &[Value],
) -> SqlResult<Value> {
    let call = Call { context, bound };
    match code {
        Code::Own(eval) => eval(&call, args),
        Code::Live(eval) => eval(&LiveCall { state: context.live(&Registered(())), call }, args),
    }
}

/// The value of an `@@variable` of live state.
pub(super) fn global(context: &dyn FnContext, value: fn(&dyn LiveState) -> Value) -> Value {
    value(context.live(&Registered(())))
}
