//! Index keys: bytes in memcmp order.
use crate::{Collation, Value};

/// Appends the value as order-preserving, self-delimiting bytes: NULL first, then as [`crate::compare::compare`] orders
/// (`descending`: the reverse). All values of one key column must be of one type.
pub fn append(out: &mut Vec<u8>, v: &Value, collation: Collation, descending: bool) { let _ = (out, v, collation, descending); todo!() }
