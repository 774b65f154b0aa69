//! T-SQL's reserved words, and nothing but them: what T-SQL does not reserve stays an identifier. PRECISION is on the
//! documented list and is none: scripts write `c.precision` of sys.columns, and SQL Server takes it.
//!
//! A word finds its keyword through a hash table built at compile time: hash of the upper-cased bytes, linear probing.

macro_rules! keywords {
    ($($variant:ident $text:literal,)*) => {
        /// A reserved word.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum Kw { $($variant,)* }

        /// All of them with their spelling, in the order of [`Kw`].
        const KEYWORDS: &[(Kw, &str)] = &[$((Kw::$variant, $text),)*];
    };
}

keywords! {
    Add "ADD", All "ALL", Alter "ALTER", And "AND", Any "ANY", As "AS", Asc "ASC",
    Authorization "AUTHORIZATION", Backup "BACKUP", Begin "BEGIN", Between "BETWEEN", Break "BREAK",
    Browse "BROWSE", Bulk "BULK", By "BY", Cascade "CASCADE", Case "CASE", Check "CHECK",
    Checkpoint "CHECKPOINT", Close "CLOSE", Clustered "CLUSTERED", Coalesce "COALESCE",
    Collate "COLLATE", Column "COLUMN", Commit "COMMIT", Compute "COMPUTE",
    Constraint "CONSTRAINT", Contains "CONTAINS", ContainsTable "CONTAINSTABLE",
    Continue "CONTINUE", Convert "CONVERT", Create "CREATE", Cross "CROSS", Current "CURRENT",
    CurrentDate "CURRENT_DATE", CurrentTime "CURRENT_TIME", CurrentTimestamp "CURRENT_TIMESTAMP",
    CurrentUser "CURRENT_USER", Cursor "CURSOR", Database "DATABASE", Dbcc "DBCC",
    Deallocate "DEALLOCATE", Declare "DECLARE", Default "DEFAULT", Delete "DELETE", Deny "DENY",
    Desc "DESC", Disk "DISK", Distinct "DISTINCT", Distributed "DISTRIBUTED", Double "DOUBLE",
    Drop "DROP", Dump "DUMP", Else "ELSE", End "END", Errlvl "ERRLVL", Escape "ESCAPE",
    Except "EXCEPT", Exec "EXEC", Execute "EXECUTE", Exists "EXISTS", Exit "EXIT",
    External "EXTERNAL", Fetch "FETCH", File "FILE", Fillfactor "FILLFACTOR", For "FOR",
    Foreign "FOREIGN", Freetext "FREETEXT", FreetextTable "FREETEXTTABLE", From "FROM",
    Full "FULL", Function "FUNCTION", Goto "GOTO", Grant "GRANT", Group "GROUP", Having "HAVING",
    Holdlock "HOLDLOCK", Identity "IDENTITY", IdentityInsert "IDENTITY_INSERT",
    IdentityCol "IDENTITYCOL", If "IF", In "IN", Index "INDEX", Inner "INNER", Insert "INSERT",
    Intersect "INTERSECT", Into "INTO", Is "IS", Join "JOIN", Key "KEY", Kill "KILL", Left "LEFT",
    Like "LIKE", Lineno "LINENO", Load "LOAD", Merge "MERGE", National "NATIONAL",
    Nocheck "NOCHECK", Nonclustered "NONCLUSTERED", Not "NOT", Null "NULL", Nullif "NULLIF",
    Of "OF", Off "OFF", Offsets "OFFSETS", On "ON", Open "OPEN", OpenDatasource "OPENDATASOURCE",
    OpenQuery "OPENQUERY", OpenRowset "OPENROWSET", OpenXml "OPENXML", Option "OPTION", Or "OR",
    Order "ORDER", Outer "OUTER", Over "OVER", Percent "PERCENT", Pivot "PIVOT", Plan "PLAN",
    Primary "PRIMARY", Print "PRINT", Proc "PROC", Procedure "PROCEDURE",
    Public "PUBLIC", Raiserror "RAISERROR", Read "READ", Readtext "READTEXT",
    Reconfigure "RECONFIGURE", References "REFERENCES", Replication "REPLICATION",
    Restore "RESTORE", Restrict "RESTRICT", Return "RETURN", Revert "REVERT", Revoke "REVOKE",
    Right "RIGHT", Rollback "ROLLBACK", Rowcount "ROWCOUNT", Rowguidcol "ROWGUIDCOL", Rule "RULE",
    Save "SAVE", Schema "SCHEMA", SecurityAudit "SECURITYAUDIT", Select "SELECT",
    SemanticKeyphrase "SEMANTICKEYPHRASETABLE",
    SemanticDetails "SEMANTICSIMILARITYDETAILSTABLE", SemanticSimilarity "SEMANTICSIMILARITYTABLE",
    SessionUser "SESSION_USER", Set "SET", Setuser "SETUSER", Shutdown "SHUTDOWN", Some "SOME",
    Statistics "STATISTICS", SystemUser "SYSTEM_USER", Table "TABLE", Tablesample "TABLESAMPLE",
    Textsize "TEXTSIZE", Then "THEN", To "TO", Top "TOP", Tran "TRAN", Transaction "TRANSACTION",
    Trigger "TRIGGER", Truncate "TRUNCATE", TryConvert "TRY_CONVERT", Tsequal "TSEQUAL",
    Union "UNION", Unique "UNIQUE", Unpivot "UNPIVOT", Update "UPDATE", Updatetext "UPDATETEXT",
    Use "USE", User "USER", Values "VALUES", Varying "VARYING", View "VIEW", Waitfor "WAITFOR",
    When "WHEN", Where "WHERE", While "WHILE", With "WITH", Writetext "WRITETEXT",
}

const SLOTS: usize = 512;
const EMPTY: u8 = u8::MAX;
/// The longest reserved word.
const LONGEST: usize = 30;

const _: () = assert!(KEYWORDS.len() < EMPTY as usize && KEYWORDS.len() * 2 < SLOTS);

const fn slot(word: &[u8]) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    let mut i = 0;
    while i < word.len() {
        hash = (hash ^ word[i].to_ascii_uppercase() as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    ((hash >> 16) ^ hash) as usize % SLOTS
}

static TABLE: [u8; SLOTS] = {
    let mut table = [EMPTY; SLOTS];
    let mut i = 0;
    while i < KEYWORDS.len() {
        assert!(KEYWORDS[i].1.len() <= LONGEST);
        let mut at = slot(KEYWORDS[i].1.as_bytes());
        while table[at] != EMPTY {
            at = (at + 1) % SLOTS;
        }
        table[at] = i as u8;
        i += 1;
    }
    table
};

/// The keyword that `word` is, in any case.
pub(crate) fn lookup(word: &[u8]) -> Option<Kw> {
    if word.len() < 2 || word.len() > LONGEST {
        return None;
    }
    let mut at = slot(word);
    while TABLE[at] != EMPTY {
        let (keyword, text) = KEYWORDS[TABLE[at] as usize];
        if text.as_bytes().eq_ignore_ascii_case(word) {
            return Some(keyword);
        }
        at = (at + 1) % SLOTS;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_finds_itself_in_any_case() {
        for &(keyword, text) in KEYWORDS {
            assert_eq!(lookup(text.as_bytes()), Some(keyword));
            assert_eq!(lookup(text.to_ascii_lowercase().as_bytes()), Some(keyword));
        }
        for word in ["", "a", "SELECTS", "OUTPUT", "OFFSET", "THROW", "CAST", "TRY", "été"] {
            assert_eq!(lookup(word.as_bytes()), None, "{word}");
        }
    }
}
