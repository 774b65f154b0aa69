//! Collations.
use std::cmp::Ordering;

/// A collation: the order and equality of text, and the code page of char and varchar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Collation {
    /// The default: code page 1252, case-insensitive, accent-sensitive.
    #[default]
    SqlLatin1GeneralCp1CiAs,
    /// Code page 1252, by code point.
    Latin1GeneralBin2,
}

impl Collation {
    /// By name, in any case.
    pub fn from_name(name: &str) -> Option<Collation> { let _ = name; todo!() }
    /// SQL Server's name.
    pub fn name(self) -> &'static str { todo!() }
    /// The number stored in the catalogue; stable.
    pub fn id(self) -> u16 { todo!() }
    /// The reverse of [`Collation::id`].
    pub fn from_id(id: u16) -> Option<Collation> { let _ = id; todo!() }
    /// The five bytes of TDS: LCID and flags (4, little-endian) and sort id.
    pub fn tds(self) -> [u8; 5] { todo!() }
    /// The collation of five TDS bytes, where it is one of ours.
    pub fn from_tds(b: [u8; 5]) -> Option<Collation> { let _ = b; todo!() }
    /// Orders two varchar values, the shorter padded with blanks.
    pub fn compare_varchar(self, a: &[u8], b: &[u8]) -> Ordering { let _ = (a, b); todo!() }
    /// Orders two nvarchar values (UTF-16LE), the shorter padded with blanks.
    pub fn compare_nvarchar(self, a: &[u8], b: &[u8]) -> Ordering { let _ = (a, b); todo!() }
    /// Appends bytes whose memcmp order is the collation's; self-delimiting (no key is a prefix of another).
    pub fn sort_key_varchar(self, text: &[u8], out: &mut Vec<u8>) { let _ = (text, out); todo!() }
    /// The same for UTF-16LE.
    pub fn sort_key_nvarchar(self, text: &[u8], out: &mut Vec<u8>) { let _ = (text, out); todo!() }
    /// Equal text gives equal hashes.
    pub fn hash_varchar(self, text: &[u8]) -> u64 { let _ = text; todo!() }
    /// Equal text gives equal hashes.
    pub fn hash_nvarchar(self, text: &[u8]) -> u64 { let _ = text; todo!() }
    /// Equality of identifiers and other UTF-8 text under this collation.
    pub fn eq_str(self, a: &str, b: &str) -> bool { let _ = (a, b); todo!() }
    /// A key for hash maps of names: equal under the collation = the same string.
    pub fn fold_str(self, s: &str) -> String { let _ = s; todo!() }
}
