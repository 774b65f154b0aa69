//! An object of an object store, as a backup writes and reads it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::{IoResult, Volume};

/// One object, by its address. It is written once, from its beginning to its end, or read.
pub trait RemoteObject: Send + Sync {
    /// The address, as it was written: `s3://host/bucket/key`.
    fn path(&self) -> &Path;
    /// True when there is an object at the address, for who is going to write one: nobody else may until this value is gone.
    fn exists(&self) -> IoResult<bool>;
    /// Begins a new object. Writes follow each other without gaps; nobody sees anything of them before [`Volume::sync`], which ends the
    /// object, and may be called once. What is dropped before that has never been; an object that was at the address stays until then.
    /// [`Volume::truncate`] to the length that there is sends all of it ahead: the last call before the end, or the first of all.
    fn create(&self) -> IoResult<Arc<dyn Volume>>;
    /// Opens the object for reading.
    fn open(&self) -> IoResult<Arc<dyn Volume>>;
    /// Removes the object, if it is there.
    fn remove(&self) -> IoResult<()>;
}

impl fmt::Debug for dyn RemoteObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path().display())
    }
}
