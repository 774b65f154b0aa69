//! T-SQL that takes a committed transaction back.
//!
//! Its changes are taken back one by one, the last one first. Each statement looks for the row exactly as the change left it, and ends the
//! script where it is not there; so the rows that others have changed since are never overwritten. The changes are read in pieces of
//! some thousand, the last piece first; of a piece of long rows the last megabytes are kept, and what is before them is read again.

use super::Ticks;
use super::batch::Range;
use super::ends::{Ended, Xact};
use super::history::{History, Owner};
use super::literal::{
    bracketed, comparable, is, literal, on_one_line, portable, quoted, survives_a_file,
};
use super::row::{self, Field};
use super::scan::{Change, Kind, Scan};
use super::shown::local;
use super::source::Source;
use crate::catalog::{Sight, Table};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use taffrail_base::{LogPos, ObjectId, SqlError, SqlResult, TransactionId};
use taffrail_log::{Entry, Lop, Record};
use taffrail_storage::access::record::changes::{RowChange, Stored, hobt_change, row_change};
use taffrail_storage::access::record::facts;
use taffrail_types::{SqlType, text};

/// Changes of a piece.
const PIECE: usize = 8 << 10;

/// So many transactions of one number are named in a message.
const MOST_TOLD: usize = 8;

/// Bytes of rows that are kept.
const BYTES: usize = 8 << 20;

/// Which transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    /// By the log's number.
    Id(TransactionId),
    /// By the number that views show while it runs.
    Number(u64),
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Named::Id(id) => write!(f, "{id}"),
            Named::Number(n) => write!(f, "{n}"),
        }
    }
}

/// The statements of a script, one after the other.
pub(crate) struct Undo {
    source: Arc<Source>,
    history: Arc<History>,
    txn: TransactionId,
    xact: Xact,
    /// Pieces that are not taken back yet: where they begin, and the end of the last one.
    pieces: Vec<LogPos>,
    end: LogPos,
    /// Changes that are to be taken back next, the last one first.
    changes: VecDeque<Change>,
    queue: VecDeque<String>,
    /// Statements given out.
    given: usize,
    /// The table for which IDENTITY_INSERT is on.
    identity: Option<String>,
    /// What comes behind the changes.
    last: Option<Vec<String>>,
}

/// What the first reading finds of a transaction.
struct Found {
    txn: TransactionId,
    xact: Xact,
    pieces: Vec<LogPos>,
    end: LogPos,
    changes: usize,
    /// Records since a row began to move from page to page.
    since_move: usize,
    objects: BTreeSet<ObjectId>,
}

impl Found {
    /// By its begin record.
    fn begun(r: &Record<'_>) -> Found {
        Found {
            txn: r.header.txn,
            xact: Xact::default(),
            pieces: vec![r.pos],
            end: r.pos,
            changes: 0,
            since_move: 0,
            objects: BTreeSet::new(),
        }
    }

    /// A record of it.
    fn see(&mut self, e: &Entry<'_>, history: &History) {
        let (r, h) = (&e.record, &e.record.header);
        self.xact.see(e);
        self.end = LogPos(r.pos.0 + 1);
        let object = match hobt_change(r) {
            Some((_, facts)) => Some(facts.object),
            None => history.owner(h.hobt).map(|o| o.object),
        };
        let Some(object) = object.filter(|o| o.0 > 0) else { return };
        self.objects.insert(object);
        if h.is_compensation() {
            return;
        }
        self.since_move += 1;
        if self.changes >= PIECE && self.since_move > 3 {
            self.pieces.push(r.pos);
            self.changes = 0;
        }
        self.changes += 1;
        if let Some((true, RowChange::Inserted(b))) = row_change(r)
            && let Some(Stored::Moved(..)) = Stored::of(true, b)
        {
            self.since_move = 0;
        }
    }

    /// For messages: which one it is.
    fn told(&self) -> String {
        match self.xact.ended {
            Some(Ended::Committed { lsn, time }) => {
                let time = text::display(&local(time), SqlType::DateTime2(7));
                format!("{}, committed {time} at {lsn}", self.txn)
            }
            _ => self.txn.to_string(),
        }
    }
}

/// The first reading: looks for the transactions that are named.
struct Search {
    named: Named,
    /// Those that have not ended yet.
    running: Vec<Found>,
    /// Those that committed.
    committed: Vec<Found>,
    /// There can be no other.
    over: bool,
}

impl Search {
    fn of(named: Named) -> Search {
        Search { named, running: Vec::new(), committed: Vec::new(), over: false }
    }

    fn see(&mut self, e: &Entry<'_>, history: &History) {
        let (r, h) = (&e.record, &e.record.header);
        if h.op == Lop::BeginXact && self.means(r) {
            self.running.push(Found::begun(r));
        }
        let Some(at) = self.running.iter().position(|f| f.txn == h.txn) else { return };
        self.running[at].see(e, history);
        // A number is that of the session's transaction: what was rolled back to a savepoint may have borne it first.
        if matches!(h.op, Lop::CommitXact | Lop::AbortXact) {
            let ended = self.running.swap_remove(at);
            if h.op == Lop::CommitXact {
                self.committed.push(ended);
            }
            self.over = matches!(self.named, Named::Id(_));
        }
    }

    fn means(&self, begin: &Record<'_>) -> bool {
        match self.named {
            Named::Id(id) => id == begin.header.txn,
            Named::Number(n) => facts::begin(begin).and_then(|b| b.number) == Some(n),
        }
    }

    /// The one that was meant. An error where there is none, or more than one.
    fn found(mut self, database: &str) -> SqlResult<Found> {
        match (self.committed.pop(), self.committed.is_empty()) {
            (None, _) => Err(not_there(&self.named, database)),
            (Some(one), true) => Ok(one),
            (Some(last), false) => {
                self.committed.push(last);
                Err(ambiguous(&self.named, database, &self.committed))
            }
        }
    }
}

fn size(c: &Change) -> usize {
    let row = |r: &Option<Vec<u8>>| r.as_ref().map_or(0, Vec::len);
    size_of::<Change>() + row(&c.before) + row(&c.after)
}

/// The transaction is not in the log, or did not commit: a slip of who asks, and no damage, of which 9003's own text speaks.
fn not_there(named: &Named, database: &str) -> Box<SqlError> {
    let text = format!(
        "The log of database '{database}' that was read has no transaction {named} that committed. Its number is wrong, it did not \
         commit, or that part of the log is not there any more: taffrail.log_changes shows what there is, also of log backups."
    );
    SqlError::of_text(9003, 16, text)
}

/// Numbers begin anew when the server starts, so that several transactions of a log may bear one.
fn ambiguous(named: &Named, database: &str, found: &[Found]) -> Box<SqlError> {
    let list: Vec<String> = found.iter().rev().take(MOST_TOLD).map(Found::told).collect();
    let more = if found.len() > list.len() { "; and older ones" } else { "" };
    let text = format!(
        "The log of database '{database}' that was read has {} transactions with number {named}, because numbers begin anew when the \
         server starts: {}{more}. Name the one that is meant by its transaction_id.",
        found.len(),
        list.join("; ")
    );
    SqlError::of_text(9003, 16, text)
}

impl Undo {
    /// Finds the transaction in the log: [`not_there`] if it is not there, or did not commit; [`ambiguous`] if several bear the number.
    pub fn open(source: Arc<Source>, named: Named) -> SqlResult<Undo> {
        let mut ticks = Ticks::default();
        let history = Arc::new(History::read(&source, &mut ticks)?);
        let (mut cursor, end) = (source.cursor(source.first())?, source.end());
        let mut search = Search::of(named);
        while !search.over && cursor.position() < end {
            ticks.tick()?;
            if cursor.step(&source, |e| search.see(e, &history))?.is_none() {
                break;
            }
        }
        let found = search.found(&source.database().name)?;
        let Found { txn, xact, pieces, end, objects, .. } = found;
        let (queue, last) = (VecDeque::new(), Some(Vec::new()));
        let (identity, given) = (None, 0);
        let changes = VecDeque::new();
        let mut undo =
            Undo { source, history, txn, xact, pieces, end, changes, queue, given, identity, last };
        undo.frame(&objects)?;
        Ok(undo)
    }

    /// What stands around the changes. Foreign keys are looked at when all is done: between the rows of a statement they need not hold.
    /// No trigger is fired.
    fn frame(&mut self, objects: &BTreeSet<ObjectId>) -> SqlResult<()> {
        let name = self.xact.begin.as_ref().map_or_else(String::new, |b| format!(" ({})", b.name));
        self.queue.extend([
            "SET XACT_ABORT, NOCOUNT ON;".to_owned(),
            "BEGIN TRANSACTION;".to_owned(),
            format!("-- Takes transaction {}{} back.", self.txn, on_one_line(&name)),
        ]);
        if self.history.is_defining(self.txn) {
            let told = format!(
                "Transaction {} also made, changed, rebuilt or dropped a table: that cannot be taken back.",
                self.txn
            );
            self.queue.push_back(format!("THROW 50000, {}, 1;", quoted(&told)));
        }
        let catalog = &self.source.database().catalog;
        let mut last = Vec::new();
        for key in catalog.foreign_keys(Sight::EVERYTHING)? {
            let concerned = objects.contains(&key.table) || objects.contains(&key.referenced);
            if key.disabled || !concerned {
                continue;
            }
            let Some(table) = catalog.table(key.table, Sight::EVERYTHING) else { continue };
            let (table, name) = (qualified(&table), bracketed(&key.name));
            let with = if key.not_trusted { "NOCHECK" } else { "CHECK" };
            self.queue.push_back(format!("ALTER TABLE {table} NOCHECK CONSTRAINT {name};"));
            last.push(format!("ALTER TABLE {table} WITH {with} CHECK CONSTRAINT {name};"));
        }
        // What triggers have done is among the changes.
        for table in objects.iter().filter_map(|id| catalog.table(*id, Sight::EVERYTHING)) {
            for trigger in catalog.triggers_of(table.id(), Sight::EVERYTHING) {
                if trigger.trigger.is_some_and(|t| !t.disabled) {
                    let (table, name) = (qualified(&table), bracketed(&trigger.head.name));
                    self.queue.push_back(format!("ALTER TABLE {table} DISABLE TRIGGER {name};"));
                    last.push(format!("ALTER TABLE {table} ENABLE TRIGGER {name};"));
                }
            }
        }
        last.push("COMMIT TRANSACTION;".to_owned());
        self.last = Some(last);
        Ok(())
    }

    /// The next statement, a line of its own.
    pub fn next(&mut self) -> SqlResult<Option<String>> {
        loop {
            if let Some(text) = self.queue.pop_front() {
                self.given += 1;
                let text = portable(text, self.given);
                debug_assert!(survives_a_file(&text), "{text}");
                return Ok(Some(text));
            }
            if let Some(change) = self.changes.pop_back() {
                self.take_back(&change)?;
            } else if let Some(from) = self.pieces.pop() {
                self.piece(from)?;
            } else if let Some(last) = self.last.take() {
                self.identity_insert(None);
                self.queue.extend(last);
            } else {
                return Ok(None);
            }
        }
    }

    /// Reads what the transaction did between here and the piece before, or the last of it.
    fn piece(&mut self, from: LogPos) -> SqlResult<()> {
        let range = Range { txn: Some(self.txn), ..Range::default() };
        let (source, history) = (self.source.clone(), self.history.clone());
        let known = (self.txn, self.xact.clone());
        let mut scan = Scan::of_transaction(source, history, range, (from, self.end), known)?;
        let mut bytes = 0;
        self.end = from;
        while let Some(change) = scan.next()? {
            bytes += size(&change);
            self.changes.push_back(change);
            while bytes > BYTES && self.changes.len() > 1 {
                bytes -= self.changes.pop_front().map_or(0, |c| size(&c));
                self.end = self.changes[0].pos;
            }
        }
        if self.end > from {
            self.pieces.push(from);
        }
        Ok(())
    }

    fn identity_insert(&mut self, table: Option<String>) {
        if self.identity == table {
            return;
        }
        if let Some(off) = self.identity.take() {
            self.queue.push_back(format!("SET IDENTITY_INSERT {off} OFF;"));
        }
        if let Some(on) = &table {
            self.queue.push_back(format!("SET IDENTITY_INSERT {on} ON;"));
        }
        self.identity = table;
    }

    fn refuse(&mut self, c: &Change, why: &str) {
        let name = c.owner.name.as_ref().map_or("?".into(), |n| format!("{}.{}", n.0, n.1));
        let told = format!("{} of {name} at {} cannot be taken back: {why}.", c.kind.name(), c.lsn);
        self.queue.push_back(format!("THROW 50000, {}, 1;", quoted(&cut(&told))));
    }

    fn take_back(&mut self, c: &Change) -> SqlResult<()> {
        let owner: Arc<Owner> = c.owner.clone();
        let catalog = &self.source.database().catalog;
        let now = owner.table.as_ref().and_then(|t| catalog.table(t.id(), Sight::EVERYTHING));
        if now.is_some_and(|t| t.head.is_history()) {
            // What takes the current row back is a version of it, too.
            return Ok(());
        }
        let all = |row: &Option<Vec<u8>>| match (row, &owner.table) {
            (Some(row), Some(table)) => row::has_all_columns(table, row),
            _ => true,
        };
        // Columns that have come since are no obstacle, others are.
        if let Some(note) =
            c.note.as_ref().filter(|_| !c.reshaped || !all(&c.before) || !all(&c.after))
        {
            self.refuse(c, note);
            return Ok(());
        }
        let Some(table) = &owner.table else { return Ok(()) };
        let fields = |row: &Option<Vec<u8>>| match row {
            Some(row) => row::fields(&self.source, &owner, table, row),
            None => Ok(Vec::new()),
        };
        let (before, after) = (fields(&c.before)?, fields(&c.after)?);
        // What both rows share need not be known.
        let lost = |of: &[Field<'_>], other: &[Field<'_>]| {
            let same = |f: &Field<'_>| {
                other.iter().any(|o| o.column.id == f.column.id && o.value.is_none())
            };
            of.iter().find(|f| f.value.is_none() && !same(f)).map(|f| f.column.name.to_string())
        };
        let gone = match c.kind {
            Kind::Update => lost(&before, &after),
            _ => lost(&before, &[]),
        };
        if let Some(column) = gone {
            self.refuse(c, &format!("the value of {column} is not in the log"));
            return Ok(());
        }
        let Some(statement) = statement_of(c.kind, table, &before, &after) else { return Ok(()) };
        // A statement that is executed from its text keeps its settings for itself.
        let mut alone = None;
        if c.kind == Kind::Delete {
            let own = table.identity.is_some().then(|| qualified(table));
            alone = own.clone().filter(|name| !survives_a_file(name));
            self.identity_insert(own.filter(|_| alone.is_none()));
        }
        let shown = row::json(if c.kind == Kind::Delete { &before } else { &after }, |_| true).0;
        let told = format!(
            "{}.{} {} is not as transaction {} left it.",
            table.head.schema, table.head.name, shown, self.txn
        );
        // If the pieces of the script are run one by one, what follows a failure does nothing.
        let statement = format!(
            "IF XACT_STATE() = 1 {statement}; IF @@ROWCOUNT <> 1 THROW 50000, {}, 1;",
            quoted(&cut(&told))
        );
        self.queue.push_back(match alone {
            None => statement,
            Some(name) => format!(
                "SET IDENTITY_INSERT {name} ON; {statement} SET IDENTITY_INSERT {name} OFF;"
            ),
        });
        Ok(())
    }
}

/// The statement that takes a change of a row back. None: nothing that can be set was changed.
fn statement_of(
    kind: Kind,
    table: &Table,
    before: &[Field<'_>],
    after: &[Field<'_>],
) -> Option<String> {
    let name = qualified(table);
    let unique = table.indexes.iter().any(|i| i.unique && i.filter.is_none());
    let one = if unique { "" } else { "TOP (1) " };
    match kind {
        Kind::Insert => {
            let mut row = after.to_vec();
            row.extend(row::since(table, after));
            Some(format!("DELETE {one}FROM {name} WHERE {}", condition(table, &row)))
        }
        Kind::Delete => {
            let set: Vec<&Field<'_>> = before.iter().filter(|f| settable(f)).collect();
            let names: Vec<String> = set.iter().map(|f| bracketed(&f.column.name)).collect();
            let values: Vec<String> = set.iter().map(|f| assigned(f)).collect();
            Some(format!("INSERT {name} ({}) VALUES ({})", names.join(", "), values.join(", ")))
        }
        Kind::Update => {
            let changed = |f: &&Field<'_>| {
                let now = after.iter().find(|a| a.column.id == f.column.id);
                settable(f) && now.is_some_and(|a| !row::unchanged(a, f))
            };
            let set: Vec<String> = before
                .iter()
                .filter(changed)
                .map(|f| format!("{} = {}", bracketed(&f.column.name), assigned(f)))
                .collect();
            let rows = condition(table, after);
            (!set.is_empty())
                .then(|| format!("UPDATE {one}{name} SET {} WHERE {rows}", set.join(", ")))
        }
        _ => None,
    }
}

/// A message has 2,048 characters, `%` is doubled in it, and it stays on its line.
fn cut(text: &str) -> String {
    let short = match text.char_indices().nth(900) {
        None => text.to_owned(),
        Some((at, _)) => {
            let tail = text.rfind(" is not as ").or(text.rfind(" cannot be ")).unwrap_or(at);
            format!("{}…{}", &text[..at.min(tail)], &text[tail..])
        }
    };
    on_one_line(&short.replace('%', "%%"))
}

fn qualified(table: &Table) -> String {
    format!("{}.{}", bracketed(&table.head.schema), bracketed(&table.head.name))
}

/// A rowversion is given out, a computed column computed, a period begins: none is set.
fn settable(f: &Field<'_>) -> bool {
    !f.column.is_made()
}

fn assigned(f: &Field<'_>) -> String {
    f.value
        .as_ref()
        .map_or_else(|| "NULL".into(), |v| literal(v, f.column.ty, f.column.collation.page()))
}

/// That a row is exactly this one: first what an index finds it by.
fn condition(table: &Table, row: &[Field<'_>]) -> String {
    let key: Vec<i32> = table
        .indexes
        .iter()
        .filter(|i| i.unique)
        .flat_map(|i| i.key.columns())
        .map(|k| table.columns[k.column].id)
        .collect();
    let mut parts = Vec::new();
    for f in row.iter().filter(|f| key.contains(&f.column.id)) {
        if let Some(v) = f.value.as_ref().filter(|v| !v.is_null() && v.as_bytes().is_some()) {
            let page = f.column.collation.page();
            let (name, value) = (bracketed(&f.column.name), literal(v, f.column.ty, page));
            parts.push((false, format!("{name} = {value}")));
        }
    }
    for f in row.iter().filter(|f| settable(f)) {
        let Some(v) = &f.value else { continue };
        let c = f.column;
        let large = (c.old_large || c.xml).then(|| comparable(c.ty));
        parts.push((
            !key.contains(&c.id),
            is(&bracketed(&c.name), v, (c.ty, c.collation.page()), large),
        ));
    }
    parts.sort_by_key(|p| p.0);
    let texts: Vec<String> = parts.into_iter().map(|p| p.1).collect();
    texts.join(" AND ")
}
