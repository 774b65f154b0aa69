//! What the statements of a request keep in memory, and its limit: 701.
//!
//! A request is worked on by one thread, so its figures are the thread's. Whoever keeps rows counts them in a [`Held`], which gives
//! them back when it goes; that the limit has been passed is noticed at the next row ([`check`], by `Rt::tick`). What the session
//! keeps from request to request (open cursors: rows, and statements that go on) counts from a request's beginning, on
//! whichever thread that is. Rows of table variables are pages of
//! tempdb, which the buffer pool counts.
//!
//! Trees and plans are measured as they are made ([`Measured`]), by what the thread takes from the heap: nobody could say what a
//! statement will take. Whoever keeps them counts them from then on.

use std::cell::Cell;
use taffrail_base::{SqlError, SqlResult};
use taffrail_io::heap;
use taffrail_types::Value;

thread_local! {
    static USED: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
    static OVER: Cell<bool> = const { Cell::new(false) };
    static MEASURED_FROM: Cell<Option<isize>> = const { Cell::new(None) };
}

/// A request that has held so much leaves the allocator with memory that is worth giving back to the system.
const WORTH_GIVING_BACK: usize = 32 << 20;

/// The thread's request, from here to its end: what the session had kept before.
pub struct Request(usize);

/// A request begins, whose statements may keep so many bytes, of which the session keeps some already.
pub fn request(limit: usize, kept: usize) -> Request {
    taffrail_types::interest::ask(crate::pieces::is_wanted);
    taffrail_types::interest::was_cut();
    USED.set(kept);
    PEAK.set(kept);
    OVER.set(kept > limit);
    LIMIT.set(limit);
    Request(kept)
}

impl Drop for Request {
    fn drop(&mut self) {
        LIMIT.set(usize::MAX);
        // More than before for a while, or less than before from now on.
        let (more, less) = (PEAK.get().saturating_sub(self.0), self.0.saturating_sub(USED.get()));
        if more.max(less) >= WORTH_GIVING_BACK {
            taffrail_io::give_back_memory();
        }
    }
}

/// Bytes that the thread's request keeps now. A statement that is left and gone on with has kept the difference.
#[inline]
pub fn used() -> usize {
    USED.get()
}

fn exceeded() -> Box<SqlError> {
    SqlError::new(701, &[&"default"]).with_severity(17).with_state(123)
}

/// More is kept than may be.
#[inline]
pub fn is_over() -> bool {
    OVER.get()
}

/// So much is anyone's before rows are written to a file, however little is free.
const LEAST: usize = 64 << 10;

/// Whether rows of so many bytes, which are among those that are kept, are to go to a file: more than half of the memory is in use, and
/// little is free beside them. So the first of several who keep rows gets three quarters of it, the next one three quarters of the rest.
#[inline]
pub fn must_spill(bytes: usize) -> bool {
    USED.get() > LIMIT.get() / 2 && is_large(bytes)
}

#[cold]
fn is_large(bytes: usize) -> bool {
    let limit = LIMIT.get();
    let free = limit.saturating_sub(USED.get());
    bytes > free.saturating_mul(3).max(limit / 32).max(LEAST)
}

/// What the thread's request may keep.
pub fn limit() -> usize {
    LIMIT.get()
}

/// 701 where more is kept than may be.
pub fn check() -> SqlResult<()> {
    if is_over() { Err(exceeded()) } else { Ok(()) }
}

/// A value of so many bytes is about to be made: 701 where there is no room for it.
pub fn room(bytes: usize) -> SqlResult<()> {
    PEAK.set(PEAK.get().max(bytes));
    match USED.get().saturating_add(bytes) > LIMIT.get() {
        true => Err(exceeded()),
        false => Ok(()),
    }
}

/// A measurement of the thread's heap that lasts until it is dropped: of the compiling of a text,
/// or the planning of a statement.
pub struct Measured {
    from: isize,
    /// Nothing around it is measured.
    outermost: bool,
}

impl Measured {
    /// Begins to measure this thread.
    pub fn begin() -> Measured {
        let from = heap::taken();
        let outermost = MEASURED_FROM.get().is_none();
        if outermost {
            MEASURED_FROM.set(Some(from));
        }
        Measured { from, outermost }
    }

    /// Bytes that were taken since the beginning and not given back.
    pub fn taken(&self) -> usize {
        usize::try_from(heap::taken() - self.from).unwrap_or(0)
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        if self.outermost {
            MEASURED_FROM.set(None);
        }
    }
}

/// 701 where what is measured, with so many bytes that are about to be taken, has no room beside what is kept.
pub fn measured(more: usize) -> SqlResult<()> {
    let Some(from) = MEASURED_FROM.get() else { return Ok(()) };
    room(usize::try_from(heap::taken() - from).unwrap_or(0) + more)
}

/// Values of variables from so many bytes on are worth counting.
const LARGE: usize = 64 << 10;

/// The variable at a place is to have a new value: 701 where there is no room for it beside the others'.
#[inline]
pub fn variables(all: &[Value], at: usize, new: &Value) -> SqlResult<()> {
    match spilled(new) {
        small if small < LARGE => Ok(()),
        large => variable_of(all, at, large),
    }
}

/// As [`variables`], for a new value of so many bytes.
pub fn variable_of(all: &[Value], at: usize, new: usize) -> SqlResult<()> {
    if new < LARGE {
        return Ok(());
    }
    let others = all.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, v)| spilled(v));
    room(new + others.sum::<usize>())
}

/// The bytes that a value has on the heap.
#[inline]
pub fn spilled(v: &Value) -> usize {
    match v {
        Value::VarChar(b) | Value::NVarChar(b) | Value::Binary(b) if b.spilled() => b.capacity(),
        _ => 0,
    }
}

/// The bytes that a row of values takes.
pub fn bytes_of(values: &[Value]) -> usize {
    size_of_val(values) + values.iter().map(spilled).sum::<usize>()
}

/// Bytes that something keeps.
#[derive(Default)]
pub struct Held(usize);

impl Held {
    /// Adds so many bytes.
    #[inline]
    pub fn add(&mut self, bytes: usize) {
        self.0 += bytes;
        let used = USED.get() + bytes;
        USED.set(used);
        if used > PEAK.get() {
            PEAK.set(used);
            OVER.set(used > LIMIT.get());
        } else if used > LIMIT.get() {
            OVER.set(true);
        }
    }

    /// Adds the bytes of these values.
    pub fn values(&mut self, values: &[Value]) {
        self.add(bytes_of(values));
    }

    /// Takes away so many bytes, at most all.
    pub fn less(&mut self, bytes: usize) {
        let bytes = bytes.min(self.0);
        self.0 -= bytes;
        let used = USED.get().saturating_sub(bytes);
        USED.set(used);
        if used <= LIMIT.get() {
            OVER.set(false);
        }
    }

    /// How many there are.
    pub fn bytes(&self) -> usize {
        self.0
    }

    /// Nothing is kept any more.
    pub fn clear(&mut self) {
        self.less(self.0);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.clear();
    }
}
