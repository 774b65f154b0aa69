//! What the statements of a function may not do, found when the function is made: change anything but its own table variables,
//! send anything, end or begin transactions, be different each time. The mistakes are told in the order of the text; that the last
//! statement is no RETURN is told last.

use taffrail_base::SqlError;
use taffrail_syntax::ast::{
    self, ExecTarget, InsertSource, LineIndex, Output, QueryBody, SelectItem, SetOptionStatement,
    Statement, StatementKind as K, SwitchOption, TableRef, ValueOption, With,
};
use taffrail_syntax::{ParseOptions, calls_of};

/// State of 443 where something is changed.
const CHANGES: u8 = 15;
/// State of 443 where something is sent, waited for or handled.
const ACTS: u8 = 14;

/// Functions that come to another value with each call.
const SIDE_EFFECTS: [&str; 4] = ["newid", "newsequentialid", "rand", "Crypt_Gen_Random"];

/// A body that is looked through.
struct CheckedBody<'a> {
    text: &'a str,
    lines: LineIndex,
    /// Each with the place in the text that it is told of.
    errors: Vec<(u32, SqlError)>,
}

/// The mistakes of a body: 443, 444, 455, 2772.
pub(super) fn mistakes(s: &ast::FunctionDefinition, text: &str, quoted: bool) -> Vec<SqlError> {
    let ast::FunctionBody::Statements(statements) = &s.body else { return Vec::new() };
    let mut body = CheckedBody { text, lines: LineIndex::new(text), errors: Vec::new() };
    statements.iter().for_each(|s| body.statement(s));
    body.side_effects(s.body_span, quoted);
    body.errors.sort_by_key(|(at, _)| *at);
    if !ends_with_return(statements) {
        let at = statements.last().map_or(s.body_span.start, |s| s.span.start);
        body.note(at, SqlError::new(455, &[]).with_state(2));
    }
    let name = &s.name.name.value;
    let told = body.errors.into_iter().map(|(_, mut e)| {
        e.procedure = Some(name.clone());
        e
    });
    told.collect()
}

/// Whether a statement of the body is EXECUTE.
pub(super) fn executes(s: &ast::FunctionDefinition) -> bool {
    fn one(s: &Statement) -> bool {
        match &s.kind {
            K::Execute(_) => true,
            K::Block(list) => list.iter().any(one),
            K::If(i) => one(&i.then) || i.otherwise.iter().any(one),
            K::While(w) => one(&w.body),
            _ => false,
        }
    }
    matches!(&s.body, ast::FunctionBody::Statements(list) if list.iter().any(one))
}

/// The last statement is RETURN, or a block that ends with one.
fn ends_with_return(statements: &[Statement]) -> bool {
    match statements.last().map(|s| &s.kind) {
        Some(K::Return(_)) => true,
        Some(K::Block(list)) => ends_with_return(list),
        _ => false,
    }
}

/// The word by which 443 names a SET.
fn word_of_set(option: &SetOptionStatement) -> &'static str {
    use SwitchOption::{StatisticsIo, StatisticsProfile, StatisticsTime, StatisticsXml};
    match option {
        SetOptionStatement::Switch { options, .. } => match options.first() {
            Some(StatisticsIo | StatisticsProfile | StatisticsTime | StatisticsXml) => {
                "SET STATISTICS ON/OFF"
            }
            _ => "SET OPTION ON/OFF",
        },
        SetOptionStatement::IdentityInsert { .. } => "SET IDENTITY_INSERT ON/OFF",
        SetOptionStatement::Isolation(_) => "SET TRANSACTION ISOLATION LEVEL",
        SetOptionStatement::Value { option, .. } => match option {
            ValueOption::RowCount => "SET ROW COUNT",
            ValueOption::TextSize => "SET TEXTSIZE",
            _ => "SET COMMAND",
        },
    }
}

impl CheckedBody<'_> {
    fn note(&mut self, at: u32, e: Box<SqlError>) {
        let line = self.lines.line_of(at);
        self.errors.push((at, *e.with_line(line)));
    }

    /// 443 for an operator of this name.
    fn refuse(&mut self, at: u32, word: &str, state: u8) {
        self.note(at, SqlError::new(443, &[&word]).with_state(state));
    }

    fn statement(&mut self, s: &Statement) {
        let at = s.span.start;
        match &s.kind {
            K::Block(list) => list.iter().for_each(|s| self.statement(s)),
            K::If(i) => {
                self.statement(&i.then);
                i.otherwise.iter().for_each(|s| self.statement(s));
            }
            K::While(w) => self.statement(&w.body),
            K::Select(q) => self.select(at, q),
            K::Insert(i) => {
                let own = matches!(i.target, TableRef::Variable(_));
                let executes = matches!(i.source, InsertSource::Execute(_));
                match (own, executes) {
                    (_, true) => self.refuse(at, "INSERT EXEC", CHANGES),
                    (false, _) => self.refuse(at, "INSERT", CHANGES),
                    _ => self.output(at, &i.output, "INSERT"),
                }
            }
            K::Update(u) => match is_own(&u.target, &u.from, &u.with) {
                true => self.output(at, &u.output, "UPDATE"),
                false => self.refuse(at, "UPDATE", CHANGES),
            },
            K::Delete(d) => match is_own(&d.target, &d.from, &d.with) {
                true => self.output(at, &d.output, "DELETE"),
                false => self.refuse(at, "DELETE", CHANGES),
            },
            K::Merge(m) => match is_own(&m.target, &[], &m.with) {
                true => self.output(at, &m.output, "MERGE"),
                false => self.refuse(at, "MERGE", CHANGES),
            },
            K::Fetch(f) if f.into.is_empty() => self.note(at, SqlError::new(444, &[])),
            K::Execute(e) => {
                if matches!(e.target, ExecTarget::String(_)) {
                    self.refuse(at, "EXECUTE STRING", ACTS);
                }
            }
            K::TryCatch(t) => {
                let end_try = self.behind(t.body.last().map_or(at, |s| s.span.end), "END");
                let begin_catch = self.behind(end_try, "BEGIN");
                self.refuse(at, "BEGIN TRY", ACTS);
                t.body.iter().for_each(|s| self.statement(s));
                self.refuse(end_try, "END TRY", ACTS);
                self.refuse(begin_catch, "BEGIN CATCH", ACTS);
                t.catch.iter().for_each(|s| self.statement(s));
                self.refuse(s.span.end.saturating_sub(1), "END CATCH", ACTS);
            }
            K::Print(_) => self.refuse(at, "PRINT", ACTS),
            K::RaisError(_) => self.refuse(at, "RAISERROR", ACTS),
            K::Throw(_) => self.refuse(at, "THROW", ACTS),
            K::WaitFor(_) => self.refuse(at, "WAITFOR", ACTS),
            K::SaveTransaction(_) => self.refuse(at, "SAVEPOINT", CHANGES),
            K::SetOption(o) => self.refuse(at, word_of_set(o), CHANGES),
            K::CreateTable(t) if t.name.name.value.starts_with('#') => {
                self.note(at, SqlError::new(2772, &[]));
            }
            K::Declare(_)
            | K::SetVariable(_)
            | K::Return(_)
            | K::Break
            | K::Continue
            | K::Goto(_)
            | K::Label(_)
            | K::DeclareCursor(_)
            | K::OpenCursor(_)
            | K::Fetch(_)
            | K::CloseCursor(_)
            | K::DeallocateCursor(_) => {}
            other => self.refuse(at, other.words(), CHANGES),
        }
    }

    /// A query that gives rows: 444; one that makes a table: 443.
    fn select(&mut self, at: u32, q: &ast::SelectStatement) {
        let block = q.query.body.first_block();
        if block.into.is_some() {
            return self.refuse(at, "SELECT INTO", CHANGES);
        }
        let assigns = block.items.iter().any(|i| matches!(i, SelectItem::Assign { .. }));
        if !assigns {
            let set = matches!(q.query.body, QueryBody::Set(_));
            let state = if set || !block.from.is_empty() { 2 } else { 3 };
            self.note(at, SqlError::new(444, &[]).with_state(state));
        }
    }

    /// OUTPUT of a change: to nowhere but the function's own table variables.
    fn output(&mut self, at: u32, output: &[Output], word: &str) {
        for o in output {
            match &o.into {
                None => self.note(at, SqlError::new(444, &[]).with_state(2)),
                Some(TableRef::Variable(_)) => {}
                Some(_) => self.refuse(at, word, CHANGES),
            }
        }
    }

    /// Where a word stands behind a place in the text.
    fn behind(&self, from: u32, word: &str) -> u32 {
        let rest = self.text.as_bytes().get(from as usize..).unwrap_or_default();
        let found = rest.windows(word.len()).position(|w| w.eq_ignore_ascii_case(word.as_bytes()));
        from + found.unwrap_or(0) as u32
    }

    /// Calls of functions that have side effects.
    fn side_effects(&mut self, body: ast::Span, quoted: bool) {
        let options = ParseOptions { quoted_identifier: quoted };
        for call in calls_of(self.text, options) {
            if call.start < body.start || call.start >= body.end {
                continue;
            }
            let name = call.of(self.text).trim_matches(['[', ']', '"']);
            let found = SIDE_EFFECTS.iter().find(|f| f.eq_ignore_ascii_case(name));
            if let Some(word) = found {
                self.refuse(call.start, word, 1);
            }
        }
    }
}

/// Whether a change is one of a table variable, which FROM or a common table expression may give another name.
fn is_own(target: &TableRef, from: &[TableRef], with: &Option<With>) -> bool {
    let named = match target {
        TableRef::Variable(_) => return true,
        TableRef::Named(t) => match t.name.as_bare() {
            Some(name) => name,
            None => return false,
        },
        _ => return false,
    };
    if let Some(there) = from.iter().find_map(|r| called(r, named)) {
        return is_own(there, &[], with);
    }
    let tables = with.iter().flat_map(|w| &w.tables);
    let cte = tables.into_iter().find(|t| t.name.is(&named.value));
    cte.is_some_and(|t| match &t.query.body.first_block().from[..] {
        [only @ TableRef::Variable(_)] => is_own(only, &[], &None),
        _ => false,
    })
}

/// The source of FROM that has this name.
fn called<'r>(r: &'r TableRef, name: &ast::Ident) -> Option<&'r TableRef> {
    match r {
        TableRef::Join(j) => called(&j.left, name).or_else(|| called(&j.right, name)),
        TableRef::Variable(v) => {
            let alias = v.alias.as_ref().unwrap_or(&v.name);
            alias.is(&name.value).then_some(r)
        }
        TableRef::Named(t) => t.alias.as_ref().is_some_and(|a| a.is(&name.value)).then_some(r),
        _ => None,
    }
}
