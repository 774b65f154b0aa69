//! The verdicts that looks at statements come to.

use super::{is_definition, parts, text_of};
use crate::exec::interpret::source_of;
use crate::exec::module::{Module, Stmt, StmtKind};
use std::collections::BTreeMap;
use taffrail_base::SqlError;
use taffrail_syntax::ast::Span;

/// The judgement of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The statement runs here.
    Runs,
    /// The error that it ends with: 40510 for what is not built.
    Refused(Box<SqlError>),
    /// A reason why nothing is said of it.
    NotJudged(String),
}

/// A statement with its judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Where the statement begins, in bytes of the text.
    pub start: usize,
    /// Where the statement ends, one past its last byte.
    pub end: usize,
    /// The judgement of the statement.
    pub verdict: Verdict,
}

/// The result of one look.
pub(crate) enum LookResult {
    /// There was nothing wrong.
    Fine,
    /// The error that it ends with.
    Error(Box<SqlError>),
    /// The reason why nothing could be found.
    Unknown(&'static str),
}

impl LookResult {
    /// The result of a look that could not bind a statement: IDENTITY_INSERT may be set on the way.
    pub(crate) fn of_binding(e: Box<SqlError>) -> LookResult {
        match e.number {
            544 | 545 | 8101 => LookResult::Fine,
            _ => LookResult::Error(e),
        }
    }
}

/// One look at a statement.
pub(crate) struct Look {
    /// The statement's place in its text.
    pub span: Span,
    /// The number of the look at the text.
    pub round: u8,
    /// The result of the look.
    pub outcome: LookResult,
}

/// The numbers of names that are not there: tables, functions, procedures, sequences, columns' types, databases, users, schemas.
const NAMES: &[i32] = &[
    208, 470, 911, 1087, 1088, 1750, 1767, 1913, 2715, 2760, 2812, 3701, 4121, 4701, 4902, 5011,
    5313, 11726, 15151, 15404, 15410,
];

/// The verdict on an error. Of several that a statement ends with the first says what is wrong.
fn on_error(mut e: Box<SqlError>) -> Verdict {
    if !e.before.is_empty() {
        let first = e.before.swap_remove(0);
        e = Box::new(first);
    }
    match NAMES.contains(&e.number) {
        true => Verdict::NotJudged(format!("{} (message {})", e.message, e.number)),
        false => Verdict::Refused(e),
    }
}

/// The verdict of several looks at one statement. Of a round all must be fine.
fn of_looks(looks: Vec<Look>) -> Verdict {
    let rounds: Vec<u8> = looks.iter().map(|l| l.round).collect();
    let fine = |round: &u8| {
        looks.iter().filter(|l| l.round == *round).all(|l| matches!(l.outcome, LookResult::Fine))
    };
    if rounds.iter().any(fine) {
        return Verdict::Runs;
    }
    let mut verdict = Verdict::Runs;
    for look in looks {
        let next = match look.outcome {
            LookResult::Fine => continue,
            LookResult::Error(e) => on_error(e),
            LookResult::Unknown(why) => Verdict::NotJudged(why.into()),
        };
        // What is not built stays so, whatever comes later.
        match &verdict {
            Verdict::Refused(e) if e.number == 40510 => {}
            _ => verdict = next,
        }
    }
    verdict
}

/// The place of the first letter of a line.
fn place_of_line(text: &str, line: u32) -> (usize, usize) {
    let mut start = 0;
    for (n, part) in text.split_inclusive('\n').enumerate() {
        if n as u32 + 1 == line.max(1) {
            let indent = part.len() - part.trim_start().len();
            return (start + indent, start + part.trim_end().len().max(indent));
        }
        start += part.len();
    }
    (text.len(), text.len())
}

/// The verdicts on a text that cannot be compiled: an error each.
pub(crate) fn of_errors(text: &str, errors: &[SqlError]) -> Vec<Judged> {
    let judged = |e: &SqlError| {
        let (start, end) = place_of_line(text, e.line);
        Judged { start, end, verdict: Verdict::Refused(Box::new(e.clone())) }
    };
    errors.iter().map(judged).collect()
}

/// The verdict on a statement at which no look was possible.
fn without_a_look(module: &Module, s: &Stmt) -> Verdict {
    let not = |why: &str| Verdict::NotJudged(why.into());
    match &s.kind {
        kind if is_definition(kind, text_of(module, s.span)) => not(
            "it was not reached: in a loop, in a branch that was not taken, or under SET NOEXEC",
        ),
        StmtKind::Registered(..) | StmtKind::Kill(..) => {
            not("it is not run for an assessment: it concerns a server or files")
        }
        _ if source_of(s).is_some() => not("a name that it needs was not there"),
        _ => Verdict::Runs,
    }
}

/// The verdicts on all statements of a text, by their places. Errors that no look has met are of the statement on their line.
pub(crate) fn put_together(
    module: &Module,
    looks: Vec<Look>,
    heard: Vec<SqlError>,
    executed: bool,
) -> Vec<Judged> {
    let mut by_place: BTreeMap<(u32, u32), Vec<Look>> = BTreeMap::new();
    for look in looks {
        by_place.entry((look.span.start, look.span.end)).or_default().push(look);
    }
    let mut found: BTreeMap<(u32, u32), Verdict> = BTreeMap::new();
    let mut lines: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    fn walk(list: &[Stmt], each: &mut impl FnMut(&Stmt)) {
        for s in list {
            if !matches!(s.kind, StmtKind::Block(_) | StmtKind::TryCatch(..) | StmtKind::Label(_)) {
                each(s);
            }
            parts(&s.kind).into_iter().for_each(|list| walk(list, each));
        }
    }
    walk(&module.statements, &mut |s| {
        let place = (s.span.start, s.span.end);
        let verdict = match by_place.remove(&place) {
            _ if executed => Verdict::Runs,
            Some(looks) => of_looks(looks),
            None => without_a_look(module, s),
        };
        lines.entry(s.line).or_insert(place);
        found.insert(place, verdict);
    });
    // Statements of bodies.
    found.extend(by_place.into_iter().map(|(place, looks)| (place, of_looks(looks))));
    for e in heard {
        let met = found.values().any(|v| match v {
            Verdict::Refused(other) => other.number == e.number,
            Verdict::NotJudged(why) => why.ends_with(&format!("(message {})", e.number)),
            Verdict::Runs => false,
        });
        if executed || !met {
            let place = lines.range(..=e.line).next_back().map_or((0, 0), |(_, place)| *place);
            let verdict = match executed {
                true => Verdict::Refused(Box::new(e)),
                false => on_error(Box::new(e)),
            };
            found.insert(place, verdict);
        }
    }
    let judged = |((start, end), verdict): ((u32, u32), Verdict)| Judged {
        start: start as usize,
        end: end as usize,
        verdict,
    };
    found.into_iter().map(judged).collect()
}
