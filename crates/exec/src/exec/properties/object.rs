//! OBJECTPROPERTY and OBJECTPROPERTYEX. A documented name has a value: 0 of an object that cannot have the property, unless the
//! documentation says NULL.

use super::trigger::is_about_triggers;
use crate::catalog::{Action, IndexKind, Module, Object, ObjectKind, Table, startup_procedures};
use crate::exec::functions::{flag, int};
use crate::features::{procedure, view as views};
use crate::session::Session;
use crate::session::rights::owner_of;
use taffrail_base::{DatabaseId, ObjectId};
use taffrail_types::{SqlType, Value};

/// Properties of what is not there: queues, rules, extended procedures, full-text indexes, tables in memory,
/// replication, column sets.
const OF_NOTHING: &str = "\
    execiswithnativecompilation \
    isextendedproc isqueue isreplproc isrule issystemtable \
    tablefulltextbackgroundupdateindexon tablefulltextcatalogid \
    tablefulltextchangetrackingon tablefulltextdocsprocessed tablefulltextfailcount tablefulltextitemcount \
    tablefulltextkeycolumn tablefulltextmergestatus tablefulltextpopulatestatus tablefulltextsemanticextraction \
    tablehasactivefulltextindex tablehascolumnset \
    tablehasvardecimalstorageformat tableisfake tableislockedonbulkload \
    tableismemoryoptimized tableispinned tabletextinrowlimit";

/// Properties of tables alone.
const OF_TABLES: &str = "\
    tablehascheckcnst tablehasclustindex tablehasdefaultcnst tablehasforeignkey tablehasforeignref tablehasidentity tablehasindex \
    tablehasnonclustindex tablehasprimarykey tablehasrowguidcol tablehastextimage tablehastimestamp tablehasuniquecnst \
    tabletemporaltype";

fn is_in(names: &str, name: &str) -> bool {
    names.split(' ').any(|n| n == name)
}

/// A type's code, as `BaseType` gives it.
fn code(of: &str) -> Value {
    Value::Variant(Box::new((SqlType::Char(2), Value::varchar(of))))
}

/// What the catalogue knows of a system object.
struct SystemObject {
    code: &'static str,
    schema: i32,
}

impl SystemObject {
    /// By its id, which is negative.
    fn find(id: i32) -> Option<SystemObject> {
        if let Some(view) = views::all().iter().find(|v| v.id == id) {
            let schema = match view.schema {
                "sys" => 4,
                "INFORMATION_SCHEMA" => 3,
                views::MSDB => 1,
                _ => views::OWN_SCHEMA.0,
            };
            let code = if view.arguments.is_none() { "V " } else { "IF" };
            return Some(SystemObject { code, schema });
        }
        let is_procedure = procedure::names().any(|(_, known)| known == id);
        is_procedure.then_some(SystemObject { code: "P ", schema: 4 })
    }

    fn property(&self, name: &str) -> Value {
        let is = |code: &str| flag(self.code == code);
        match name {
            "ismsshipped" => flag(true),
            "isview" => is("V "),
            "isprocedure" => is("P "),
            "isscalarfunction" => flag(false),
            "isinlinefunction" | "istablefunction" => is("IF"),
            "isexecuted"
            | "execisansinullson"
            | "execisquotedidenton"
            | "isansinullson"
            | "isquotedidenton" => flag(true),
            "istable" | "isusertable" | "isconstraint" | "isprimarykey" | "isforeignkey"
            | "isuniquecnst" | "ischeckcnst" | "isdefault" | "isdefaultcnst" | "isencrypted"
            | "isindexable" | "isindexed" | "isschemabound" => flag(false),
            // The schema of the system belongs to sys, that of the information schema to INFORMATION_SCHEMA.
            "ownerid" | "schemaid" => int(self.schema),
            "basetype" => code(self.code),
            "istrigger" | "execisstartup" => flag(false),
            _ if is_about_triggers(name) => flag(false),
            _ if is_in(OF_NOTHING, name) || is_in(OF_TABLES, name) || name.starts_with("cnst") => {
                flag(false)
            }
            _ => Value::Null,
        }
    }
}

impl Session {
    /// Whether an object of the current database is a procedure that runs when the server has started.
    fn runs_at_start(&self, id: ObjectId) -> bool {
        let master = self.database.id == DatabaseId(1);
        master && startup_procedures::all(&self.database.storage).is_ok_and(|all| all.contains(&id))
    }

    /// A property by its name in lower case.
    pub(in crate::exec) fn object_property(&self, id: i32, name: &str) -> Value {
        if id < 0 {
            return SystemObject::find(id).map_or(Value::Null, |o| o.property(name));
        }
        let Some(o) = self.object_in(id, None) else { return Value::Null };
        if let Some(value) = self.trigger_property(&o, name) {
            return value;
        }
        let head = o.head();
        match name {
            "basetype" => match &o {
                Object::Synonym(s) => {
                    self.base_object(s).map_or(Value::Null, |base| code(base.head().kind.code()))
                }
                _ => code(head.kind.code()),
            },
            "istable" | "isusertable" => flag(head.kind == ObjectKind::Table),
            "isview" => flag(head.kind == ObjectKind::View),
            "isprocedure" => flag(head.kind == ObjectKind::Procedure),
            "execisstartup" => flag(self.runs_at_start(head.id)),
            "isprimarykey" => flag(head.kind == ObjectKind::PrimaryKey),
            "isuniquecnst" => flag(head.kind == ObjectKind::Unique),
            "ischeckcnst" => flag(head.kind == ObjectKind::Check),
            "isdefaultcnst" | "isdefault" => flag(head.kind == ObjectKind::Default),
            "isforeignkey" => flag(head.kind == ObjectKind::ForeignKey),
            "isconstraint" => flag(matches!(o, Object::Constraint(_))),
            "isexecuted" => flag(matches!(
                &o,
                Object::Procedure(_) | Object::View(_) | Object::Function(_) | Object::Trigger(_)
            )),
            "isscalarfunction" => flag(head.kind == ObjectKind::ScalarFunction),
            "istablefunction" => flag(head.kind == ObjectKind::TableFunction),
            "isinlinefunction" => flag(head.kind == ObjectKind::InlineFunction),
            "ismsshipped" => flag(false),
            "ownerid" => int(owner_of(&self.database, &o, self.id)),
            "schemaid" => int(head.schema_id.0),
            _ if is_in(OF_NOTHING, name) => flag(false),
            _ if name.starts_with("cnst") => self.constraint_property(&o, name),
            _ => match &o {
                Object::Table(t) => self.table_property(t, name),
                Object::View(m)
                | Object::Procedure(m)
                | Object::Function(m)
                | Object::Trigger(m) => module_property(m, name),
                Object::Constraint(_) if is_in(OF_TABLES, name) => flag(false),
                Object::Constraint(_)
                | Object::Synonym(_)
                | Object::Sequence(_)
                | Object::Policy(_)
                | Object::DdlTrigger(_)
                | Object::Type(_) => Value::Null,
            },
        }
    }

    /// Properties that tables have.
    fn table_property(&self, t: &Table, name: &str) -> Value {
        match name {
            "cardinality" => {
                Value::Variant(Box::new((SqlType::BigInt, Value::BigInt(t.row_count() as i64))))
            }
            // A table keeps no other setting of either option.
            "isansinullson" | "isquotedidenton" | "isindexable" => flag(true),
            "isencrypted" => flag(false),
            "tablehascheckcnst" => flag(!t.checks.is_empty()),
            "tablehasdefaultcnst" => flag(t.columns.iter().any(|c| c.default.is_some())),
            "tablehasrowguidcol" => flag(t.columns.iter().any(|c| c.is_rowguid)),
            "tablehastextimage" => flag(t.columns.iter().any(|c| c.old_large)),
            "tablehastimestamp" => flag(t.columns.iter().any(|c| c.ty == SqlType::RowVersion)),
            "tablehasforeignkey" => {
                let keys = self.database.catalog.foreign_keys_of(t.head.id, self.id);
                flag(keys.is_ok_and(|k| !k.is_empty()))
            }
            "tablehasforeignref" => {
                let keys = self.database.catalog.references_to(t.head.id, self.id);
                flag(keys.is_ok_and(|k| !k.is_empty()))
            }
            "tablehasidentity" => flag(t.identity.is_some()),
            "tabletemporaltype" => int(t.head.temporal_type().0),
            "tablehasprimarykey" => flag(t.defined().any(|i| i.primary_key)),
            "tablehasclustindex" => flag(!t.is_heap()),
            "tablehasindex" | "isindexed" => flag(!t.is_heap() || t.defined().nth(1).is_some()),
            "tablehasnonclustindex" => flag(t.defined().nth(1).is_some()),
            "tablehasuniquecnst" => flag(t.defined().any(|i| i.unique_constraint)),
            _ => Value::Null,
        }
    }

    /// Properties that constraints have; 0 of everything else.
    fn constraint_property(&self, o: &Object, name: &str) -> Value {
        let Object::Constraint(c) = o else { return flag(false) };
        let of_key = |kind: IndexKind| {
            let table = self.object_in(c.head.parent.0, None).and_then(|o| o.as_table().cloned());
            table.is_some_and(|t| t.defined().any(|i| i.constraint == c.head.id && i.kind == kind))
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
}

/// Properties that views, procedures and functions have. Of what is not schema-bound nothing is known: determinism and precision are
/// not verified.
fn module_property(m: &Module, name: &str) -> Value {
    let (facts, bound) = (m.facts, m.facts.schema_bound);
    let is_procedure = matches!(m.head.kind, ObjectKind::Procedure | ObjectKind::Trigger);
    match name {
        "execisansinullson" | "isansinullson" => flag(m.ansi_nulls),
        "execisquotedidenton" | "isquotedidenton" => flag(m.quoted_identifier),
        "isencrypted" => flag(m.options.encrypted),
        "isindexed" => flag(m.indexed.is_some()),
        "isindexable" => flag(false),
        "isschemabound" => flag(bound),
        "isdeterministic" if !is_procedure => flag(bound && facts.deterministic),
        "isprecise" if !is_procedure => flag(bound && !facts.imprecise),
        "issystemverified" if !is_procedure => flag(bound),
        "userdataaccess" if !is_procedure => flag(!bound || facts.reads_data),
        "systemdataaccess" if !is_procedure => flag(!bound || facts.reads_system),
        _ if is_in(OF_TABLES, name) => flag(false),
        _ => Value::Null,
    }
}
