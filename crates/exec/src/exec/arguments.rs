//! Arguments of a call into the parameters of a module.

use super::activation::Locals;
use super::called::{Passed, PassedCursor};
use super::interpret::Interpreter;
use super::module::{Default, Module, Parameter};
use crate::plan::expr::Expr;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_types::convert::{Declared, Large};
use taffrail_types::{Conversion, Value, convert};

/// The parameters that are for output: the place of each argument and of its parameter, and each cursor's parameter and variable.
pub(crate) type Loaded = (Vec<(usize, usize)>, Vec<(usize, PassedCursor)>);

/// Arguments in their places.
pub(crate) struct BoundArguments {
    /// The parameters' values.
    pub values: Vec<Value>,
    /// What is passed for output: its place among the arguments, and the parameter's.
    pub outputs: Vec<(usize, usize)>,
    /// The tables that go to table-valued parameters, in their order; none: an empty one.
    pub tables: Vec<Option<ObjectId>>,
    /// The parameters that are cursors, by place, and the variables that take them.
    pub cursors: Vec<(usize, PassedCursor)>,
    /// Parameters whose default is still to be looked up.
    pub late: Vec<(usize, Arc<Expr>)>,
}

/// Whether a parameter is of a table type and the argument a table of that type, or neither, and likewise with cursors: 206, 16951.
fn handed_in(parameter: &Parameter, p: &Passed) -> SqlResult<()> {
    let clash = |from: &dyn std::fmt::Display, to: &dyn std::fmt::Display| {
        Err(SqlError::new(206, &[from, to]))
    };
    match (parameter.cursor, &p.cursor) {
        (true, Some(c)) if c.allocated => return Err(SqlError::new(16951, &[&c.name])),
        (false, Some(_)) => return clash(&"cursor", &parameter.ty.name()),
        (true, None) if p.value.as_ref().is_some_and(|v| p.typed || !v.is_null()) => {
            return clash(&p.ty.name(), &"cursor");
        }
        _ => {}
    }
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

/// Puts arguments into a module's parameters: 201, 206, 8143, 8144, 8145, 8146, 8162, 8178, 16951.
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
    let mut cursors = Vec::new();
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
        if let Some(c) = &p.cursor {
            cursors.push((at, c.clone()));
            values[at] = Some(Value::Null);
            continue;
        }
        if parameters[at].cursor {
            // NULL for no cursor: nothing comes back.
            values[at].clone_from(&p.value);
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
                        true => crate::functions::xml::as_xml_of(v, 0, session.page())?,
                        false => {
                            let context = session.convert_context();
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
    Ok(BoundArguments { values: out, outputs, late, tables, cursors })
}

impl Interpreter<'_> {
    /// Puts a module and its arguments into the activation; gives what is passed for output, see [`BoundArguments`].
    pub(super) fn load(
        &mut self,
        module: &Arc<Module>,
        name: &str,
        passed: &[Passed],
    ) -> SqlResult<Loaded> {
        let bound = bind_arguments(self.session, module, name, &module.parameters, passed)?;
        let BoundArguments { values, outputs, late, tables, cursors } = bound;
        let mut locals = Locals::counting(module.clone());
        locals.handed = tables;
        for (at, v) in values.into_iter().enumerate() {
            locals.vars[at] = v;
        }
        for (at, e) in late {
            locals.vars[at] = self.eval_alone(&e)?;
        }
        let activation = &mut self.session.activation;
        activation.locals = locals;
        // What a procedure was created under, or what dynamic text sets, holds in it.
        if let Some(on) = module.quoted_identifier {
            activation.options.quoted_identifier = on;
        }
        if let Some(on) = module.ansi_nulls {
            activation.options.ansi_nulls = on;
        }
        Ok((outputs, cursors))
    }
}
