//! Arguments of a call into the parameters of a module.

use super::called::Passed;
use super::module::{Default, Module, Parameter};
use crate::plan::expr::Expr;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_types::convert::{Declared, Large};
use taffrail_types::{Conversion, Value, convert};

/// Arguments in their places.
pub(crate) struct BoundArguments {
    /// The parameters' values.
    pub values: Vec<Value>,
    /// What is passed for output: its place among the arguments, and the parameter's.
    pub outputs: Vec<(usize, usize)>,
    /// The tables that go to table-valued parameters, in their order; none: an empty one.
    pub tables: Vec<Option<ObjectId>>,
    /// Parameters whose default is still to be looked up.
    pub late: Vec<(usize, Arc<Expr>)>,
}

/// Whether a parameter is of a table type and the argument a table of that type, or neither: 206.
fn handed_in(parameter: &Parameter, p: &Passed) -> SqlResult<()> {
    let clash = |from: &dyn std::fmt::Display, to: &dyn std::fmt::Display| {
        Err(SqlError::new(206, &[from, to]))
    };
    match (&parameter.table, &p.table) {
        (Some(to), Some((from, _))) if to != from => clash(&from.name, &to.name),
        (None, Some((from, _))) => clash(&from.name, &parameter.ty.name()),
        // NULL as a client sends it for no table.
        (Some(to), None) if p.value.as_ref().is_some_and(|v| p.typed || !v.is_null()) => {
            clash(&p.ty.name(), &to.name)
        }
        _ => Ok(()),
    }
}

/// Puts arguments into a module's parameters: 201, 206, 8144, 8145, 8143, 8146, 8162, 8178.
pub(crate) fn bind_arguments(
    session: &Session,
    module: &Module,
    name: &str,
    parameters: &[Parameter],
    passed: &[Passed],
) -> SqlResult<BoundArguments> {
    let collation = taffrail_types::Collation::default();
    let mut values: Vec<Option<Value>> = vec![None; parameters.len()];
    let mut given = vec![false; parameters.len()];
    let mut outputs = Vec::new();
    let mut tables = vec![None; parameters.len()];
    let context = session.activation.options.convert_context();
    if parameters.is_empty() && !passed.is_empty() && module.name.is_some() {
        return Err(SqlError::new(8146, &[&name]).with_state(2));
    }
    for (n, p) in passed.iter().enumerate() {
        let at = if p.name.is_empty() {
            if n >= parameters.len() {
                return Err(SqlError::new(8144, &[&name]).with_state(2));
            }
            n
        } else {
            let found = parameters.iter().position(|k| collation.eq_str(&k.name, &p.name));
            found.ok_or_else(|| SqlError::new(8145, &[&p.name, &name]).with_state(2))?
        };
        if given[at] {
            return Err(SqlError::new(8143, &[&parameters[at].name]));
        }
        given[at] = true;
        let to = parameters[at].ty;
        handed_in(&parameters[at], p)?;
        if let Some((_, id)) = &p.table {
            tables[at] = Some(*id);
            continue;
        }
        if p.output {
            if !parameters[at].output {
                return Err(SqlError::new(8162, &[&parameters[at].name]).with_state(2));
            }
            outputs.push((n, at));
        }
        if let Some(v) = &p.value {
            let parameter = &parameters[at];
            let declared = Declared::new(to, parameter.large);
            let own = Declared::new(p.ty, p.large);
            let v = match v {
                Value::Null if !p.typed || own == declared => Value::Null,
                v if own == declared => v.clone(),
                v => {
                    convert::check_declared(own, declared, Conversion::Implicit)?;
                    match parameter.large == Large::Xml {
                        _ if v.is_null() => Value::Null,
                        true => crate::functions::xml::as_xml(v, 0)?,
                        false => {
                            convert::cast_with(v, p.ty, to, None, Conversion::Implicit, &context)
                                .map_err(|e| match e.number {
                                    // A parameter's conversion is 8114, whatever the value says.
                                    220 | 232 | 235 | 241 | 242 | 244 | 245 | 248 | 295 | 8115 => {
                                        SqlError::new(8114, &[&p.ty.name(), &to.name()])
                                            .with_state(5)
                                    }
                                    _ => e,
                                })?
                        }
                    }
                }
            };
            values[at] = Some(v);
        } else {
            given[at] = false;
        }
    }
    let mut out = Vec::with_capacity(parameters.len());
    let mut late = Vec::new();
    for (p, v) in parameters.iter().zip(values) {
        if p.table.is_some() {
            out.push(Value::Null);
            continue;
        }
        out.push(match (v, &p.default) {
            (Some(v), _) => v,
            (None, Some(Default::Value(d))) => d.clone(),
            (None, Some(Default::Global(e))) => {
                late.push((out.len(), e.clone()));
                Value::Null
            }
            (None, None) => {
                if module.name.is_none() {
                    let text = format!("({}){}", module.declarations, module.text);
                    return Err(SqlError::new(8178, &[&text, &p.name]));
                }
                return Err(SqlError::new(201, &[&name, &p.name]).with_state(4));
            }
        });
    }
    let of_types = parameters.iter().zip(tables).filter(|(p, _)| p.table.is_some());
    let tables = of_types.map(|(_, id)| id).collect();
    Ok(BoundArguments { values: out, outputs, late, tables })
}
