//! Types by the numbers of old: `type` of sys.systypes and sys.syscolumns, SS_DATA_TYPE of the procedures of drivers. They tell how a
//! value is sent, so most types that may be NULL have another number.

/// The numbers of a type.
struct StorageType {
    /// As sys.types names it.
    name: &'static str,
    /// Of a column that is NOT NULL.
    fixed: u8,
    /// Of one that may be NULL.
    nullable: u8,
    /// `usertype`; 0 for a type that 2000 did not number.
    user: u8,
}

const fn row(name: &'static str, fixed: u8, nullable: u8, user: u8) -> StorageType {
    StorageType { name, fixed, nullable, user }
}

#[rustfmt::skip]
static STORAGE_TYPES: &[StorageType] = &[
    row("image", 34, 34, 20), row("text", 35, 35, 19), row("ntext", 35, 35, 0), row("uniqueidentifier", 37, 37, 0),
    row("varbinary", 37, 37, 4), row("binary", 45, 37, 3), row("timestamp", 45, 37, 80),
    row("varchar", 39, 39, 2), row("nvarchar", 39, 39, 0), row("sysname", 39, 39, 18), row("char", 47, 39, 1), row("nchar", 47, 39, 0),
    row("sql_variant", 39, 39, 0),
    row("tinyint", 48, 38, 5), row("smallint", 52, 38, 6), row("int", 56, 38, 7), row("bit", 50, 50, 16),
    row("real", 59, 109, 23), row("float", 62, 109, 8),
    row("money", 60, 110, 11), row("smallmoney", 122, 110, 21),
    row("datetime", 61, 111, 12), row("smalldatetime", 58, 111, 22),
    row("decimal", 55, 106, 24), row("numeric", 63, 108, 10), row("bigint", 63, 108, 0),
    row("hierarchyid", 23, 23, 0), row("geometry", 23, 23, 0), row("geography", 23, 23, 0),
];

fn of(name: &str) -> Option<&'static StorageType> {
    STORAGE_TYPES.iter().find(|t| t.name == name)
}

/// The number of a column's type. Types that came with 2005 and later have none: 0.
pub fn storage_type(name: &str, nullable: bool) -> u8 {
    of(name).map_or(0, |t| if nullable { t.nullable } else { t.fixed })
}

/// `usertype` of a type.
pub fn user_type(name: &str) -> u8 {
    of(name).map_or(0, |t| t.user)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// xml and the types of 2008 are the only ones without a number.
    #[test]
    fn the_types_of_the_catalogue_have_their_numbers() {
        let unnumbered = ["date", "time", "datetime2", "datetimeoffset", "xml"];
        for t in taffrail_types::names::SYS_TYPES {
            assert_eq!(of(t.name).is_none(), unnumbered.contains(&t.name), "{}", t.name);
        }
    }

    #[test]
    fn what_may_be_null_is_sent_otherwise() {
        let of_int = [storage_type("int", false), storage_type("int", true)];
        assert_eq!(of_int, [56, 38]);
        let nullable = ["money", "float", "datetime", "numeric"].map(|n| storage_type(n, true));
        assert_eq!(nullable, [110, 109, 111, 108]);
    }
}
