//! What a field or an action holds, and what actions there are.

use super::events::{FieldType, Package, map_text};
use std::sync::Arc;

/// The value of a field or action.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Val {
    /// No value was collected.
    #[default]
    Empty,
    /// A number, or the key of a map.
    Number(i128),
    /// A truth value, true or false.
    Bool(bool),
    /// A text, or XML.
    Text(Arc<str>),
    /// A string of bytes.
    Bytes(Arc<[u8]>),
}

impl Val {
    /// The value of a text.
    pub fn text(text: &str) -> Val {
        Val::Text(text.into())
    }

    /// As a number; a boolean is 0 or 1.
    pub fn number(&self) -> Option<i128> {
        match self {
            Val::Number(n) => Some(*n),
            Val::Bool(b) => Some(i128::from(*b)),
            _ => None,
        }
    }

    /// As `<value>` has it.
    pub fn shown(&self, ty: FieldType) -> String {
        match (self, ty) {
            (Val::Number(n), FieldType::Flags(_)) => format!("0x{n:08x}"),
            (Val::Number(n), FieldType::Pointer) => format!("0x{n:016x}"),
            (Val::Empty, _) => String::new(),
            (Val::Number(n), _) => n.to_string(),
            (Val::Bool(b), _) => b.to_string(),
            (Val::Text(t), _) => t.to_string(),
            (Val::Bytes(b), _) => b.iter().map(|b| format!("{b:02x}")).collect(),
        }
    }

    /// As `<text>` has it: what a map says of a number.
    pub fn map_text(&self, ty: FieldType) -> Option<String> {
        let n = u32::try_from(self.number()?).ok()?;
        match ty {
            FieldType::Map(map) => Some(map_text(map, n).unwrap_or_default().to_owned()),
            FieldType::Flags(map) => {
                let bits = (0..32).map(|b| 1u32 << b).filter(|b| n & b != 0);
                let texts: Vec<_> = bits.filter_map(|b| map_text(map, b)).collect();
                Some(texts.join(", "))
            }
            _ => None,
        }
    }

    /// About so many bytes.
    pub fn size(&self) -> usize {
        let more = match self {
            Val::Text(t) => t.len(),
            Val::Bytes(b) => b.len(),
            _ => 0,
        };
        more + size_of::<Val>()
    }
}

impl From<bool> for Val {
    fn from(b: bool) -> Val {
        Val::Bool(b)
    }
}

impl From<&str> for Val {
    fn from(text: &str) -> Val {
        Val::text(text)
    }
}

impl From<Arc<str>> for Val {
    fn from(text: Arc<str>) -> Val {
        Val::Text(text)
    }
}

macro_rules! numbers {
    ($($ty:ty)+) => { $(impl From<$ty> for Val {
        fn from(n: $ty) -> Val {
            Val::Number(n as i128)
        }
    })+ };
}

numbers!(u8 u16 u32 u64 usize i16 i32 i64);

macro_rules! actions {
    ($($variant:ident = $package:ident $name:literal $ty:ident $source:literal $text:literal;)+) => {
        /// Something of an event's surroundings: recorded with it as an action, or looked at by predicates.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Action { $(#[doc = $text] $variant,)+ }

        impl Action {
            /// The actions, in the order of the views.
            pub const ALL: &'static [Action] = &[$(Action::$variant,)+];

            /// The package of the action.
            pub const fn package(self) -> Package {
                match self { $(Action::$variant => Package::$package,)+ }
            }

            /// The action's name in its package.
            pub const fn name(self) -> &'static str {
                match self { $(Action::$variant => $name,)+ }
            }

            /// The type of the action's value.
            pub const fn ty(self) -> FieldType {
                match self { $(Action::$variant => FieldType::$ty,)+ }
            }

            /// Predicates can look at it.
            pub const fn is_source(self) -> bool {
                match self { $(Action::$variant => $source,)+ }
            }

            /// A sentence for the views that says what the action records.
            pub const fn description(self) -> &'static str {
                match self { $(Action::$variant => $text,)+ }
            }
        }
    };
}

actions! {
    AttachActivityId = Package0 "attach_activity_id" Activity false "Attach an activity ID to an event: whose it is, and which \
        of its events";
    CollectCurrentThreadId = Package0 "collect_current_thread_id" UInt32 false "Collect the current thread ID";
    CollectSystemTime = Package0 "collect_system_time" Time false "Collect the current system time with 100 nanoseconds \
        precision";
    EventSequence = Package0 "event_sequence" UInt64 false "Collect event sequence number";
    ProcessId = Package0 "process_id" UInt32 false "Collect the process ID";
    CpuId = SqlOs "cpu_id" UInt32 true "Collect current CPU ID";
    NumaNodeId = SqlOs "numa_node_id" UInt32 true "Collect current NUMA node ID";
    SchedulerId = SqlOs "scheduler_id" UInt32 true "Collect current scheduler ID";
    SystemThreadId = SqlOs "system_thread_id" UInt32 true "Collect current system thread ID";
    ClientAppName = SqlServer "client_app_name" Text true "Collect client application name";
    ClientConnectionId = SqlServer "client_connection_id" Guid false "Collects the optional identifier provided at \
        connection time by a client";
    ClientHostname = SqlServer "client_hostname" Text true "Collect client hostname";
    ClientPid = SqlServer "client_pid" UInt32 true "Collect client process ID";
    DatabaseId = SqlServer "database_id" UInt16 true "Collect database ID";
    DatabaseName = SqlServer "database_name" Text true "Collect current database name";
    IsSystem = SqlServer "is_system" Bool true "Collect if current session is system";
    NtUsername = SqlServer "nt_username" Text false "Collect NT username";
    RequestId = SqlServer "request_id" UInt32 true "Collect current request ID";
    ServerInstanceName = SqlServer "server_instance_name" Text true "Collect the name of the Server instance";
    ServerPrincipalName = SqlServer "server_principal_name" Text true "Collects the name of the Server \
        Principal in whose context the event is being fired.";
    SessionId = SqlServer "session_id" UInt16 true "Collect session ID";
    SessionNtUsername = SqlServer "session_nt_username" Text false "Collect NT username";
    SessionResourceGroupId = SqlServer "session_resource_group_id" UInt32 true "Collect current session resource group ID";
    SessionResourcePoolId = SqlServer "session_resource_pool_id" UInt32 true "Collect current session resource pool ID";
    SessionServerPrincipalName = SqlServer "session_server_principal_name" Text true "Collects the name of the \
        Server Principal that originated the session in which the event is being fired.";
    SqlText = SqlServer "sql_text" Text true "Collect SQL text";
    TransactionId = SqlServer "transaction_id" Int64 true "Collect transaction ID";
    TsqlFrame = SqlServer "tsql_frame" Xml false "Collect Transact-SQL frame";
    TsqlStack = SqlServer "tsql_stack" Xml false "Collect Transact-SQL stack";
    Username = SqlServer "username" Text true "Collect username";
}

impl Action {
    /// An action by its package and name.
    pub fn find(package: &str, name: &str) -> Option<Action> {
        Action::ALL.iter().copied().find(|a| {
            a.package().name().eq_ignore_ascii_case(package) && a.name().eq_ignore_ascii_case(name)
        })
    }
}
