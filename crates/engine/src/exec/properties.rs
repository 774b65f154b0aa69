//! SERVERPROPERTY, DATABASEPROPERTYEX, OBJECTPROPERTY and their relatives. A name that is not known gives NULL.

use super::functions::{PRODUCT_VERSION, flag, int, text};
use crate::catalog::{Action, IndexKind, Object, ObjectKind};
use crate::features::view as views;
use crate::session::Session;
use taffrail_base::IndexId;
use taffrail_storage::{DatabaseState, RecoveryModel};
use taffrail_types::{SqlType, Value};

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

    pub(super) fn database_property(&self, database: &str, name: &str) -> Value {
        let Some(slot) = self.instance.databases().slot(database) else { return Value::Null };
        let Some(db) = slot.database else {
            return match name {
                "status" => text(slot.state().1),
                _ => Value::Null,
            };
        };
        let options = db.storage.options();
        match name {
            "status" => text(match db.storage.state() {
                DatabaseState::Online => "ONLINE",
                DatabaseState::Suspect(_) => "SUSPECT",
                DatabaseState::Offline => "OFFLINE",
            }),
            "recovery" => text(match options.recovery_model {
                RecoveryModel::Full => "FULL",
                RecoveryModel::BulkLogged => "BULK_LOGGED",
                RecoveryModel::Simple => "SIMPLE",
            }),
            "collation" => text(db.collation().name()),
            "updateability" => {
                let read_only = crate::catalog::registry::FLAG_READ_ONLY;
                text(if options.engine_flags & read_only != 0 { "READ_ONLY" } else { "READ_WRITE" })
            }
            "useraccess" => {
                let single = crate::catalog::registry::FLAG_SINGLE_USER;
                let restricted = crate::catalog::registry::FLAG_RESTRICTED_USER;
                text(match options.engine_flags {
                    f if f & single != 0 => "SINGLE_USER",
                    f if f & restricted != 0 => "RESTRICTED_USER",
                    _ => "MULTI_USER",
                })
            }
            "version" => int(957),
            "sqlsortorder" => int(db.collation().sort_order().into()),
            "comparisonstyle" => int(db.collation().comparison_style().cast_signed()),
            "lcid" => int(db.collation().lcid().cast_signed()),
            "isautoclose"
            | "isautoshrink"
            | "isfulltextenabled"
            | "ispublished"
            | "issubscribed"
            | "isinstandby"
            | "isquotedidentifiersenabled"
            | "isansinullsenabled"
            | "isansipaddingenabled"
            | "isansiwarningsenabled" => flag(false),
            _ => Value::Null,
        }
    }

    pub(super) fn object_property(&self, id: i32, name: &str) -> Value {
        if id < 0 {
            let known = views::all().iter().any(|v| v.id == id);
            return match name {
                _ if !known => Value::Null,
                "ismsshipped" | "isview" | "issystemtable" => flag(name != "issystemtable"),
                _ => flag(false),
            };
        }
        let Some(o) = self.object_in(id, None) else { return Value::Null };
        let head = o.head();
        let table = o.as_table();
        match name {
            "istable" | "isusertable" => flag(table.is_some()),
            "isview" => flag(head.kind == ObjectKind::View),
            "isprocedure" => flag(head.kind == ObjectKind::Procedure),
            "isprimarykey" => flag(head.kind == ObjectKind::PrimaryKey),
            "isuniquecnst" => flag(head.kind == ObjectKind::Unique),
            "ischeckcnst" => flag(head.kind == ObjectKind::Check),
            "isdefaultcnst" | "isdefault" => flag(head.kind == ObjectKind::Default),
            "isconstraint" => flag(matches!(o, Object::Constraint(_))),
            _ if name.starts_with("cnst") => self.constraint_property(&o, name),
            "tablehascheckcnst" => flag(table.is_some_and(|t| !t.checks.is_empty())),
            "tablehasdefaultcnst" => {
                flag(table.is_some_and(|t| t.columns.iter().any(|c| c.default.is_some())))
            }
            "tablehasrowguidcol" => {
                flag(table.is_some_and(|t| t.columns.iter().any(|c| c.is_rowguid)))
            }
            "isforeignkey" => flag(head.kind == ObjectKind::ForeignKey),
            "tablehasforeignkey" => {
                let keys = self.database.catalog.foreign_keys_of(head.id, self.id);
                flag(keys.is_ok_and(|k| !k.is_empty()))
            }
            "tablehasforeignref" => {
                let keys = self.database.catalog.references_to(head.id, self.id);
                flag(keys.is_ok_and(|k| !k.is_empty()))
            }
            "ismsshipped" | "issystemtable" | "isscalarfunction" | "istablefunction"
            | "isinlinefunction" | "istrigger" => flag(false),
            "isexecuted" => flag(matches!(head.kind, ObjectKind::Procedure | ObjectKind::View)),
            "isschemabound" | "isindexed" | "isencrypted" => match head.kind {
                ObjectKind::View | ObjectKind::Procedure => flag(false),
                _ => Value::Null,
            },
            "ownerid" => int(1),
            "schemaid" => int(head.schema_id.0),
            "tablehasidentity" => flag(table.is_some_and(|t| t.identity.is_some())),
            "tablehasprimarykey" => {
                flag(table.is_some_and(|t| t.indexes.iter().any(|i| i.primary_key)))
            }
            "tablehasclustindex" => flag(table.is_some_and(|t| !t.is_heap())),
            "tablehasindex" => {
                flag(table.is_some_and(|t| !t.is_heap() || !t.nonclustered().is_empty()))
            }
            "tablehasnonclustindex" => flag(table.is_some_and(|t| !t.nonclustered().is_empty())),
            "tablehasuniquecnst" => {
                flag(table.is_some_and(|t| t.indexes.iter().any(|i| i.unique_constraint)))
            }
            "cardinality" => match table {
                Some(t) => {
                    Value::Variant(Box::new((SqlType::BigInt, Value::BigInt(t.row_count() as i64))))
                }
                None => Value::Null,
            },
            "execisquotedidenton" | "execisansinullson" => match &o {
                Object::Procedure(m) | Object::View(m) if name == "execisansinullson" => {
                    flag(m.ansi_nulls)
                }
                Object::Procedure(m) | Object::View(m) => flag(m.quoted_identifier),
                _ => Value::Null,
            },
            _ => Value::Null,
        }
    }

    /// What only constraints have; 0 of everything else.
    fn constraint_property(&self, o: &Object, name: &str) -> Value {
        let Object::Constraint(c) = o else { return flag(false) };
        let of_key = |kind: IndexKind| {
            let table = self.object_in(c.head.parent.0, None).and_then(|o| o.as_table().cloned());
            table.is_some_and(|t| {
                t.indexes.iter().any(|i| i.constraint == c.head.id && i.kind == kind)
            })
        };
        match name {
            "cnstisdisabled" => flag(c.disabled),
            "cnstisnottrusted" => flag(c.not_trusted),
            "cnstiscolumn" => flag(match c.head.kind {
                ObjectKind::Default => true,
                ObjectKind::Check => c.detail != 0,
                _ => false,
            }),
            "cnstisclustkey" => flag(of_key(IndexKind::Clustered)),
            "cnstisnonclustkey" => flag(of_key(IndexKind::Nonclustered)),
            "cnstisdeletecascade" | "cnstisupdatecascade" => {
                let keys = self.database.catalog.foreign_keys_of(c.head.parent, self.id);
                let key = keys.into_iter().flatten().find(|k| k.id == c.head.id);
                let action = key.map(|k| match name {
                    "cnstisdeletecascade" => k.on_delete,
                    _ => k.on_update,
                });
                flag(action == Some(Action::Cascade))
            }
            "cnstisnotrepl" => flag(false),
            _ => Value::Null,
        }
    }

    pub(super) fn column_property(&self, id: i32, column: &str, name: &str) -> Value {
        let Some(object) = self.object_in(id, None) else { return Value::Null };
        let Some(c) = object.column(column) else { return Value::Null };
        match name {
            "allowsnull" => flag(c.nullable),
            "columnid" => int(c.id),
            "ordinal" => {
                let place = object.columns().iter().position(|k| k.id == c.id);
                place.map_or(Value::Null, |at| int(at as i32 + 1))
            }
            "isidentity" => flag(c.is_identity),
            "isrowguidcol" => flag(c.is_rowguid),
            "iscomputed" | "issparse" | "ishidden" | "isfulltextindexed" => flag(false),
            "precision" => int(match c.ty {
                t if crate::binder::is_text_type(t) => {
                    let wide = matches!(t, SqlType::NChar(_) | SqlType::NVarChar(_));
                    let n = t.max_length() as i32;
                    if wide && n > 0 { n / 2 } else { n }
                }
                t => t.precision() as i32,
            }),
            "scale" => int(c.ty.scale() as i32),
            "charmaxlen" => {
                if crate::binder::is_text_type(c.ty) {
                    let wide = matches!(c.ty, SqlType::NChar(_) | SqlType::NVarChar(_));
                    let n = c.ty.max_length() as i32;
                    int(if wide && n > 0 { n / 2 } else { n })
                } else {
                    Value::Null
                }
            }
            _ => Value::Null,
        }
    }

    pub(super) fn index_property(&self, id: i32, index: &str, name: &str) -> Value {
        let Some(table) = self.object_in(id, None).and_then(|o| o.as_table().cloned()) else {
            return Value::Null;
        };
        let Some(i) = table.index(index) else { return Value::Null };
        match name {
            "indexid" => int(i.id.0),
            "isunique" => flag(i.unique),
            "isclustered" => flag(i.kind == IndexKind::Clustered),
            "indexfillfactor" => int(i.fill_factor as i32),
            "ispadindex" => flag(i.padded),
            "ispagelockdisallowed" => flag(i.no_page_locks),
            "isrowlockdisallowed" => flag(false),
            "isdisabled" | "ishypothetical" | "isstatistics" => flag(false),
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
        let i = table.indexes.iter().find(|i| i.id == IndexId(index))?;
        let k = i.key.columns().get(usize::try_from(key - 1).ok()?)?;
        Some(match name {
            "columnid" => int(table.columns[k.column].id),
            "isdescending" => flag(k.descending),
            _ => Value::Null,
        })
    }
}
