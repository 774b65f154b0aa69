//! The statements of a module that have plans, for views of the plan cache.

use super::interpret::source_of;
use super::module::{Code, Cond, Module, Stmt, StmtKind};
use super::planning::Source;

/// A statement of a module that is planned, or an expression of one.
pub struct Planned<'m> {
    /// The statement in which it stands.
    pub statement: &'m Stmt,
    /// The number of its plan.
    pub plan: u32,
    /// The source of the plan.
    pub source: Source<'m>,
    /// Where its text begins and ends in the module's, in bytes.
    pub place: (i32, i32),
}

impl Module {
    /// Its statements that are planned, in the order of the text.
    pub fn planned(&self) -> Vec<Planned<'_>> {
        let mut out = Vec::new();
        list(&self.statements, &mut out);
        for planned in &mut out {
            // A condition's text would end where the statement behind it begins.
            let (start, end) = (planned.place.0 as usize, planned.place.1 as usize);
            let text = self.text.get(start..end).unwrap_or_default();
            planned.place.1 -= (text.len() - text.trim_end().len()) as i32;
        }
        out
    }
}

fn list<'m>(statements: &'m [Stmt], out: &mut Vec<Planned<'m>>) {
    for s in statements {
        one(s, out);
    }
}

fn one<'m>(s: &'m Stmt, out: &mut Vec<Planned<'m>>) {
    let place = |end: u32| (s.span.start as i32, end as i32);
    let whole = place(s.span.end);
    let mut add = |plan, source, place| out.push(Planned { statement: s, plan, source, place });
    match &s.kind {
        StmtKind::Block(inner) => list(inner, out),
        StmtKind::TryCatch(body, catch) => {
            list(body, out);
            list(catch, out);
        }
        StmtKind::If(condition, then, others) => {
            if let Cond::Lazy(e, plan) = condition {
                add(*plan, Source::Condition(e), place(then.span.start));
            }
            one(then, out);
            list(others, out);
        }
        StmtKind::While(condition, body) => {
            if let Cond::Lazy(e, plan) = condition {
                add(*plan, Source::Condition(e), place(body.span.start));
            }
            one(body, out);
        }
        StmtKind::Set(_, code) | StmtKind::Return(Some(code)) | StmtKind::Result(code) => {
            if let Code::Lazy(e, plan, to) = code {
                add(*plan, Source::Scalar(e, *to), whole);
            }
        }
        StmtKind::Declare(declared) => {
            for code in declared.iter().filter_map(|d| d.value()) {
                if let Code::Lazy(e, plan, to) = code {
                    add(*plan, Source::Scalar(e, *to), whole);
                }
            }
        }
        _ => {
            if let Some(source) = source_of(s) {
                add(s.plan, source, whole);
            }
        }
    }
}
