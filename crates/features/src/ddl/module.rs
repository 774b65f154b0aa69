//! CREATE and ALTER PROCEDURE; what procedures and views have in common.

use super::clauses::{resolve_type, types_of};
use super::resolve::Target;
use super::{create, events, resolve, user_type};
use crate::binder::declared::named_too_wide;
use crate::binder::user_types::TypesInSight;
use crate::catalog::is_global_temp;
use crate::catalog::rows;
use crate::catalog::{ModuleOptions, Object, ObjectHead, ObjectKind, Parameter};
use crate::database::Database;
use crate::exec::declarations::{check_cursor, check_readonly};
use crate::exec::mistakes;
use crate::session::Session;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{ObjectId, Origin, SqlError, SqlResult};
use taffrail_storage::Transaction;
use taffrail_syntax::ast::{self, ModuleVerb, NamedOption, OptionValue};
use taffrail_types::SqlType;
use taffrail_types::convert::Large;

/// `CREATE | ALTER PROCEDURE`. `text` is the whole batch: what the catalogue keeps.
pub(crate) fn procedure(
    cx: &mut StatementContext<'_>,
    s: &ast::ProcedureDefinition,
    text: &str,
) -> SqlResult<()> {
    if s.name.database.is_some() {
        return Err(SqlError::new(166, &[&"CREATE/ALTER PROCEDURE"]));
    }
    if s.number.is_some_and(|n| n != 1) {
        return Err(unsupported("A numbered procedure"));
    }
    let WrittenOptions { options, execute_as, .. } =
        written_options(cx, &s.options, "PROCEDURE", &["RECOMPILE", "EXECUTE AS"])?;
    let database = cx.database();
    let types = types_in(cx.session, &database, &s.name);
    let mut parameters: Vec<Parameter> = Vec::new();
    for (i, p) in s.parameters.iter().enumerate() {
        parameters.push(parameter(&types, p, i, &parameters)?);
    }
    let claimed = claim(cx, ObjectKind::Procedure, &s.name, s.verb)?;
    let id = claimed.head.id;
    let temp = claimed.target.temp.as_deref();
    let name = temp.unwrap_or(&claimed.head.name);
    let schema = Some(&*claimed.head.schema).filter(|s| !s.eq_ignore_ascii_case("dbo"));
    let errors = mistakes::of_definition(cx, &database, &text.into(), (name, schema))?;
    tell_mistakes(cx, errors)?;
    user_type::hold_for_module(cx, &database, parameters.iter())?;
    keep(cx, &claimed, s.verb, text, |tx| {
        rows::write_execute_as(tx, id, execute_as)?;
        rows::write_module_options(tx, id, &options)?;
        rows::write_parameters(tx, id, &parameters)
    })?;
    if claimed.is_new {
        match temp {
            Some(temp) => cx.session.add_temp_procedure(temp, id),
            None if is_global_temp(&claimed.head.name) => cx.session.temps.global.push(id),
            None => {}
        }
    }
    Ok(())
}

/// The options that a procedure, view or trigger is written with.
#[derive(Default)]
pub(super) struct WrittenOptions {
    pub options: ModuleOptions,
    pub execute_as: Option<i32>,
    pub schema_bound: bool,
}

/// The options after WITH, ENCRYPTION and those of `own` among them: 1039 for one that stands twice, 487 for one that `kind` has not,
/// 195 for one that no module has.
pub(super) fn written_options(
    cx: &StatementContext<'_>,
    list: &[NamedOption],
    kind: &str,
    own: &[&str],
) -> SqlResult<WrittenOptions> {
    let mut written = WrittenOptions::default();
    for (at, option) in list.iter().enumerate() {
        let name = option.name.value.to_ascii_uppercase();
        if list[..at].iter().any(|before| before.name.is(&name)) {
            return Err(SqlError::new(1039, &[&option.name.value]));
        }
        match &*name {
            "ENCRYPTION" => written.options.encrypted = true,
            "SCHEMABINDING" if !own.contains(&&*name) => return Err(SqlError::new(10796, &[])),
            "NATIVE_COMPILATION" => return Err(unsupported("WITH NATIVE_COMPILATION")),
            "RECOMPILE" | "EXECUTE AS" | "VIEW_METADATA" if !own.contains(&&*name) => {
                return Err(SqlError::new(487, &[&format_args!("CREATE/ALTER {kind}")]));
            }
            "SCHEMABINDING" => written.schema_bound = true,
            "RECOMPILE" => written.options.recompile = true,
            "VIEW_METADATA" => written.options.view_metadata = true,
            "EXECUTE AS" => written.execute_as = principal(cx, option.value.as_ref())?,
            _ => return Err(SqlError::new(195, &[&option.name.value, &"option"])),
        }
    }
    Ok(written)
}

/// The types of users that a module of this name sees: those of its own schema first.
pub(super) fn types_in<'a>(
    session: &Session,
    database: &'a Database,
    module: &'a ast::ObjectName,
) -> TypesInSight<'a> {
    let schema = module.schema.as_ref().map(|s| &*s.value).filter(|s| !s.is_empty());
    TypesInSight { schema, ..types_of(session, database) }
}

/// The `at`th parameter, counted from 0, behind those of `before`: 134.
pub(super) fn parameter(
    types: &TypesInSight<'_>,
    p: &ast::Parameter,
    at: usize,
    before: &[Parameter],
) -> SqlResult<Parameter> {
    if before.iter().any(|known| known.name.eq_ignore_ascii_case(&p.name.value)) {
        return Err(SqlError::new(134, &[&p.name.value]));
    }
    check_cursor(p, p.varying)?;
    if p.is_cursor() {
        return Ok(Parameter {
            name: (&*p.name.value).into(),
            ty: SqlType::Int,
            large: Large::Plain,
            user_type: 0,
            readonly: false,
            output: true,
            has_default: p.default.is_some(),
            cursor: true,
        });
    }
    let named = resolve_type(types, &p.ty, at + 1);
    let named = named.map_err(|e| named_too_wide(e, &p.ty, &p.name.value))?;
    check_readonly(&named, p)?;
    Ok(Parameter {
        name: (&*p.name.value).into(),
        ty: named.declared.ty,
        large: named.declared.large(),
        user_type: named.user_type,
        readonly: named.table.is_some(),
        output: p.output,
        has_default: p.default.is_some(),
        cursor: false,
    })
}

/// Tells the mistakes of a definition; the last one is the statement's error.
pub(super) fn tell_mistakes(
    cx: &mut StatementContext<'_>,
    mut errors: Vec<SqlError>,
) -> SqlResult<()> {
    let Some(last) = errors.pop() else { return Ok(()) };
    for e in errors {
        let line = std::mem::replace(&mut cx.line, e.line);
        cx.reason(Box::new(e))?;
        cx.line = line;
    }
    // As if it had been found while the batch was read.
    Err(Box::new(last).with_origin(Origin::Binding))
}

/// dbo's `principal_id`.
const DBO_USER: i32 = 1;

/// The principal of EXECUTE AS CALLER, SELF, OWNER or 'user': 15151 where there is no such user, or none that may be impersonated.
pub(super) fn principal(
    cx: &StatementContext<'_>,
    value: Option<&OptionValue>,
) -> SqlResult<Option<i32>> {
    let (who, quoted) = match value {
        Some(OptionValue::Word(w)) => (&*w.value, false),
        Some(OptionValue::Text(t)) => (&**t, true),
        _ => return Err(SqlError::new(102, &[&"EXECUTE"])),
    };
    let is = |name: &str| who.eq_ignore_ascii_case(name);
    match quoted {
        false if is("CALLER") => Ok(None),
        false if is("OWNER") => Ok(Some(-2)),
        false if is("SELF") => Ok(Some(cx.session.identity()?.user.max(DBO_USER))),
        false => Err(SqlError::new(102, &[&who])),
        true => match cx.session.impersonable(who)? {
            Some(id) => Ok(Some(id)),
            None => Err(SqlError::new(15151, &[&"execute as", &"user", &who])),
        },
    }
}

/// A module that is created or altered: its name is locked, and so is what has it.
pub(super) struct Claimed {
    pub target: Target,
    pub head: ObjectHead,
    /// Nothing had the name.
    pub is_new: bool,
}

/// Takes a name for a module of a kind, or the module that has the name: 208, 2010, 2714.
pub(super) fn claim(
    cx: &mut StatementContext<'_>,
    kind: ObjectKind,
    name: &ast::ObjectName,
    verb: ModuleVerb,
) -> SqlResult<Claimed> {
    let target = resolve::target(cx, name)?;
    let catalog = &target.database.catalog;
    let existing = match &target.temp {
        // The session alone finds it.
        Some(temp) => {
            let known = cx.session.find_temp_table(temp).map(|t| t.object_id);
            known.and_then(|id| catalog.object(id, cx.session.id))
        }
        None => {
            if let Some(object) = resolve::lock_name(cx, &target)? {
                resolve::lock(cx, &target.database, object.head().id)?;
            }
            catalog.find(target.schema.id, &target.name, cx.session.id)
        }
    };
    let is_new = existing.is_none();
    let head = match (existing, verb) {
        (Some(_), ModuleVerb::Create) => {
            let name = target.temp.as_ref().unwrap_or(&target.name);
            let taken = SqlError::new(2714, &[name]).with_state(3);
            return Err(taken.in_procedure(name).with_line(cx.line));
        }
        (Some(object), _) if object.head().kind == kind => {
            let mut head = object.head().clone();
            head.modified = catalog.now();
            head
        }
        (Some(_), _) => {
            let other = SqlError::new(2010, &[name]);
            return Err(other.in_procedure(&target.name).with_line(cx.line));
        }
        (None, ModuleVerb::Alter) => return Err(SqlError::new(208, &[name]).with_state(6)),
        (None, _) => {
            let schema = (target.schema.id, &target.schema.name);
            create::head(catalog, kind, schema, &target.name, ObjectId(0))?
        }
    };
    Ok(Claimed { target, head, is_new })
}

/// Writes a module to the catalogue, with what else there is of its kind. `text` is the whole batch.
pub(super) fn keep(
    cx: &mut StatementContext<'_>,
    claimed: &Claimed,
    verb: ModuleVerb,
    text: &str,
    write_more: impl FnOnce(&mut Transaction) -> SqlResult<()>,
) -> SqlResult<()> {
    let Claimed { target, head, is_new } = claimed;
    let definition = match verb {
        ModuleVerb::Alter => as_create(text),
        _ => text.to_string(),
    };
    let (quoted, nulls) =
        (cx.session.activation.options.quoted_identifier, cx.session.activation.options.ansi_nulls);
    resolve::lock(cx, &target.database, head.id)?;
    let session = cx.session.id;
    let tx = cx.transaction(&target.database)?;
    rows::write_object(tx, head, 0)?;
    rows::write_module(tx, head.id, &definition, quoted, nulls)?;
    write_more(tx)?;
    target.database.catalog.refresh(tx, session, &[head.id])?;
    let kept = target.database.catalog.object(head.id, session);
    if let Some(module) = kept.as_ref().and_then(Object::as_module)
        && target.temp.is_none()
    {
        events::of_module(cx, if *is_new { "CREATE" } else { "ALTER" }, &target.database, module);
    }
    Ok(())
}

/// The text of an ALTER as the CREATE that the catalogue keeps. The first word that is no comment is ALTER, but where a CREATE (OR ALTER)
/// is refreshed: its text stays as it is.
fn as_create(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        if rest.starts_with("--") {
            at += rest.find('\n').map_or(rest.len(), |n| n + 1);
        } else if rest.starts_with("/*") {
            let mut depth = 0;
            while at < bytes.len() {
                if bytes[at..].starts_with(b"/*") {
                    depth += 1;
                    at += 2;
                } else if bytes[at..].starts_with(b"*/") {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        break;
                    }
                } else {
                    at += 1;
                }
            }
        } else if bytes.len() - at >= 5 && bytes[at..at + 5].eq_ignore_ascii_case(b"alter") {
            return format!("{}CREATE{}", &text[..at], &text[at + 5..]);
        } else {
            match rest.chars().next() {
                Some(c) if c.is_alphabetic() => break,
                c => at += c.map_or(1, char::len_utf8),
            }
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::as_create;

    #[test]
    fn an_alter_is_kept_as_a_create() {
        let text = "-- alter\n/* alter /* alter */ */ ALTER PROC p AS SELECT 'alter'";
        let kept = "-- alter\n/* alter /* alter */ */ CREATE PROC p AS SELECT 'alter'";
        assert_eq!(as_create(text), kept);
        for text in [
            "CREATE OR ALTER PROC p AS SELECT 1",
            "/* . */ create proc p AS SELECT alternative FROM t",
        ] {
            assert_eq!(as_create(text), text);
        }
    }
}
