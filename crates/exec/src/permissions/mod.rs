//! The decision about a permission, as data alone: classes and permissions, what covers what, what is held, and the answer.
//!
//! ```text
//! OBJECT SELECT ◀ RECEIVE ◀ CONTROL          a permission is implied by those above it, of its class …
//!   ◀ SCHEMA SELECT ◀ CONTROL
//!       ◀ DATABASE SELECT ◀ CONTROL           … and of the classes above, up to
//!           ◀ SERVER CONTROL SERVER
//! ```
//! 1. A member of sysadmin and the user dbo are refused nothing.
//! 2. The owner of a securable may do everything with it, whatever is denied.
//! 3. Else one DENY of the permission, or of one above it, for one of the identities refuses; a grant of one of them allows.
//! 4. A row of a column stands before the row of the table that the same grantee has ([`Rights::columns`]).

mod builtin;
mod fixed_roles;
#[cfg(test)]
mod model;
mod rights;

pub use builtin::{PERMISSIONS, Permission};
pub(crate) use rights::{ColumnsRefused, HeldPermission, Standing};
pub use rights::{Rights, SecurableAt};

use std::sync::LazyLock;

/// A class of securables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are those of the classes")]
pub enum SecurableClass {
    Database,
    Object,
    Schema,
    User,
    Role,
    ApplicationRole,
    Assembly,
    Type,
    XmlSchemaCollection,
    MessageType,
    Contract,
    Service,
    RemoteServiceBinding,
    Route,
    FulltextCatalog,
    SymmetricKey,
    Certificate,
    AsymmetricKey,
    FulltextStoplist,
    SearchPropertyList,
    DatabaseScopedCredential,
    ExternalLanguage,
    Server,
    Login,
    ServerRole,
    Endpoint,
    AvailabilityGroup,
    Credential,
}

use SecurableClass as C;

/// The classes: the name before `::`, the number in rows, and the description of that number.
const CLASSES: [(C, &str, u8, &str); 28] = [
    (C::Database, "DATABASE", 0, "DATABASE"),
    (C::Object, "OBJECT", 1, "OBJECT_OR_COLUMN"),
    (C::Schema, "SCHEMA", 3, "SCHEMA"),
    (C::User, "USER", 4, "DATABASE_PRINCIPAL"),
    (C::Role, "ROLE", 4, "DATABASE_PRINCIPAL"),
    (C::ApplicationRole, "APPLICATION ROLE", 4, "DATABASE_PRINCIPAL"),
    (C::Assembly, "ASSEMBLY", 5, "ASSEMBLY"),
    (C::Type, "TYPE", 6, "TYPE"),
    (C::XmlSchemaCollection, "XML SCHEMA COLLECTION", 10, "XML_SCHEMA_COLLECTION"),
    (C::MessageType, "MESSAGE TYPE", 15, "MESSAGE_TYPE"),
    (C::Contract, "CONTRACT", 16, "SERVICE_CONTRACT"),
    (C::Service, "SERVICE", 17, "SERVICE"),
    (C::RemoteServiceBinding, "REMOTE SERVICE BINDING", 18, "REMOTE_SERVICE_BINDING"),
    (C::Route, "ROUTE", 19, "ROUTE"),
    (C::FulltextCatalog, "FULLTEXT CATALOG", 23, "FULLTEXT_CATALOG"),
    (C::SymmetricKey, "SYMMETRIC KEY", 24, "SYMMETRIC_KEYS"),
    (C::Certificate, "CERTIFICATE", 25, "CERTIFICATE"),
    (C::AsymmetricKey, "ASYMMETRIC KEY", 26, "ASYMMETRIC_KEY"),
    (C::FulltextStoplist, "FULLTEXT STOPLIST", 29, "FULLTEXT_STOPLIST"),
    (C::SearchPropertyList, "SEARCH PROPERTY LIST", 31, "SEARCH_PROPERTY_LIST"),
    (C::DatabaseScopedCredential, "DATABASE SCOPED CREDENTIAL", 32, "DATABASE_SCOPED_CREDENTIAL"),
    (C::ExternalLanguage, "EXTERNAL LANGUAGE", 34, "EXTERNAL_LANGUAGE"),
    (C::Server, "SERVER", 100, "SERVER"),
    (C::Login, "LOGIN", 101, "SERVER_PRINCIPAL"),
    (C::ServerRole, "SERVER ROLE", 101, "SERVER_PRINCIPAL"),
    (C::Endpoint, "ENDPOINT", 105, "ENDPOINT"),
    (C::AvailabilityGroup, "AVAILABILITY GROUP", 108, "AVAILABILITY_GROUP"),
    (C::Credential, "CREDENTIAL", 109, "CREDENTIAL"),
];

impl SecurableClass {
    fn row(self) -> &'static (C, &'static str, u8, &'static str) {
        CLASSES.iter().find(|c| c.0 == self).expect("every class has a row")
    }

    /// The name, as it stands before `::`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The number in rows of permissions.
    pub fn number(self) -> u8 {
        self.row().2
    }

    /// The class of a name in capitals.
    pub fn of_name(name: &str) -> Option<SecurableClass> {
        CLASSES.iter().find(|c| c.1 == name).map(|c| c.0)
    }

    /// `class_desc` of a number in rows of permissions.
    pub fn description(number: u8) -> Option<&'static str> {
        CLASSES.iter().find(|c| c.2 == number).map(|c| c.3)
    }

    /// The names of all classes with their numbers, in the order of the numbers.
    pub fn all() -> impl Iterator<Item = (&'static str, u8)> {
        CLASSES.iter().map(|c| (c.1, c.2))
    }

    /// The class of the securable that contains those of this class.
    pub fn parent(self) -> Option<SecurableClass> {
        match self {
            C::Server => None,
            C::Object | C::Type | C::XmlSchemaCollection => Some(C::Schema),
            c if c.is_of_server() => Some(C::Server),
            C::Database => Some(C::Server),
            _ => Some(C::Database),
        }
    }

    /// Securables of the class belong to no database.
    pub fn is_of_server(self) -> bool {
        self.number() >= 100
    }
}

/// The letters of a permission, as rows have them: four, blanks behind.
pub type Letters = [u8; 4];

/// The letters of a permission with blanks behind.
pub const fn code(letters: &str) -> Letters {
    let bytes = letters.as_bytes();
    let (mut code, mut at) = ([b' '; 4], 0);
    while at < bytes.len() {
        code[at] = bytes[at];
        at += 1;
    }
    code
}

/// A built-in permission, by its place in [`PERMISSIONS`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct PermissionId(u16);

impl PermissionId {
    /// Its row of the table.
    pub fn permission(self) -> &'static Permission {
        &PERMISSIONS[usize::from(self.0)]
    }

    /// The permissions that imply this one, itself first: numbers of classes with the letters in rows.
    pub(crate) fn above(self) -> &'static [(u8, Letters)] {
        &ABOVE[usize::from(self.0)]
    }

    /// All of them, in the order of the table.
    pub fn all() -> impl Iterator<Item = PermissionId> {
        (0..PERMISSIONS.len() as u16).map(PermissionId)
    }

    /// All of a class, in the order of the table.
    pub fn of_class(class: SecurableClass) -> impl Iterator<Item = PermissionId> {
        let ids = PERMISSIONS.iter().zip(0..).filter(move |(p, _)| p.class == class);
        ids.map(|(_, n)| PermissionId(n))
    }

    /// The permission that letters in a row of a class's number stand for.
    pub fn of_code(class: u8, letters: Letters) -> Option<PermissionId> {
        let same = |p: &Permission| p.class.number() == class && code(p.code) == letters;
        PERMISSIONS.iter().position(same).map(|n| PermissionId(n as u16))
    }
}

/// The permission of a class by its name in capitals, or any other known one by which it goes.
pub fn find(class: SecurableClass, name: &str) -> Option<PermissionId> {
    PermissionId::of_class(class).find(|p| p.permission().name == name)
}

/// The permission of a class by its name, which is there.
pub const fn known(class: SecurableClass, name: &str) -> PermissionId {
    let mut at = 0;
    while at < PERMISSIONS.len() {
        if PERMISSIONS[at].class as u8 == class as u8 && same_text(PERMISSIONS[at].name, name) {
            return PermissionId(at as u16);
        }
        at += 1;
    }
    panic!("there is no such permission")
}

const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

static ABOVE: LazyLock<Vec<Box<[(u8, Letters)]>>> = LazyLock::new(|| {
    let ids = 0..PERMISSIONS.len() as u16;
    ids.map(|n| above(PermissionId(n))).collect()
});

/// The permission with those that imply it.
fn above(of: PermissionId) -> Box<[(u8, Letters)]> {
    let mut found = vec![of];
    let mut at = 0;
    while let Some(next) = found.get(at) {
        let p = next.permission();
        let parent = p.class.parent();
        let implied = [(Some(p.class), p.covering), (parent, p.parent)];
        for (class, name) in implied {
            let id = class.and_then(|c| find(c, name));
            debug_assert!(id.is_some() || name.is_empty(), "{name} covers {}", p.name);
            found.extend(id.filter(|id| !found.contains(id)));
        }
        at += 1;
    }
    // Whoever may read everything reads each securable in which there is a user for it.
    if of.permission().name == "SELECT" {
        found.push(known(C::Server, "SELECT ALL USER SECURABLES"));
    }
    let letters = |id: &PermissionId| (id.permission().class.number(), code(id.permission().code));
    found.iter().map(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(class: C, name: &str) -> Vec<String> {
        let of = |(class, letters): &(u8, Letters)| {
            let p = PermissionId::of_code(*class, *letters).unwrap().permission();
            format!("{}.{}", p.class.name(), p.name)
        };
        known(class, name).above().iter().map(of).collect()
    }

    #[test]
    fn permissions_are_implied_by_those_above_up_to_the_server() {
        let select = names(C::Object, "SELECT");
        for above in [
            "OBJECT.SELECT",
            "OBJECT.RECEIVE",
            "OBJECT.CONTROL",
            "SCHEMA.SELECT",
            "SCHEMA.CONTROL",
            "DATABASE.SELECT",
            "DATABASE.CONTROL",
            "SERVER.CONTROL SERVER",
            "SERVER.SELECT ALL USER SECURABLES",
        ] {
            assert!(select.iter().any(|s| s == above), "{above} is missing from {select:?}");
        }
        assert_eq!(names(C::Server, "CONTROL SERVER"), ["SERVER.CONTROL SERVER"]);
        let create = names(C::Database, "CREATE TABLE");
        let all = ["CREATE TABLE", "ALTER", "CONTROL"].map(|n| format!("DATABASE.{n}"));
        assert!(all.iter().all(|a| create.contains(a)), "{create:?}");
        assert!(create.contains(&"SERVER.ALTER ANY DATABASE".into()), "{create:?}");
    }

    #[test]
    fn every_implication_is_there_and_no_class_has_letters_twice() {
        for p in &PERMISSIONS {
            let parent = p.class.parent();
            assert!(p.covering.is_empty() || find(p.class, p.covering).is_some(), "{}", p.name);
            let above = parent.and_then(|c| find(c, p.parent));
            assert!(p.parent.is_empty() || above.is_some(), "{} in {:?}", p.name, p.class);
            let same = PermissionId::of_class(p.class).filter(|o| o.permission().code == p.code);
            assert_eq!(same.count(), 1, "{} of {:?}", p.code, p.class);
        }
    }
}
