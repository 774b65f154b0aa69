//! CREATE and ALTER FUNCTION.
//!
//! The catalogue keeps the batch's text, the parameters, the result of a scalar function, and the columns that a table-valued one had when
//! it was made.

use super::module::{self, parameter, principal, types_in};
use super::{function_body, inlineable, schema_binding, user_type};
use crate::binder::user_types::TypesInSight;
use crate::binder::{Binder, Variable, Variables};
use crate::catalog::{Column, DBO, FunctionFacts, ModuleOptions, ObjectKind, Parameter, rows};
use crate::database::Database;
use crate::exec::function_facts::{self, Beneath};
use crate::exec::metadata::SessionMetadata;
use crate::exec::mistakes;
use crate::exec::showplan::unmade_parameters;
use crate::features::tables::tables;
use crate::plan::facts::Need;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{self, FunctionReturns, OptionValue};
use taffrail_types::Collation;

/// The severity of mistakes of syntax.
const SYNTAX: u8 = 15;

/// The options after WITH.
#[derive(Default)]
struct FunctionOptions {
    facts: FunctionFacts,
    /// INLINE = ON was written.
    inline: bool,
    execute_as: Option<i32>,
    module: ModuleOptions,
}

/// `CREATE | ALTER FUNCTION`. `text` is the whole batch: what the catalogue keeps.
pub(crate) fn function(
    cx: &mut StatementContext<'_>,
    s: &ast::FunctionDefinition,
    text: &str,
) -> SqlResult<()> {
    if s.name.database.is_some() {
        return Err(SqlError::new(166, &[&"CREATE/ALTER FUNCTION"]));
    }
    let name = &*s.name.name.value;
    if name.starts_with('#') {
        return Err(SqlError::new(1074, &[]));
    }
    let kind = match &s.returns {
        FunctionReturns::Scalar(_) => ObjectKind::ScalarFunction,
        FunctionReturns::InlineTable => ObjectKind::InlineFunction,
        FunctionReturns::Table(..) => ObjectKind::TableFunction,
    };
    let FunctionOptions { facts: written, inline, execute_as, module } = options(cx, s, kind)?;
    let database = cx.database();
    let types = types_in(cx.session, &database, &s.name);
    let parameters = parameters(s, &types)?;
    let result = result(s, &types)?;
    let mut held = Vec::new();
    let (columns, facts) = loop {
        let version = database.catalog.version(cx.session.id);
        let columns = columns(cx, s, &parameters, text)?;
        let mut facts = written;
        let needs = learn(cx, s, (&parameters, text), execute_as, &mut facts)?;
        if schema_binding::hold(cx, &database, &needs, version, &mut held)? {
            break (columns, facts);
        }
    };
    if inline && !facts.inlineable {
        return Err(SqlError::new(16203, &[]));
    }
    let claimed = module::claim(cx, kind, &s.name, s.verb)?;
    if s.verb != ast::ModuleVerb::Create {
        let database = claimed.target.database.clone();
        schema_binding::require_unbound(cx, &database, claimed.head.id, "ALTER", &s.name)?;
    }
    let id = claimed.head.id;
    user_type::hold_for_module(cx, &claimed.target.database, parameters.iter().chain(&result))?;
    if kind == ObjectKind::TableFunction {
        user_type::hold(cx, &claimed.target.database, &columns)?;
    }
    module::keep(cx, &claimed, s.verb, text, |tx| {
        rows::write_execute_as(tx, id, execute_as)?;
        rows::write_module_options(tx, id, &module)?;
        rows::write_signature(tx, id, &parameters, result.as_ref(), &columns)?;
        rows::write_function_facts(tx, id, &facts)
    })?;
    database.catalog.bind_to(cx.session.id, &held);
    Ok(())
}

/// The result of a scalar function.
fn result(s: &ast::FunctionDefinition, types: &TypesInSight<'_>) -> SqlResult<Option<Parameter>> {
    let FunctionReturns::Scalar(ty) = &s.returns else { return Ok(None) };
    let named = types.named(ty, 0)?.scalar(ty, 0)?;
    Ok(Some(Parameter {
        name: "".into(),
        ty: named.declared.ty,
        large: named.declared.large(),
        user_type: named.user_type,
        readonly: false,
        output: true,
        has_default: false,
        cursor: false,
    }))
}

/// The columns of a function that gives rows; the body of one that has statements is checked.
fn columns(
    cx: &mut StatementContext<'_>,
    s: &ast::FunctionDefinition,
    parameters: &[Parameter],
    text: &str,
) -> SqlResult<Vec<Column>> {
    match &s.returns {
        FunctionReturns::InlineTable => columns_of_query(cx, s, parameters, text),
        FunctionReturns::Table(variable, body) => {
            check_body(cx, s, text)?;
            let own = cx.database().collation();
            let table = tables().unmade_variable(cx.session, own, &variable.value, body, text)?;
            Ok(table.columns)
        }
        FunctionReturns::Scalar(_) => {
            check_body(cx, s, text)?;
            Ok(Vec::new())
        }
    }
}

/// Adds the facts that the function's text decides, and refuses what a schema-bound one may not stand on; gives the objects beneath a
/// schema-bound one.
fn learn(
    cx: &mut StatementContext<'_>,
    s: &ast::FunctionDefinition,
    (parameters, text): (&[Parameter], &str),
    execute_as: Option<i32>,
    facts: &mut FunctionFacts,
) -> SqlResult<Vec<Need>> {
    let name = &*s.name.name.value;
    if facts.schema_bound && function_body::executes(s) {
        let e = SqlError::new(4516, &[&s.name]);
        return Err(e.in_procedure(name).with_line(1));
    }
    let form = execute_as.is_none() && inlineable::has_the_form(s);
    if !facts.schema_bound && !form {
        return Ok(Vec::new());
    }
    let beneath = beneath(cx, s, parameters, text)?;
    facts.inlineable |= form && !beneath.stays;
    if facts.schema_bound {
        let checked = schema_binding::check(cx, "function", &s.name, &beneath);
        checked.map_err(|e| e.in_procedure(name).with_line(1))?;
    }
    let found = beneath.facts;
    facts.deterministic = found.deterministic;
    facts.imprecise = found.imprecise;
    facts.reads_data = found.reads_data || !facts.schema_bound;
    facts.reads_system = found.reads_system || !facts.schema_bound;
    Ok(if facts.schema_bound { beneath.needs } else { Vec::new() })
}

/// The options: 487 for one that this kind of function has not, 1039, 195 for one that no function has.
fn options(
    cx: &StatementContext<'_>,
    s: &ast::FunctionDefinition,
    kind: ObjectKind,
) -> SqlResult<FunctionOptions> {
    let mut options = FunctionOptions::default();
    let is_inline_table = kind == ObjectKind::InlineFunction;
    let is_scalar = kind == ObjectKind::ScalarFunction;
    let mut seen: Vec<String> = Vec::new();
    for option in &s.options {
        let name = option.name.value.to_ascii_uppercase();
        // The two ways of NULL are one option.
        let same = if name.ends_with("NULL INPUT") { "NULL INPUT" } else { &*name };
        if seen.iter().any(|n| n == same) {
            return Err(SqlError::new(1039, &[&option.name.value]));
        }
        seen.push(same.into());
        let refused = || Err(SqlError::new(487, &[&"CREATE/ALTER FUNCTION"]));
        match &*name {
            "SCHEMABINDING" => options.facts.schema_bound = true,
            "RETURNS NULL ON NULL INPUT" if is_scalar => options.facts.null_on_null_input = true,
            "CALLED ON NULL INPUT" if is_scalar => {}
            "RETURNS NULL ON NULL INPUT" | "CALLED ON NULL INPUT" => return refused(),
            "INLINE" if is_scalar => match &option.value {
                Some(OptionValue::On) => options.inline = true,
                Some(OptionValue::Off) => options.facts.inline_off = true,
                _ => return Err(SqlError::new(102, &[&"INLINE"])),
            },
            "INLINE" => return refused(),
            "EXECUTE AS" if is_inline_table => return refused(),
            "EXECUTE AS" => options.execute_as = principal(cx, option.value.as_ref())?,
            "ENCRYPTION" => options.module.encrypted = true,
            "NATIVE_COMPILATION" => return Err(unsupported("WITH NATIVE_COMPILATION")),
            _ => return Err(SqlError::new(195, &[&option.name.value, &"option"])),
        }
    }
    // Of what is not schema-bound nothing is verified.
    options.facts.inlineable = is_inline_table;
    options.facts.reads_data = !options.facts.schema_bound;
    options.facts.reads_system = !options.facts.schema_bound;
    Ok(options)
}

/// What stands beneath the function, as it would be made.
fn beneath(
    cx: &mut StatementContext<'_>,
    s: &ast::FunctionDefinition,
    parameters: &[Parameter],
    text: &str,
) -> SqlResult<Beneath> {
    let database = cx.database();
    let schema = s.name.schema.as_ref().map(|s| &*s.value);
    let name = &*s.name.name.value;
    if s.returns == FunctionReturns::InlineTable {
        let id = old_id(cx, &database, schema.unwrap_or("dbo"), name);
        let schema = schema.unwrap_or("dbo");
        return function_facts::of_query(cx.session, &database, (id, schema), s, parameters, text);
    }
    let head = (name, schema.filter(|s| !s.eq_ignore_ascii_case("dbo")));
    function_facts::of_text(cx.session, &database, &text.into(), head)
}

/// The id of the object that has the name; 0 where there is none.
fn old_id(cx: &StatementContext<'_>, database: &Database, schema: &str, name: &str) -> ObjectId {
    let (catalog, session) = (&database.catalog, cx.session.id);
    let schema = catalog.schema(schema, session).map_or(DBO, |s| s.id);
    catalog.find(schema, name, session).map_or(ObjectId(0), |o| o.head().id)
}

fn parameters(s: &ast::FunctionDefinition, types: &TypesInSight<'_>) -> SqlResult<Vec<Parameter>> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for (i, p) in s.parameters.iter().enumerate() {
        if p.output {
            return Err(SqlError::new(181, &[]));
        }
        if p.ty.name.name.is("cursor") {
            return Err(SqlError::new(5306, &[&p.name.value]));
        }
        parameters.push(parameter(types, p, i, &parameters)?);
    }
    Ok(parameters)
}

/// Checks a body of statements, all of whose mistakes are told.
fn check_body(
    cx: &mut StatementContext<'_>,
    s: &ast::FunctionDefinition,
    text: &str,
) -> SqlResult<()> {
    let database = cx.database();
    let schema = s.name.schema.as_ref().map(|s| &*s.value);
    let schema = schema.filter(|s| !s.eq_ignore_ascii_case("dbo"));
    let head = (&*s.name.name.value, schema);
    let mut errors = mistakes::of_definition(cx, &database, &text.into(), head)?;
    // A mistake of syntax is told alone.
    if errors.iter().all(|e| e.severity > SYNTAX) {
        let quoted = cx.session.activation.options.quoted_identifier;
        errors.extend(function_body::mistakes(s, text, quoted));
    }
    module::tell_mistakes(cx, errors)
}

/// The columns of an inline function: 4506, 4514, and what its query raises.
fn columns_of_query(
    cx: &mut StatementContext<'_>,
    s: &ast::FunctionDefinition,
    parameters: &[Parameter],
    text: &str,
) -> SqlResult<Vec<Column>> {
    let database = cx.database();
    let name = &*s.name.name.value;
    let schema = s.name.schema.as_ref().map_or("dbo", |s| &*s.value);
    let lines = ast::LineIndex::new(text);
    let variable = |p: &Parameter| Variable {
        name: p.name.to_string(),
        ty: (!p.readonly).then_some(p.ty),
        large: p.large,
        user_type: p.user_type,
        readonly: p.readonly,
        cursor: false,
    };
    let variables = Variables { list: parameters.iter().map(variable).collect() };
    let id = old_id(cx, &database, schema, name);
    let bound = cx.settled(|cx| {
        cx.session.lookups.failed_views.take();
        let tables = unmade_parameters(cx.session, &database, parameters)?;
        let metadata = SessionMetadata::new(cx.session, &database, &[]).with_unmade(&tables);
        metadata.as_view(&database, schema);
        let mut binder = Binder::new(&metadata, &variables, &lines);
        Ok(binder.bind_inline((database.id, id), s)?.columns)
    });
    let bound = match bound {
        Ok(bound) => bound,
        Err(e) => {
            let e = e.in_procedure(name).with_line(1);
            return Err(cx.binding_failed(e)?);
        }
    };
    let fail = |e: Box<SqlError>| Err(e.in_procedure(name).with_line(1));
    let mut columns: Vec<Column> = Vec::with_capacity(bound.len());
    for (i, c) in bound.iter().enumerate() {
        if c.name.is_empty() {
            return fail(SqlError::new(4514, &[&(i + 1)]));
        }
        if columns.iter().any(|k| Collation::default().eq_str(&k.name, &c.name)) {
            return fail(SqlError::new(4506, &[&c.name, &name]));
        }
        let collation = c.collation.unwrap_or_default();
        let id = i as i32 + 1;
        let mut column = rows::view_column(id, (&*c.name).into(), c.ty, c.nullable, collation);
        column.user_type = c.user_type;
        column.is_identity = c.identity;
        column.set_large(c.large);
        columns.push(column);
    }
    Ok(columns)
}
