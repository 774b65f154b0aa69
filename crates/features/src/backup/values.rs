//! Variables in BACKUP and RESTORE: replaced by what they hold before the statement runs.

use crate::features::Values;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{
    Device, Ident, NameOrVariable, NamedOption, OptionValue, Statement, StatementKind,
};
use taffrail_types::{SqlType, Value, text};

/// The statement with its variables replaced; none when it has none or takes none.
pub(super) fn filled_in(
    statement: &Statement,
    look_up: Values<'_>,
) -> SqlResult<Option<Statement>> {
    let mut copy = match &statement.kind {
        StatementKind::Backup(_) | StatementKind::Restore(_) => statement.clone(),
        _ => return Ok(None),
    };
    match &mut copy.kind {
        StatementKind::Backup(b) => {
            name(&mut b.database, look_up)?;
            options(&mut b.parts, look_up)?;
            devices(&mut b.to, look_up)?;
            for mirror in &mut b.mirrors {
                devices(mirror, look_up)?;
            }
            options(&mut b.options, look_up)?;
        }
        StatementKind::Restore(r) => {
            if let Some(database) = &mut r.database {
                name(database, look_up)?;
            }
            options(&mut r.parts, look_up)?;
            devices(&mut r.from, look_up)?;
            options(&mut r.options, look_up)?;
            for (logical, path) in &mut r.moves {
                value(logical, look_up)?;
                value(path, look_up)?;
            }
        }
        _ => {}
    }
    Ok(Some(copy))
}

fn name(n: &mut NameOrVariable, look_up: Values<'_>) -> SqlResult<()> {
    if let NameOrVariable::Variable(v) = n {
        let held = look_up(&v.value)?;
        let Some(text) = held.as_text() else { return Err(SqlError::new(3217, &[&"database"])) };
        *n = NameOrVariable::Name(Ident { value: text.into(), span: v.span, delimited: true });
    }
    Ok(())
}

fn devices(list: &mut [Device], look_up: Values<'_>) -> SqlResult<()> {
    list.iter_mut().try_for_each(|d| value(&mut d.target, look_up))
}

fn options(list: &mut [NamedOption], look_up: Values<'_>) -> SqlResult<()> {
    list.iter_mut().filter_map(|o| o.value.as_mut()).try_for_each(|v| value(v, look_up))
}

fn value(v: &mut OptionValue, look_up: Values<'_>) -> SqlResult<()> {
    let OptionValue::Variable(name) = v else { return Ok(()) };
    let held = look_up(&name.value)?;
    let moment = match &held {
        Value::DateTime { .. } => Some(SqlType::DateTime),
        Value::DateTime2 { .. } => Some(SqlType::DateTime2(7)),
        _ => None,
    };
    if let Some(ty) = moment {
        *v = OptionValue::Text(text::display(&held, ty).into());
        return Ok(());
    }
    *v = match (held.as_text(), held.as_i64()) {
        (Some(text), _) => OptionValue::Text(text.into()),
        (None, Some(number)) => OptionValue::Number(number.to_string().into()),
        // Nothing, or something that no option takes: whoever reads the option says so.
        (None, None) => OptionValue::Text("".into()),
    };
    Ok(())
}
