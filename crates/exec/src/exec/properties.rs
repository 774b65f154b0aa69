//! SERVERPROPERTY, INDEXPROPERTY, FILEGROUPPROPERTY, FILEPROPERTY, CONNECTIONPROPERTY; in the modules the properties of databases,
//! objects and columns. A name that is not known gives NULL.

pub(super) mod column;
mod database;
mod object;
mod trigger;

use super::functions::{PRODUCT_VERSION, flag, int, text};
use crate::catalog::{Index, IndexKind};
use crate::session::Session;
use crate::session::client_address;
use taffrail_base::IndexId;
use taffrail_storage::FileKind;
use taffrail_storage::access::stats::StatsMode;
use taffrail_types::{Collation, MaxLen, SqlType, Value};

/// Documented properties of an index that are 0 where nothing else is said.
const INDEX_PROPERTIES: [&str; 14] = [
    "indexdepth",
    "indexfillfactor",
    "isautostatistics",
    "isclustered",
    "iscolumnstore",
    "isdisabled",
    "isfulltextkey",
    "ishypothetical",
    "isoptimizedforsequentialkey",
    "ispadindex",
    "ispagelockdisallowed",
    "isrowlockdisallowed",
    "isstatistics",
    "isunique",
];

impl Session {
    pub(super) fn server_property(&self, name: &str) -> Value {
        match name {
            "productversion" => text(PRODUCT_VERSION),
            "productmajorversion" => text("16"),
            "productminorversion" => text("0"),
            "productbuild" => text("1000"),
            "productlevel" => text("RTM"),
            "edition" => text("Developer Edition (64-bit)"),
            "editionid" => {
                Value::Variant(Box::new((SqlType::BigInt, Value::BigInt(-2_117_995_310))))
            }
            "engineedition" => int(3),
            "servername" | "machinename" | "computernamephysicalnetbios" => {
                text(&self.instance.options().server_name)
            }
            "collation" => text(self.instance.databases().collation().name()),
            "collationid" => int(self.instance.databases().collation().id().cast_signed()),
            "sqlcharsetname" => text("iso_1"),
            "sqlsortordername" => text("nocase_iso"),
            "buildclrversion" => text("v4.0.30319"),
            "licensetype" => text("DISABLED"),
            "pathseparator" => text("/"),
            // What SQL Server keeps in a database of its own came with the server, and master is as old as that.
            "resourceversion" => text("16.00.1000"),
            "resourcelastupdatedatetime" => {
                match self.instance.databases().slot("master").map(|s| s.entry.created) {
                    Some(created) => Value::Variant(Box::new((SqlType::DateTime, created))),
                    None => Value::Null,
                }
            }
            "filestreamconfiguredlevel" | "filestreameffectivelevel" | "suspendeddatabasecount" => {
                int(0)
            }
            "issingleuser"
            | "isclustered"
            | "ishadrenabled"
            | "isfulltextinstalled"
            | "isintegratedsecurityonly"
            | "isadvancedanalyticsinstalled"
            | "ispolybaseinstalled"
            | "isxtpsupported"
            | "islocaldb"
            | "isbigdatacluster"
            | "isexternalauthenticationonly"
            | "isexternalgovernanceenabled"
            | "isserversuspendedforsnapshotbackup"
            | "istempdbmetadatamemoryoptimized" => flag(false),
            "processid" => int(std::process::id() as i32),
            "sqlsortorder" => int(self.instance.databases().collation().sort_order().into()),
            "sqlcharset" => int(1),
            "lcid" => int(self.instance.databases().collation().lcid().cast_signed()),
            "comparisonstyle" => {
                int(self.instance.databases().collation().comparison_style().cast_signed())
            }
            "instancedefaultdatapath" => {
                text(&format!("{}/", self.instance.default_data_dir().display()))
            }
            "instancedefaultlogpath" => {
                text(&format!("{}/", self.instance.default_log_dir().display()))
            }
            "instancedefaultbackuppath" => text(&self.instance.backup_dir().display().to_string()),
            _ => Value::Null,
        }
    }

    /// INDEXPROPERTY, of an index or of statistics.
    pub(super) fn index_property(&self, id: i32, index: &str, name: &str) -> Value {
        let Some(table) = self.object_in(id, None).and_then(|o| o.as_table().cloned()) else {
            return Value::Null;
        };
        if let Some(statistics) = table.own_statistics(index) {
            return match name {
                "indexid" => int(statistics.id.0),
                "isstatistics" => flag(true),
                _ if INDEX_PROPERTIES.contains(&name) => flag(false),
                _ => Value::Null,
            };
        }
        let Some(i) = table.index(index) else { return Value::Null };
        match name {
            "indexid" => int(i.id.0),
            "isunique" => flag(i.unique),
            "isclustered" => flag(i.kind == IndexKind::Clustered),
            "indexdepth" => self.index_depth(i).map_or(Value::Null, int),
            "indexfillfactor" => int(i.fill_factor as i32),
            "ispadindex" => flag(i.padded),
            "ispagelockdisallowed" => flag(i.no_page_locks),
            "isrowlockdisallowed" => flag(i.no_row_locks),
            "isdisabled" => flag(i.disabled),
            _ if INDEX_PROPERTIES.contains(&name) => flag(false),
            _ => Value::Null,
        }
    }

    /// Levels of an index; none where it cannot be read or was dropped meanwhile.
    fn index_depth(&self, index: &Index) -> Option<i32> {
        let mut give_up = || self.check_cancel().is_err();
        let storage = &self.database.storage;
        let stats = storage.physical_stats(index.hobt_id, StatsMode::Limited, &mut give_up).ok()?;
        Some(i32::from(stats.depth))
    }

    /// FILEGROUPPROPERTY. There is one filegroup, PRIMARY.
    pub(super) fn filegroup_property(&self, filegroup: &str, name: &str) -> Value {
        if !filegroup.eq_ignore_ascii_case("PRIMARY") {
            return Value::Null;
        }
        match name {
            "isdefault" => flag(true),
            "isreadonly" | "isuserdefinedfg" => flag(false),
            _ => Value::Null,
        }
    }

    /// FILEPROPERTY of a file of the current database.
    pub(super) fn file_property(&self, file: &str, name: &str) -> Value {
        let files = self.database.storage.files();
        let same = |n: &str| Collation::default().eq_str(n, file);
        match (files.iter().find(|f| same(&f.name)), name) {
            (Some(f), "spaceused") => int((f.used / 8192) as i32),
            (Some(f), "islogfile") => flag(f.kind == FileKind::Log),
            (Some(f), "isprimaryfile") => flag(f.id.0 == 1),
            (Some(_), "isreadonly") => flag(false),
            _ => Value::Null,
        }
    }

    /// CONNECTIONPROPERTY. The server does not know which of its addresses a client has called.
    pub(super) fn connection_property(&self, name: &str) -> Value {
        let own = |ty: SqlType, shown: &str| {
            let value =
                if ty.is_unicode() { Value::nvarchar(shown) } else { Value::varchar(shown) };
            Value::Variant(Box::new((ty, value)))
        };
        let word = SqlType::NVarChar(MaxLen::N(40));
        match name {
            "net_transport" | "physical_net_transport" => own(word, "TCP"),
            "protocol_type" => own(word, "TSQL"),
            "auth_scheme" => own(word, "SQL"),
            "client_net_address" => {
                let (address, _) = client_address(&self.client.client_net_address);
                own(SqlType::varchar(48), address)
            }
            _ => Value::Null,
        }
    }

    pub(super) fn index_key_property(
        &self,
        id: i32,
        index: i32,
        key: i32,
        name: &str,
    ) -> Option<Value> {
        let table = self.object_in(id, None)?.as_table().cloned()?;
        let i = table.defined().find(|i| i.id == IndexId(index))?;
        let k = i.key.columns().get(usize::try_from(key - 1).ok()?)?;
        Some(match name {
            "columnid" => int(table.columns[k.column].id),
            "isdescending" => flag(k.descending),
            _ => Value::Null,
        })
    }
}
