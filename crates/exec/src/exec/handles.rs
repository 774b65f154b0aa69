//! The handles by which texts and plans are known to views, and what hashes tell of queries and plans.
//!
//! | | bytes |
//! |---|---|
//! | `sql_handle` of a batch | `02 00 00 00`, 16 of the hash of its text |
//! | `sql_handle` of a module | `03 00`, 2 of its database, 4 of its id, 12 of the hash of its text |
//! | `plan_handle` | `06` of a batch or `05` of a module, `00`, 2 of the database, 4 of the id or of the text's hash, 8 of the plan's number, 28 of zeros |

use super::listed::Planned;
use super::module::{Module, Parameter, Plan};
use super::showplan::document::ToldPlan;
use crate::plan::names::Names;
use crate::plan::showplan::document::missing_indexes;
use crate::plan::showplan::{self, Line, Xml};
use crate::plan::text::literal;
use std::hash::Hasher;
use taffrail_syntax::{Fnv, shape_of};
use taffrail_types::Value;

/// Bytes of a plan's handle, as SQL Server has them.
const PLAN_HANDLE: usize = 44;

/// FNV-1a of 128 bits.
fn hash(text: &str) -> u128 {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for byte in text.bytes() {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    hash
}

/// The handle of a batch.
pub fn handle_of_text(text: &str) -> [u8; 20] {
    let mut handle = [2; 20];
    handle[1..4].fill(0);
    handle[4..].copy_from_slice(&hash(text).to_be_bytes());
    handle
}

/// The handle of a module: its database, its id and its text.
pub fn handle_of_object(database: u16, object: i32, text: &str) -> [u8; 20] {
    let mut handle = [0; 20];
    handle[0] = 3;
    handle[2..4].copy_from_slice(&database.to_le_bytes());
    handle[4..8].copy_from_slice(&object.to_le_bytes());
    handle[8..].copy_from_slice(&hash(text).to_be_bytes()[..12]);
    handle
}

impl Module {
    /// The handle of its text.
    pub fn sql_handle(&self) -> [u8; 20] {
        *self.handle.get_or_init(|| {
            let statements = self.told();
            match statements.object {
                Some((database, object)) => handle_of_object(database, object, &statements.text),
                None => handle_of_text(&statements.text),
            }
        })
    }

    /// The handle of its plan: no other one of the process has it.
    pub fn plan_handle(&self) -> [u8; PLAN_HANDLE] {
        let (sql, mut handle) = (self.sql_handle(), [0; PLAN_HANDLE]);
        let own = self.object();
        handle[0] = if own.is_some() { 5 } else { 6 };
        handle[2..4].copy_from_slice(&self.compiled.database.0.to_le_bytes());
        handle[4..8].copy_from_slice(&sql[4..8]);
        handle[8..16].copy_from_slice(&self.compiled.number.to_le_bytes());
        handle
    }

    /// `query_hash` of one of its statements: of its text without constants.
    pub fn query_hash(&self, planned: &Planned<'_>) -> u64 {
        let (start, end) = (planned.place.0 as usize, planned.place.1 as usize);
        let quoted = self.quoted_identifier.unwrap_or(self.compiled.options.quoted_identifier);
        shape_of(self.text.get(start..end).unwrap_or_default(), quoted)
    }

    /// Database and id of a module of the catalogue; none of a batch, and of the server's own procedures.
    pub fn object(&self) -> Option<(u16, i32)> {
        let database = self.database.as_ref()?;
        (self.object_id > 0).then_some((database.id.0, self.object_id))
    }

    /// `query_plan_hash` of a plan of the module.
    pub fn plan_hash(&self, plan: &Plan) -> u64 {
        *plan.hash.get_or_init(|| hash_of(&plan.lines(self)))
    }

    /// A plan of the module as documents tell it. `values`: those of its parameters, where it has run.
    pub(crate) fn told_plan(&self, plan: &Plan, values: Vec<Value>) -> ToldPlan {
        let lines = plan.lines(self);
        let missing = missing_indexes(&plan.kind, &plan.subqueries);
        let parameters = self.told_parameters(&lines, &values);
        let hash = *plan.hash.get_or_init(|| hash_of(&lines));
        ToldPlan { hash, lines, missing, cached: self.bytes, parameters }
    }

    /// `ColumnReference` of each parameter that a plan reads.
    pub(crate) fn told_parameters(&self, lines: &[Line], values: &[Value]) -> Vec<Xml> {
        let read = |p: &&(usize, &Parameter)| {
            let name = format!("[{}]", p.1.name);
            lines.iter().any(|l| l.argument.contains(&name))
        };
        let all: Vec<_> = self.parameters.iter().enumerate().collect();
        let one = |(at, p): &(usize, &Parameter)| {
            let x = Xml::new("ColumnReference")
                .attr("Column", &p.name)
                .attr("ParameterDataType", p.ty.to_string());
            match values.get(*at) {
                Some(v) => x.attr("ParameterRuntimeValue", literal(v)),
                None => x,
            }
        };
        all.iter().filter(read).map(one).collect()
    }
}

impl Plan {
    /// Its operators, as they are shown.
    pub(crate) fn lines(&self, module: &Module) -> Vec<Line> {
        let variables = module.variables.list.iter().map(|v| v.name.clone()).collect();
        let names = Names::planned(&self.kind, &self.subqueries, self.columns.len(), variables);
        showplan::lines(&self.kind, &self.subqueries, &names, &self.columns)
    }
}

/// `query_plan_hash`: of operators and of what they read and write, constants left out.
pub(crate) fn hash_of(lines: &[Line]) -> u64 {
    let mut hash = Fnv::default();
    for line in lines {
        let object = line.argument.split_once("OBJECT:(").map_or("", |(_, rest)| rest);
        let object = object.split_once("])").map_or(object, |(own, _)| own);
        hash.write_u64(line.parent.map_or(0, |p| p as u64 + 1));
        for part in [line.physical, line.logical, object] {
            hash.write(part.as_bytes());
            hash.write(&[0]);
        }
    }
    hash.finish()
}
