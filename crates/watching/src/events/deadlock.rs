//! The report of a deadlock: what its members did, as SQL Server's XML and as the lines that trace flags 1222 and 1204 put
//! into the error log.

use super::event_sessions;
use super::xml::{attribute, escaped};
use crate::instance::Instance;
use crate::session::entry::Statements;
use crate::views::sql_text::running_handle;
use std::fmt::Write;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use taffrail_base::{DatabaseId, SessionId};
use taffrail_io::{UtcTime, zone};
use taffrail_observe::{Command, Event, EventRing, Moment, SessionCell, xe};
use taffrail_storage::lock::{
    Deadlock, DeadlockMember, DeadlockWatch, LockMode, LockRow, LockStatus, Resource, ResourceKind,
};

/// An element.
#[derive(Debug, PartialEq)]
pub(super) struct Node {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    text: String,
    children: Vec<Node>,
}

impl Node {
    pub fn new(name: &'static str) -> Node {
        Node { name, attributes: Vec::new(), text: String::new(), children: Vec::new() }
    }

    pub fn with(mut self, name: &'static str, value: impl ToString) -> Node {
        self.attributes.push((name, value.to_string()));
        self
    }

    pub fn holding(mut self, children: impl IntoIterator<Item = Node>) -> Node {
        self.children.extend(children);
        self
    }

    fn saying(mut self, text: &str) -> Node {
        self.text = text.to_owned();
        self
    }

    /// As XML.
    pub fn xml(&self, out: &mut String) {
        let _ = write!(out, "<{}", self.name);
        for (name, value) in &self.attributes {
            let _ = write!(out, " {name}=\"{}\"", attribute(value));
        }
        if self.text.is_empty() && self.children.is_empty() {
            out.push_str("/>");
            return;
        }
        out.push('>');
        if !self.text.is_empty() {
            let _ = write!(out, "\n{}    ", escaped(&self.text));
        }
        self.children.iter().for_each(|c| c.xml(out));
        let _ = write!(out, "</{}>", self.name);
    }

    /// As lines of the error log, a blank for each level.
    fn lines(&self, level: usize, out: &mut Vec<String>) {
        let mut line = " ".repeat(level) + self.name;
        for (name, value) in &self.attributes {
            let _ = write!(line, " {name}={value}");
        }
        out.push(line);
        // The text of a statement stands with its frame.
        let indent = " ".repeat(if self.name == "frame" { level } else { level + 1 });
        out.extend(self.text.lines().map(|l| format!("{indent}{}", l.trim_end())));
        self.children.iter().for_each(|c| c.lines(level + 1, out));
    }
}

/// A process as reports call it.
fn process_id(session: u16) -> String {
    format!("process{:x}", 0x7f00_0000_0000u64 + u64::from(session))
}

fn isolation(level: u8) -> &'static str {
    match level {
        1 => "read uncommitted (1)",
        3 => "repeatable read (3)",
        4 => "serializable (4)",
        5 => "snapshot (5)",
        _ => "read committed (2)",
    }
}

/// A time of the server's zone, without it.
fn local(utc: u64) -> String {
    let text = super::xml::time(zone::to_local(UtcTime(utc)));
    text.trim_end_matches('Z').to_owned()
}

/// What a waiting session is: the attributes that say how it waits, in their places, come with `waits`.
pub(super) struct Waits<'a> {
    pub resource: &'a str,
    /// As `lockMode` has it.
    pub mode: &'a str,
    pub owner: u64,
    pub log_bytes: u64,
    pub priority: i32,
}

/// When the statement of a session that waits began, as well as it is known: with its batch where it is the first of it, and not later
/// than its wait.
fn statement_began(cell: &SessionCell) -> u64 {
    match cell.statement_start.load(Relaxed) {
        0 => cell.request_started.load(Relaxed),
        _ => cell.wait_started_at().0,
    }
}

/// A command of statements that change rows.
fn changes(command: Command) -> bool {
    matches!(command, Command::Insert | Command::Update | Command::Delete | Command::Merge)
}

/// The element of a session's process; `frames` have the text of their statement in a deadlock's report.
pub(super) fn process(
    instance: &Instance,
    session: SessionId,
    waits: Option<&Waits<'_>>,
    texts: bool,
) -> Option<Node> {
    let s = instance.sessions().into_iter().find(|s| s.id == session)?;
    let (cell, client) = (&s.cell, &s.client);
    let utc = instance.options().env.clock.now_utc().0;
    let now = Moment::now();
    let moment = |at: u64| local(utc.saturating_sub(now.since(Moment(at)) / 100));
    let mut p = Node::new("process");
    let name = s.transaction_name();
    let begun = cell.transaction_begun.load(Relaxed);
    if let Some(w) = waits {
        let kind = if name.is_empty() { cell.command().name() } else { &*name };
        p = p
            .with("id", process_id(session.0))
            .with("taskpriority", w.priority)
            .with("logused", w.log_bytes)
            .with("waitresource", w.resource)
            .with("waittime", cell.wait_time_ms())
            .with("ownerId", w.owner)
            .with("transactionname", kind)
            .with(
                "lasttranstarted",
                if begun == 0 { moment(statement_began(cell)) } else { local(begun) },
            )
            .with("XDES", format!("0x{:x}", w.owner << 17))
            .with("lockMode", w.mode)
            .with("schedulerid", 1)
            .with("kpid", std::process::id());
    }
    let (open, number) =
        (cell.open_transaction_count.load(Relaxed), cell.transaction_id.load(Relaxed));
    // A statement that changes rows counts itself, too, within the transaction that begins and ends with it at least.
    let changing = waits.is_some() && changes(cell.command());
    let database = cell.database_id.load(Relaxed);
    let timeout = cell.lock_timeout_ms.load(Relaxed);
    p = p
        .with("status", if waits.is_some() { "suspended" } else { cell.status().name() })
        .with("spid", session.0)
        .with("sbid", 0)
        .with("ecid", 0)
        .with("priority", cell.deadlock_priority.load(Relaxed))
        .with("trancount", if changing { open.max(1) + 1 } else { open })
        .with("lastbatchstarted", moment(cell.request_started.load(Relaxed)))
        .with("lastbatchcompleted", moment(cell.request_ended.load(Relaxed)))
        .with("clientapp", &client.program_name)
        .with("hostname", &client.host_name)
        .with("hostpid", client.client_pid)
        .with("loginname", &client.login)
        .with("isolationlevel", isolation(cell.isolation_level.load(Relaxed)))
        .with("xactid", if number == 0 { waits.map_or(0, |w| w.owner) } else { number })
        .with("currentdb", database)
        .with("currentdbname", event_sessions(instance).around.database_name(database))
        .with("lockTimeout", if timeout < 0 { u32::MAX } else { timeout as u32 });
    let mut stack = Node::new("executionStack");
    if s.is_running() {
        stack = stack.holding(s.frames(usize::MAX).into_iter().map(|f| frame(instance, f, texts)));
    }
    let input = Node::new("inputbuf").saying(&s.input().1);
    Some(p.holding([stack, input]))
}

/// The element of a statement that runs, or has called one that does.
fn frame(
    instance: &Instance,
    (statements, start, end): (Statements, i32, i32),
    texts: bool,
) -> Node {
    let module = statements.object;
    let wide: Vec<u16> = statements.text.encode_utf16().collect();
    let to = if end < 0 { wide.len() } else { (end as usize / 2 + 1).min(wide.len()) };
    let from = (start.max(0) as usize / 2).min(to);
    let before = String::from_utf16_lossy(&wide[..from]);
    let named = module
        .map_or_else(|| "adhoc".to_owned(), |(database, id)| object_name(instance, database, id));
    let mut frame = Node::new("frame");
    if texts {
        frame = frame.with("procname", named);
    }
    frame = frame.with("line", 1 + before.matches('\n').count());
    if start > 0 {
        frame = frame.with("stmtstart", start);
    }
    if end >= 0 {
        frame = frame.with("stmtend", end);
    }
    let handle = running_handle(&statements);
    let handle: String = handle.iter().flatten().map(|b| format!("{b:02x}")).collect();
    frame = frame.with("sqlhandle", format!("0x{handle}"));
    match texts {
        true => frame.saying(String::from_utf16_lossy(&wide[from..to]).trim()),
        false => frame,
    }
}

/// `database.schema.object`, or as much of it as there is.
fn object_name(instance: &Instance, database: u16, id: i32) -> String {
    let found = instance.databases().by_id(DatabaseId(database));
    let Some(database) = found else { return String::new() };
    let sight = crate::catalog::Sight { session: SessionId(0), dirty: true };
    let objects = database.catalog.objects(sight);
    let Some(object) = objects.iter().find(|o| o.head().id.0 == id) else {
        return database.name.to_string();
    };
    format!("{}.{}.{}", database.name, object.head().schema, object.head().name)
}

/// The object that a heap or tree belongs to, and the index's name.
fn of_hobt(instance: &Instance, database: u16, hobt: u64) -> Option<(i32, String)> {
    let database = instance.databases().by_id(DatabaseId(database))?;
    let sight = crate::catalog::Sight { session: SessionId(0), dirty: true };
    let mut tables = database.catalog.tables(sight);
    tables.extend(database.catalog.indexed_views(sight));
    tables.iter().find_map(|t| {
        let index = t.indexes.iter().find(|i| i.hobt_id.0 == hobt)?;
        Some((t.id().0, index.name.to_string()))
    })
}

/// The heap or clustered index of a table.
fn hobt_of(instance: &Instance, database: u16, object: i32) -> u64 {
    let found = instance.databases().by_id(DatabaseId(database));
    let sight = crate::catalog::Sight { session: SessionId(0), dirty: true };
    let table = found.and_then(|d| d.catalog.table(taffrail_base::ObjectId(object), sight));
    table.and_then(|t| t.indexes.first().map(|i| i.hobt_id.0)).unwrap_or(0)
}

/// The element of a resource, without who holds it.
fn resource(instance: &Instance, r: &Resource, object: Option<Resource>, mode: LockMode) -> Node {
    let (db, entity) = (r.database_id().0, r.associated_entity_id());
    let text = r.description();
    let mut place = text.split(':');
    let mut part = || place.next().unwrap_or_default().to_owned();
    let object_id = object.and_then(|o| o.object_id()).map_or(0, |o| o.0);
    let id = format!("lock{:x}", r.identity());
    let (node, associated) = match r.kind() {
        ResourceKind::Key => {
            let (object, index) =
                of_hobt(instance, db, entity as u64).unwrap_or((object_id, String::new()));
            let node = Node::new("keylock").with("hobtid", entity).with("dbid", db);
            let name = object_name(instance, db, object);
            (node.with("objectname", name).with("indexname", index), entity)
        }
        ResourceKind::Rid | ResourceKind::Page => {
            let rid = r.kind() == ResourceKind::Rid;
            let node = Node::new(if rid { "ridlock" } else { "pagelock" });
            let node = node.with("fileid", part()).with("pageid", part()).with("dbid", db);
            let node = if rid { node } else { node.with("subresource", "FULL") };
            let hobt = hobt_of(instance, db, object_id) as i64;
            (node.with("objectname", object_name(instance, db, object_id)), hobt)
        }
        ResourceKind::Object => {
            let node = Node::new("objectlock").with("lockPartition", 0).with("objid", entity);
            let node = node.with("subresource", "FULL").with("dbid", db);
            (node.with("objectname", object_name(instance, db, entity as i32)), entity)
        }
        ResourceKind::Application => {
            let node = Node::new("applicationlock").with("hash", text.trim_start_matches("0:[]:"));
            let node = node.with("databasePrincipalId", 0).with("dbid", db);
            return node.with("id", id).with("mode", mode.name());
        }
        ResourceKind::Metadata => {
            let node = Node::new("metadatalock").with("subresource", "").with("classid", "");
            return node.with("dbid", db).with("id", id).with("mode", mode.name());
        }
        _ => (Node::new("databaselock").with("subresource", "FULL").with("dbid", db), entity),
    };
    node.with("id", id).with("mode", mode.name()).with("associatedObjectId", associated)
}

/// The whole report but the names of objects, which are looked up when its members go on.
struct Report {
    deadlock: Deadlock,
    processes: Vec<Node>,
}

fn mode_of(m: &DeadlockMember) -> LockMode {
    let held = m.locks.iter().filter(|l| l.status == LockStatus::Grant).map(|l| l.mode);
    held.max().unwrap_or(m.mode)
}

impl Report {
    fn tree(self, instance: &Instance) -> (Node, Node) {
        let Report { deadlock, processes } = self;
        let sessions: Vec<u16> = deadlock.members.iter().map(|m| m.owner.session()).collect();
        let resources = deadlock.members.iter().map(|m| {
            let concerned = m.locks.iter().filter(|l| sessions.contains(&l.owner.session()));
            let (owners, waiters): (Vec<&LockRow>, Vec<&LockRow>) =
                concerned.partition(|l| l.status == LockStatus::Grant);
            let owners = owners.into_iter().map(|l| {
                let owner = Node::new("owner").with("id", process_id(l.owner.session()));
                owner.with("mode", l.mode.name())
            });
            let waiters = waiters.into_iter().map(|l| {
                let convert = l.status == LockStatus::Convert;
                let waiter = Node::new("waiter").with("id", process_id(l.owner.session()));
                let waiter = waiter.with("mode", l.mode.name());
                waiter.with("requestType", if convert { "convert" } else { "wait" })
            });
            let lists = [
                Node::new("owner-list").holding(owners),
                Node::new("waiter-list").holding(waiters),
            ];
            resource(instance, &m.resource, m.object, mode_of(m)).holding(lists)
        });
        let resources = Node::new("resource-list").holding(resources);
        let victim = process_id(deadlock.victim.session());
        let processes = Node::new("process-list").holding(processes);
        let victims = Node::new("victim-list");
        let victims = victims.holding([Node::new("victimProcess").with("id", &victim)]);
        let graph = Node::new("deadlock").holding([victims]);
        let listed = Node::new("deadlock").with("victim", victim);
        (graph.holding([processes, resources]), listed)
    }
}

/// Trace flag 1204: the nodes of the graph.
fn nodes(instance: &Instance, deadlock: &Deadlock) -> Vec<String> {
    let mut out: Vec<String> = vec![
        "Deadlock encountered .... Printing deadlock information".into(),
        "Wait-for graph".into(),
    ];
    let cost = |m: &DeadlockMember| format!("Cost:({}/{})", m.priority, m.log_bytes);
    let asked = |m: &DeadlockMember| {
        format!(
            "ResType:LockOwner Stype:'OR'Xdes:0x{:X} Mode: {} SPID:{} BatchID:0 ECID:0 TaskProxy:(0x{:X}) Value:0x{:x} {}",
            m.owner.number() << 17,
            m.mode.name(),
            m.owner.session(),
            m.owner.session(),
            m.owner.number(),
            cost(m)
        )
    };
    let all = instance.sessions();
    for (n, m) in deadlock.members.iter().enumerate() {
        out.extend([String::new(), format!("Node:{}", n + 1), String::new()]);
        let count = m.locks.len();
        let resource = m.resource.wait_resource();
        out.push(format!(
            "{resource}               CleanCnt:{count} Mode:{} Flags: 0x0",
            mode_of(m).name()
        ));
        out.push(" Grant List 0:".into());
        for l in m.locks.iter().filter(|l| l.status == LockStatus::Grant) {
            let (spid, owner) = (l.owner.session(), l.owner.number());
            out.push(format!(
                "   Owner:0x{owner:016X} Mode: {:<9}Flg:0x0 Ref:0 Life:02000000 SPID:{spid} ECID:0 XactLockInfo: 0x{owner:016X}",
                l.mode.name()
            ));
            if let Some(s) = all.iter().find(|s| s.id.0 == spid) {
                let (statements, start, _) = s.running_statement();
                let wide: Vec<u16> = statements.text.encode_utf16().collect();
                let before = &wide[..(start.max(0) as usize / 2).min(wide.len())];
                let line = 1 + before.iter().filter(|c| **c == u16::from(b'\n')).count();
                let kind = s.cell.command().name();
                out.push(format!("   SPID: {spid} ECID: 0 Statement Type: {kind} Line #: {line}"));
                let (event, text) = s.input();
                let mut text = text.lines();
                out.push(format!("   Input Buf: {event}: {}", text.next().unwrap_or_default()));
                out.extend(text.map(str::to_owned));
            }
        }
        out.push(" Requested By:".into());
        out.push(format!("   {}", asked(m)));
    }
    if let Some(victim) = deadlock.members.iter().find(|m| m.owner == deadlock.victim) {
        out.extend([String::new(), "Victim Resource Owner:".into(), format!(" {}", asked(victim))]);
    }
    out
}

/// Tells of an instance's deadlocks.
pub(crate) struct Watcher(pub Weak<Instance>);

impl DeadlockWatch for Watcher {
    fn found(&self, deadlock: Deadlock) -> Box<dyn FnOnce()> {
        let Some(instance) = self.0.upgrade() else { return Box::new(|| {}) };
        let flags = instance.databases().trace_flags().lock().clone();
        let (brief, full) = (flags.contains(&1204), flags.contains(&1222));
        use xe::Event::{LockDeadlock, LockDeadlockChain, XmlDeadlockReport};
        let wanted =
            [LockDeadlock, LockDeadlockChain, XmlDeadlockReport].into_iter().any(xe::wanted);
        if !(wanted || brief || full) {
            return Box::new(|| {});
        }
        let of = |m: &DeadlockMember| {
            let resource = m.resource.wait_resource();
            let waits = Waits {
                resource: &resource,
                mode: m.mode.name(),
                owner: m.owner.number(),
                log_bytes: m.log_bytes,
                priority: m.priority.into(),
            };
            process(&instance, SessionId(m.owner.session()), Some(&waits), true)
        };
        let processes = deadlock.members.iter().filter_map(of).collect();
        let mut lines = if brief { nodes(&instance, &deadlock) } else { Vec::new() };
        let report = Report { deadlock, processes };
        Box::new(move || {
            tell_lock_deadlock(&instance, &report.deadlock);
            let (mut graph, listed) = report.tree(&instance);
            let mut text = String::new();
            graph.xml(&mut text);
            if xe::wanted(xe::Event::XmlDeadlockReport) {
                xe::tell(xe::Event::XmlDeadlockReport, &[xe::Val::text(&text)]);
            }
            if full {
                // The log names the victim at the top, and has no list of victims.
                graph.children.remove(0);
                let listed = listed.holding(graph.children);
                Node::new("deadlock-list").holding([listed]).lines(0, &mut lines);
            }
            if !lines.is_empty() {
                EventRing::global().push(Event::DeadlockReport { lines });
            }
        })
    }
}

/// The victim's request was given up, and each request of the circle was a part of it.
fn tell_lock_deadlock(instance: &Arc<Instance>, deadlock: &Deadlock) {
    if xe::wanted(xe::Event::LockDeadlockChain) {
        for m in &deadlock.members {
            let mut fields = request(instance, deadlock, m);
            fields[14] = m.owner.session().into();
            xe::tell(xe::Event::LockDeadlockChain, &fields);
        }
    }
    if xe::wanted(xe::Event::LockDeadlock) {
        let victim = deadlock.members.iter().find(|m| m.owner == deadlock.victim);
        if let Some(m) = victim {
            xe::tell(xe::Event::LockDeadlock, &request(instance, deadlock, m));
        }
    }
}

fn request(instance: &Arc<Instance>, deadlock: &Deadlock, m: &DeadlockMember) -> Vec<xe::Val> {
    let r = &m.resource;
    let map = |map: &str, text: &str| {
        xe::events::map_key(map, text).map_or(xe::Val::Empty, xe::Val::from)
    };
    let mode = m.mode.name().to_uppercase().replace("SCH-", "SCH_").replace("RANGE", "R");
    let object = r.object_id().map_or(0, |o| o.0);
    let name = event_sessions(instance).around.database_name(r.database_id().0);
    vec![
        map("lock_resource_type", r.kind().name()),
        map("lock_mode", &mode.replace('-', "_")),
        1.into(),
        m.owner.number().into(),
        r.database_id().0.into(),
        xe::Val::Empty,
        0.into(),
        0.into(),
        0.into(),
        0.into(),
        0.into(),
        deadlock.victim.number().into(),
        object.into(),
        r.associated_entity_id().into(),
        0.into(),
        xe::Val::text(&r.description()),
        xe::Val::Text(name),
    ]
}
