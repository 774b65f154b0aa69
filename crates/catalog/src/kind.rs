//! The kinds of objects.

/// The kinds of objects, as `type` of `sys.objects`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum ObjectKind {
    Table,
    View,
    Procedure,
    ScalarFunction,
    InlineFunction,
    TableFunction,
    Synonym,
    Sequence,
    SecurityPolicy,
    PrimaryKey,
    Unique,
    Default,
    Check,
    ForeignKey,
    Trigger,
    /// A trigger of a database: no row of `sys.objects` either.
    DatabaseTrigger,
    /// A trigger of the server, in master: likewise.
    ServerTrigger,
    /// The table beside a table type, which shows its columns.
    TableType,
    /// An alias or table type itself, which is no row of `sys.objects`.
    Type,
}

impl ObjectKind {
    /// The kinds, in a fixed order.
    pub const ALL: [ObjectKind; 19] = [
        ObjectKind::Table,
        ObjectKind::View,
        ObjectKind::Procedure,
        ObjectKind::ScalarFunction,
        ObjectKind::InlineFunction,
        ObjectKind::TableFunction,
        ObjectKind::Synonym,
        ObjectKind::Sequence,
        ObjectKind::SecurityPolicy,
        ObjectKind::PrimaryKey,
        ObjectKind::Unique,
        ObjectKind::Default,
        ObjectKind::Check,
        ObjectKind::ForeignKey,
        ObjectKind::Trigger,
        ObjectKind::DatabaseTrigger,
        ObjectKind::ServerTrigger,
        ObjectKind::TableType,
        ObjectKind::Type,
    ];

    /// The two characters of `sys.objects.type`.
    pub fn code(self) -> &'static str {
        match self {
            ObjectKind::Table => "U ",
            ObjectKind::View => "V ",
            ObjectKind::Procedure => "P ",
            ObjectKind::ScalarFunction => "FN",
            ObjectKind::InlineFunction => "IF",
            ObjectKind::TableFunction => "TF",
            ObjectKind::Synonym => "SN",
            ObjectKind::Sequence => "SO",
            ObjectKind::SecurityPolicy => "SP",
            ObjectKind::PrimaryKey => "PK",
            ObjectKind::Unique => "UQ",
            ObjectKind::Default => "D ",
            ObjectKind::Check => "C ",
            ObjectKind::ForeignKey => "F ",
            ObjectKind::Trigger => "TR",
            ObjectKind::DatabaseTrigger => "DT",
            ObjectKind::ServerTrigger => "ST",
            ObjectKind::TableType => "TT",
            ObjectKind::Type => "TY",
        }
    }

    /// The kind's words in `type_desc`.
    pub fn description(self) -> &'static str {
        match self {
            ObjectKind::Table => "USER_TABLE",
            ObjectKind::View => "VIEW",
            ObjectKind::Procedure => "SQL_STORED_PROCEDURE",
            ObjectKind::ScalarFunction => "SQL_SCALAR_FUNCTION",
            ObjectKind::InlineFunction => "SQL_INLINE_TABLE_VALUED_FUNCTION",
            ObjectKind::TableFunction => "SQL_TABLE_VALUED_FUNCTION",
            ObjectKind::Synonym => "SYNONYM",
            ObjectKind::Sequence => "SEQUENCE_OBJECT",
            ObjectKind::SecurityPolicy => "SECURITY_POLICY",
            ObjectKind::PrimaryKey => "PRIMARY_KEY_CONSTRAINT",
            ObjectKind::Unique => "UNIQUE_CONSTRAINT",
            ObjectKind::Default => "DEFAULT_CONSTRAINT",
            ObjectKind::Check => "CHECK_CONSTRAINT",
            ObjectKind::ForeignKey => "FOREIGN_KEY_CONSTRAINT",
            ObjectKind::Trigger | ObjectKind::DatabaseTrigger | ObjectKind::ServerTrigger => {
                "SQL_TRIGGER"
            }
            ObjectKind::TableType => "TYPE_TABLE",
            ObjectKind::Type => "USER_DEFINED_TYPE",
        }
    }

    /// Whether it is a function of one of the three kinds.
    pub fn is_function(self) -> bool {
        use ObjectKind::{InlineFunction, ScalarFunction, TableFunction};
        matches!(self, ScalarFunction | InlineFunction | TableFunction)
    }

    /// By its code, blanks aside.
    pub fn from_code(code: &str) -> Option<ObjectKind> {
        ObjectKind::ALL.into_iter().find(|k| k.code().trim_end() == code.trim_end())
    }
}
