//! Built-in scalar functions: a table from name to argument counts, type rule and evaluation.
//!
//! ```text
//! name, argument types ──bind──▶ SettledCall { params: cast the arguments to these, result } ──eval(context, values)──▶ value
//! ```
//!
//! [`bind`] settles types once per compiled statement, so an evaluation sees values of exactly the families that the
//! function's rule promised. What a function must know of the session, the instance or the catalogue it asks of an
//! [`FnContext`], so that the functions are tested without any of them.
//!
//! The binder's own: CAST, CONVERT, CASE, COALESCE, NULLIF, IIF, CHOOSE and ISNULL are not in the table, because their
//! arguments are not all evaluated.
//!
//! | table | functions |
//! |---|---|
//! | `string` | LEN … TRANSLATE, FORMAT |
//! | `spelling` | QUOTENAME, PARSENAME, STRING_ESCAPE, SOUNDEX, DIFFERENCE |
//! | `json` | ISJSON … JSON_ARRAY, FOR JSON and OPENJSON |
//! | `math` | ABS … RAND, ISNUMERIC, CHECKSUM, NEWID (`random`, `checksum`: how RAND and CHECKSUM count) |
//! | `format` | FORMAT |
//! | `parse` | PARSE, TRY_PARSE |
//! | `zone` | AT TIME ZONE, CURRENT_TIMEZONE, CURRENT_TIMEZONE_ID |
//! | `gzip` | COMPRESS, DECOMPRESS |
//! | `bits` | LEFT_SHIFT … SET_BIT |
//! | `hash` | HASHBYTES, CRYPT_GEN_RANDOM |
//! | `password` | PWDCOMPARE, PWDENCRYPT |
//! | `date` | GETDATE … SWITCHOFFSET |
//! | `bucket` | DATETRUNC, DATE_BUCKET |
//! | `live` | what functions of live state are handed |
//! | `system` | the session: identity, errors, logins, users |
//! | `metadata` | names and ids of the catalogue, properties |
//! | `xml` | what CAST(… AS xml) checks |
//! | `mask` | the mask over a value that leaves a query |
//!
//! `placeholders` are those of RAISERROR and FORMATMESSAGE; `absent` are the functions that are refused as missing.
#![forbid(unsafe_code)]

pub mod absent;
mod bits;
mod bucket;
mod checksum;
pub mod context;
mod date;
pub mod datepart;
mod format;
mod globals;
mod gzip;
mod hash;
pub mod json;
pub mod live;
pub mod mask;
mod math;
pub mod memory;
mod metadata;
pub mod parse;
pub mod password;
pub mod pieces;
pub mod placeholders;
pub mod random;
mod search;
pub mod spelling;
mod string;
mod system;
#[cfg(test)]
mod tests;
mod typing;
pub mod xml;
pub mod xquery;
pub mod zone;

pub use context::{FnContext, LiveState, Moment, Property, StoredMessage, system_message};
pub use datepart::DatePart;
pub use globals::{global, global_type};
pub use live::LiveCall;

use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Collation, SqlType, Value};

/// Whether the same arguments give the same result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Determinism {
    /// May be folded when the arguments are constant.
    Deterministic,
    /// Depends on the session or catalogue: the same within one statement.
    PerStatement,
    /// New in every call (NEWID).
    PerCall,
}

/// Types of a call, settled.
pub struct Signature {
    /// The types that the arguments are to be cast to.
    pub params: SmallVec<[SqlType; 4]>,
    /// The type of the result.
    pub result: SqlType,
}

/// A built-in function: its name, type rule and code.
pub struct Function {
    /// The name in capitals.
    pub name: &'static str,
    /// Least and greatest number of arguments, a datepart not counted.
    pub args: (u8, u8),
    /// The first argument in the source is a datepart keyword, not an expression.
    pub datepart: bool,
    /// The conditions under which two calls give the same value.
    pub determinism: Determinism,
    /// Types of the result and the arguments.
    pub rule: fn(&Rule<'_>) -> SqlResult<Signature>,
    /// Computes. Arguments are of the families of the signature's params.
    pub code: Code,
}

/// The code of a function, by what it may ask for.
pub enum Code {
    /// It asks for what is the session's own, and for the catalogue.
    Own(fn(&Call<'_>, &[Value]) -> SqlResult<Value>),
    /// It asks for state that other sessions' commits change.
    Live(fn(&LiveCall<'_>, &[Value]) -> SqlResult<Value>),
}

impl Function {
    /// A row of a table: deterministic, without a datepart.
    const fn new(
        name: &'static str,
        least: u8,
        most: u8,
        rule: fn(&Rule<'_>) -> SqlResult<Signature>,
        eval: fn(&Call<'_>, &[Value]) -> SqlResult<Value>,
    ) -> Function {
        Function {
            name,
            args: (least, most),
            datepart: false,
            determinism: Determinism::Deterministic,
            rule,
            code: Code::Own(eval),
        }
    }

    /// A row of a table: of live state, so that a call gives what is there within its statement.
    const fn live(
        name: &'static str,
        least: u8,
        most: u8,
        rule: fn(&Rule<'_>) -> SqlResult<Signature>,
        eval: fn(&LiveCall<'_>, &[Value]) -> SqlResult<Value>,
    ) -> Function {
        Function {
            name,
            args: (least, most),
            datepart: false,
            determinism: Determinism::PerStatement,
            rule,
            code: Code::Live(eval),
        }
    }

    /// The same, depending on the session or catalogue.
    const fn per_statement(mut self) -> Function {
        self.determinism = Determinism::PerStatement;
        self
    }

    /// The same, new in every call.
    const fn per_call(mut self) -> Function {
        self.determinism = Determinism::PerCall;
        self
    }

    /// The function with a datepart before its arguments.
    const fn with_datepart(mut self) -> Function {
        self.datepart = true;
        self
    }
}

/// The facts about a call that a type rule sees.
pub struct Rule<'a> {
    /// Name as in messages (lower case).
    pub name: &'a str,
    /// The types of the arguments.
    pub args: &'a [SqlType],
    /// The datepart, where the function takes one.
    pub datepart: Option<DatePart>,
}

/// The facts that an evaluation sees beside its arguments.
pub struct Call<'a> {
    /// The session that evaluates the call.
    pub context: &'a dyn FnContext,
    /// The call with its types settled.
    pub bound: &'a SettledCall,
}

/// A function with its types settled.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SettledCall {
    function: Named,
    /// The datepart, where the function takes one.
    pub datepart: Option<DatePart>,
    /// The type that each argument is cast to (implicitly) where its own differs.
    pub params: SmallVec<[SqlType; 4]>,
    /// The type of the result.
    pub result: SqlType,
    /// The collation that each argument is compared under; the default one where nothing is said.
    pub collations: SmallVec<[Collation; 4]>,
    /// What a JSON function makes of its arguments.
    pub form: Option<Arc<json::Form>>,
    /// The mask of a [`mask::MASK`].
    pub mask: Option<Arc<mask::Mask>>,
}

/// A function of the table: a name is one function's.
#[derive(Clone, Copy)]
struct Named(&'static Function);

impl PartialEq for Named {
    fn eq(&self, other: &Named) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Named {}

impl std::hash::Hash for Named {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl std::ops::Deref for Named {
    type Target = Function;

    fn deref(&self) -> &Function {
        self.0
    }
}

impl std::fmt::Debug for SettledCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?} -> {}", self.function.name, self.params, self.result)
    }
}

impl SettledCall {
    /// The [`Determinism`] of the function.
    pub fn determinism(&self) -> Determinism {
        self.function.determinism
    }

    /// Whether it is a method of xml.
    pub fn is_of_xml(&self) -> bool {
        xml::FUNCTIONS.iter().chain(xquery::FUNCTIONS).any(|f| f.name == self.function.name)
    }

    /// Whether its text arguments are compared with each other, under one collation.
    pub fn compares(&self) -> bool {
        matches!(
            self.function.name,
            "CHARINDEX" | "PATINDEX" | "REPLACE" | "TRANSLATE" | "GREATEST" | "LEAST"
        )
    }

    /// The function's name, upper case.
    pub fn name(&self) -> &'static str {
        self.function.name
    }

    /// Evaluates the call; the arguments are of the types of `params`.
    pub fn eval(&self, context: &dyn FnContext, args: &[Value]) -> SqlResult<Value> {
        debug_assert_eq!(args.len(), self.params.len());
        live::eval(&self.function.code, context, self, args)
    }
}

/// The tables of all functions.
static TABLES: [&[Function]; 17] = [
    string::FUNCTIONS,
    spelling::FUNCTIONS,
    json::FUNCTIONS,
    math::FUNCTIONS,
    bits::FUNCTIONS,
    gzip::FUNCTIONS,
    hash::FUNCTIONS,
    parse::FUNCTIONS,
    password::FUNCTIONS,
    date::FUNCTIONS,
    bucket::FUNCTIONS,
    system::FUNCTIONS,
    metadata::FUNCTIONS,
    xml::FUNCTIONS,
    xquery::FUNCTIONS,
    zone::FUNCTIONS,
    mask::FUNCTIONS,
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Function>> =
    LazyLock::new(|| TABLES.iter().flat_map(|t| t.iter()).map(|f| (f.name, f)).collect());

/// The function that a test has registered.
static OF_A_TEST: OnceLock<Function> = OnceLock::new();

/// Registers a function for a test: it is found by its name like those of the tables. A process has one such function at most.
#[doc(hidden)]
pub fn register_for_test(function: Function) {
    let function = OF_A_TEST.get_or_init(|| function);
    assert!(!BY_NAME.contains_key(function.name), "a name is one function's");
}

/// The function of that name, in any case.
pub fn find(name: &str) -> Option<&'static Function> {
    let name = &*name.to_ascii_uppercase();
    let found = BY_NAME.get(name).copied();
    found.or_else(|| OF_A_TEST.get().filter(|f| f.name == name))
}

/// The names of the functions and `@@variables` that ask for state which other sessions' commits change.
pub fn names_of_live() -> impl Iterator<Item = &'static str> {
    let all = TABLES.iter().flat_map(|t| t.iter());
    let functions = all.filter(|f| matches!(f.code, Code::Live(_))).map(|f| f.name);
    functions.chain(globals::names_of_live())
}

/// Whether SQL Server has a function of this name that is not here.
pub fn is_absent(name: &str) -> bool {
    crate::absent::function(name) && find(name).is_none()
}

/// Whether the named function tells of the catalogue: of objects, columns, types, files and the like.
pub fn reads_catalogue(name: &str) -> bool {
    name != "PARSENAME" && metadata::FUNCTIONS.iter().any(|f| f.name == name)
}

/// Whether the function is an operator or has a syntax of its own: its name is not called.
pub fn has_own_syntax(name: &str) -> bool {
    matches!(name, "PARSE" | "TRY_PARSE" | zone::OPERATOR)
}

/// Whether the first argument of the named function is a datepart keyword.
pub fn takes_datepart(name: &str) -> bool {
    find(name).is_some_and(|f| f.datepart)
}

/// Settles a call: 195 for an unknown name, 174 and 189 for a wrong number of arguments, 155 for a datepart that is
/// none, 8116 and others for types. `datepart` is the keyword where [`takes_datepart`]; `args` are the other arguments.
pub fn bind(name: &str, datepart: Option<&str>, args: &[SqlType]) -> SqlResult<SettledCall> {
    let Some(function) = find(name) else {
        return Err(SqlError::new(195, &[&name, &"built-in function name"]));
    };
    let lower = function.name.to_ascii_lowercase();
    let (least, most) = function.args;
    let part = function.datepart as usize;
    let given = args.len() + datepart.is_some() as usize;
    if given < least as usize + part || given > most as usize + part {
        return Err(if least == most {
            SqlError::new(174, &[&lower, &(least as usize + part)])
        } else {
            SqlError::new(189, &[&lower, &(least as usize + part), &(most as usize + part)])
        });
    }
    let datepart = match datepart {
        Some(word) => Some(datepart::parse(word, &lower)?),
        None => None,
    };
    let signature = (function.rule)(&Rule { name: &lower, args, datepart })?;
    debug_assert_eq!(signature.params.len(), args.len(), "{lower}");
    let Signature { params, result } = signature;
    let function = Named(function);
    let collations = SmallVec::new();
    Ok(SettledCall { function, datepart, params, result, collations, form: None, mask: None })
}
