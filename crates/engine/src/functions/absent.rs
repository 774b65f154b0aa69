//! Functions of SQL Server that are not here: told as such (40510), not as a name that is wrong (195).

/// In order of name.
static NAMES: &[&str] = &[
    "APPLOCK_MODE",
    "APPLOCK_TEST",
    "APPROX_COUNT_DISTINCT",
    "APPROX_PERCENTILE_CONT",
    "APPROX_PERCENTILE_DISC",
    "ASSEMBLYPROPERTY",
    "ASYMKEYPROPERTY",
    "ASYMKEY_ID",
    "CERTENCODED",
    "CERTPRIVATEKEY",
    "CERTPROPERTY",
    "CERT_ID",
    "CHANGE_TRACKING_CURRENT_VERSION",
    "CHANGE_TRACKING_IS_COLUMN_IN_MASK",
    "CHANGE_TRACKING_MIN_VALID_VERSION",
    "COLUMNS_UPDATED",
    "COMPRESS",
    "CURRENT_TIMEZONE",
    "CURRENT_TIMEZONE_ID",
    "DECOMPRESS",
    "DECRYPTBYASYMKEY",
    "DECRYPTBYCERT",
    "DECRYPTBYKEY",
    "DECRYPTBYKEYAUTOASYMKEY",
    "DECRYPTBYKEYAUTOCERT",
    "DECRYPTBYPASSPHRASE",
    "EDGE_ID_FROM_PARTS",
    "ENCRYPTBYASYMKEY",
    "ENCRYPTBYCERT",
    "ENCRYPTBYKEY",
    "ENCRYPTBYPASSPHRASE",
    "EVENTDATA",
    "FILEGROUPPROPERTY",
    "FILEPROPERTYEX",
    "FILETABLEROOTPATH",
    "FN_CDC_GET_MAX_LSN",
    "FN_CDC_GET_MIN_LSN",
    "FN_CDC_MAP_LSN_TO_TIME",
    "FN_CDC_MAP_TIME_TO_LSN",
    "FN_PHYSLOCFORMATTER",
    "FN_SQLVARBASETOSTR",
    "FN_VARBINTOHEXSUBSTRING",
    "FULLTEXTCATALOGPROPERTY",
    "GETFILENAMESPACEPATH",
    "GETPATHLOCATOR",
    "GET_FILESTREAM_TRANSACTION_CONTEXT",
    "GET_TRANSMISSION_STATUS",
    "GRAPH_ID_FROM_EDGE_ID",
    "GRAPH_ID_FROM_NODE_ID",
    "GROUPING",
    "GROUPING_ID",
    "IS_OBJECTSIGNED",
    "JSON_ARRAY",
    "JSON_ARRAYAGG",
    "JSON_MODIFY",
    "JSON_OBJECT",
    "JSON_OBJECTAGG",
    "KEY_GUID",
    "KEY_ID",
    "KEY_NAME",
    "LOGINPROPERTY",
    "MIN_ACTIVE_ROWVERSION",
    "NODE_ID_FROM_PARTS",
    "OBJECT_ID_FROM_EDGE_ID",
    "OBJECT_ID_FROM_NODE_ID",
    "ORIGINAL_DB_NAME",
    "PERCENTILE_CONT",
    "PERCENTILE_DISC",
    "PERMISSIONS",
    "PUBLISHINGSERVERNAME",
    "PWDCOMPARE",
    "PWDENCRYPT",
    "SIGNBYASYMKEY",
    "SIGNBYCERT",
    "SYMKEYPROPERTY",
    "TERTIARY_WEIGHTS",
    "TEXTPTR",
    "TEXTVALID",
    "TRIGGER_NESTLEVEL",
    "VERIFYSIGNEDBYASYMKEY",
    "VERIFYSIGNEDBYCERT",
];

/// Those of FROM, in order of name.
static IN_FROM: &[&str] = &[
    "CHANGETABLE",
    "CONTAINSTABLE",
    "FN_BUILTIN_PERMISSIONS",
    "FN_GET_AUDIT_FILE",
    "FN_GET_SQL",
    "FN_SERVERSHAREDDRIVES",
    "FN_VALIDATE_PLAN_GUIDE",
    "FN_VIRTUALSERVERNODES",
    "FREETEXTTABLE",
    "OPENJSON",
    "OPENQUERY",
    "OPENXML",
];

/// Whether a name is one of a function in FROM that is missing.
pub fn is_absent_in_from(name: &str) -> bool {
    IN_FROM.binary_search(&&*name.to_ascii_uppercase()).is_ok()
}

/// Whether a name, in upper case, is one of them.
pub fn is_absent(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{IN_FROM, NAMES};

    #[test]
    fn they_are_in_order_and_really_absent() {
        assert!([NAMES, IN_FROM].iter().all(|n| n.windows(2).all(|w| w[0] < w[1])));
        let found: Vec<_> = NAMES.iter().filter(|n| super::super::find(n).is_some()).collect();
        assert!(found.is_empty(), "{found:?}");
    }
}
