//! BACKUP and RESTORE, and what msdb remembers of them.
//!
//! | module | |
//! |---|---|
//! | [`values`] | variables in the statements replaced by what they hold |
//! | [`options`], [`device`], [`url`] | what follows WITH, TO and FROM |
//! | [`take`] | BACKUP DATABASE, BACKUP LOG |
//! | [`restore`](mod@restore) | RESTORE DATABASE, RESTORE LOG; the states of a database are in `catalog::registry::restoring` |
//! | [`lost`] | BACKUP LOG WITH NO_TRUNCATE of a database that cannot be opened |
//! | [`look`], [`columns`] | RESTORE HEADERONLY, FILELISTONLY, LABELONLY, VERIFYONLY |
//! | [`facts`] | what a set's header says, as values |
//! | [`history`], `history.sql`, [`system`] | the tables of msdb, and the rows that each backup and restore writes |
//! | [`schedule`], `schedule.sql` | backups by a schedule: procedures of ours in msdb, and who looks what is due |
//! | [`undrop`], `undrop.sql` | a table brought back as it was: procedures of ours in msdb |
//! | [`suspect`] | msdb.dbo.suspect_pages |
//! | [`message`], [`progress`], [`record`] | what the client and the error log hear |
//!
//! Storage knows pages, log and media (`taffrail_storage::backup`); here are names, options, paths, states and messages.

mod columns;
mod device;
mod facts;
mod history;
mod look;
mod lost;
mod message;
mod options;
mod progress;
mod record;
mod restore;
mod room;
mod schedule;
mod suspect;
mod system;
mod take;
mod undrop;
mod url;
mod values;

use crate::features::needs::{
    BY_URL, CREATES_DATABASES, Case, LOOKS_AT_BACKUPS, Needs, OnDatabase, Owned, ServerRole,
};
use crate::features::pipelining::Pipelining::{self, Waits};
use crate::features::{Feature, RegisteredStatement, Run};
use crate::media::Statement;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::session::Command as Shown;
use taffrail_syntax::ast::{self, NameOrVariable, StatementKind};
use values::filled_in;

use schedule::Scheduled;
pub use schedule::{make_backup_directory, run_due_backups};

/// What `backup` brings.
pub(crate) static FEATURE: Feature = Feature {
    statements: STATEMENTS,
    state: Some(|_| Box::new(Scheduled::default())),
    start: Some(|instance| {
        // A server without msdb is still one: what cannot be made now is tried, and told, by the next backup.
        let _ = history::create(instance).and_then(|()| schedule::create(instance));
        undrop::clean(instance);
        Ok(())
    }),
    tick: Some(schedule::tick),
    scheduled_backups: Some(schedule::shown),
    marked: Some(history::record_marks),
    damaged: Some(suspect::record),
    forget_database: Some(suspect::forget),
    views: &[room::declare],
    ..Feature::NOTHING
};

/// One of them.
const fn statement(
    words: &'static str,
    needs: Needs,
    pipelining: Pipelining,
    shown: Shown,
) -> RegisteredStatement {
    let new = RegisteredStatement::new(words, needs, pipelining, Run::Within(run));
    new.shown(shown).filled(filled_in)
}

fn run(cx: &mut StatementContext<'_>, s: &ast::Statement, _: &str) -> SqlResult<()> {
    match &s.kind {
        StatementKind::Backup(s) => backup(cx, s),
        StatementKind::Restore(s) => restore(cx, s),
        _ => unreachable!("registered for BACKUP and RESTORE"),
    }
}

/// A database that exists may be out of order, so its roles do not count: only those of the server do, and its owner.
const RESTORES: Needs = Needs::All(&[
    Needs::When(Case::Missing, &CREATES_DATABASES),
    Needs::When(
        Case::Existing,
        &Needs::Any(&[Needs::InServerRole(ServerRole::Dbcreator), Needs::Owner(Owned::Database)]),
    ),
    BY_URL,
]);

static STATEMENTS: &[RegisteredStatement] = &[
    statement(
        "BACKUP DATABASE",
        Needs::All(&[Needs::Database(OnDatabase::BackupDatabase), BY_URL]),
        Waits,
        Shown::BackupDatabase,
    ),
    statement(
        "BACKUP LOG",
        Needs::All(&[Needs::Database(OnDatabase::BackupLog), BY_URL]),
        Waits,
        Shown::BackupLog,
    ),
    statement("RESTORE DATABASE", RESTORES, Waits, Shown::RestoreDatabase),
    statement("RESTORE FILELISTONLY", LOOKS_AT_BACKUPS, Waits, Shown::RestoreDatabase),
    statement("RESTORE HEADERONLY", LOOKS_AT_BACKUPS, Waits, Shown::RestoreDatabase),
    statement("RESTORE LABELONLY", LOOKS_AT_BACKUPS, Waits, Shown::RestoreDatabase),
    statement("RESTORE LOG", RESTORES, Waits, Shown::RestoreLog),
    statement("RESTORE REWINDONLY", Needs::Public, Waits, Shown::RestoreDatabase),
    statement("RESTORE VERIFYONLY", LOOKS_AT_BACKUPS, Waits, Shown::RestoreDatabase),
];

/// `BACKUP`.
fn backup(cx: &mut StatementContext<'_>, s: &ast::Backup) -> SqlResult<()> {
    let statement = match s.kind {
        ast::BackupKind::Database => "BACKUP DATABASE",
        ast::BackupKind::Log => "BACKUP LOG",
    };
    let _why = taffrail_io::IoReason::Backup.begin();
    let result = refuse_in_transaction(cx)
        .and_then(|()| name_of(&s.database))
        .and_then(|name| take::run(cx, s, name, statement));
    ended(cx, result, statement)
}

/// `RESTORE`.
fn restore(cx: &mut StatementContext<'_>, s: &ast::Restore) -> SqlResult<()> {
    let name = match s.kind {
        ast::RestoreKind::Database => "RESTORE DATABASE",
        ast::RestoreKind::Log => "RESTORE LOG",
        ast::RestoreKind::HeaderOnly => "RESTORE HEADERONLY",
        ast::RestoreKind::FileListOnly => "RESTORE FILELIST",
        ast::RestoreKind::LabelOnly => "RESTORE LABELONLY",
        ast::RestoreKind::VerifyOnly => "VERIFY DATABASE",
        ast::RestoreKind::RewindOnly => "RESTORE REWINDONLY",
    };
    let _why = taffrail_io::IoReason::Restore.begin();
    let result = match &s.database {
        Some(database) => refuse_in_transaction(cx)
            .and_then(|()| name_of(database))
            .and_then(|database| restore::run(cx, s, &Statement { name, database })),
        None => look::run(cx, s, &Statement { name, database: "" }),
    };
    ended(cx, result, name)
}

fn refuse_in_transaction(cx: &StatementContext<'_>) -> SqlResult<()> {
    match cx.session.transaction.count() {
        0 => Ok(()),
        _ => Err(SqlError::new(3021, &[])),
    }
}

/// Variables have been replaced before.
fn name_of(name: &NameOrVariable) -> SqlResult<&str> {
    match name {
        NameOrVariable::Name(name) => Ok(&name.value),
        NameOrVariable::Variable(v) => Err(SqlError::new(137, &[&v.value])),
    }
}

/// What goes wrong is followed by 3013, but for mistakes of syntax and for a client that asked to stop or has gone.
fn ended(cx: &mut StatementContext<'_>, result: SqlResult<()>, statement: &str) -> SqlResult<()> {
    match result {
        Err(e) if e.number > 0 && !matches!(e.number, 137 | 155 | 3009) => {
            if statement.starts_with("BACKUP") {
                record::failed(cx, statement, &e);
            }
            cx.reason(e)?;
            Err(SqlError::new(3013, &[&statement]))
        }
        other => other,
    }
}
