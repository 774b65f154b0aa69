//! Comparisons of texts of many megabytes ask now and then whether anybody still wants the result.
//!
//! They have no errors to end by. One that nobody wants is cut short: it says anything, and [`was_cut`] says that it did. Whoever
//! answers "nobody" takes care that nothing is made of the result.

use std::cell::Cell;
use std::sync::OnceLock;

static WANTED: OnceLock<fn() -> bool> = OnceLock::new();

thread_local! {
    static CUT: Cell<bool> = const { Cell::new(false) };
}

/// So many characters are compared between two questions.
pub(crate) const CHARACTERS: usize = 1 << 18;

/// Sets, once for the process, the function that says whether the calling thread's results are wanted.
pub fn ask(wanted: fn() -> bool) {
    // The first one stays: all instances of a process ask the same.
    let _ = WANTED.set(wanted);
}

/// Nobody wants the result: the caller cuts its work short.
#[cold]
pub(crate) fn is_lost() -> bool {
    let lost = WANTED.get().is_some_and(|wanted| !wanted());
    if lost {
        CUT.set(true);
    }
    lost
}

/// Whether a result of this thread was cut short since this was asked last.
pub fn was_cut() -> bool {
    CUT.replace(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Collation;
    use crate::codepage::encode_utf16;
    use crate::like::Pattern;

    thread_local! {
        static LOST: Cell<bool> = const { Cell::new(false) };
    }

    #[test]
    fn long_texts_are_compared_for_as_long_as_somebody_wants_it() {
        ask(|| !LOST.get());
        let windows = Collation::from_name("Latin1_General_CI_AS").unwrap();
        let long = |c: &str| encode_utf16(&c.repeat(3 * CHARACTERS));
        let narrow = |c: &str| c.repeat(3 * CHARACTERS).into_bytes();
        let wide = [long("a"), long("A"), long("é"), long("É")];
        let pattern = |text: &str| Pattern::new(&encode_utf16(text), true, None, windows);
        let work: [&dyn Fn(); 5] = [
            &|| assert!(windows.compare_nvarchar(&wide[0], &wide[1]).is_eq()),
            &|| assert!(windows.compare_nvarchar(&wide[2], &wide[3]).is_eq()),
            &|| assert!(windows.compare_varchar(&narrow("a"), &narrow("A")).is_eq()),
            &|| assert!(!pattern("%[b]").matches(&[&wide[0][..], &encode_utf16("c")].concat())),
            &|| assert!(!pattern("%aab").matches(&wide[0])),
        ];
        for (n, work) in work.iter().enumerate() {
            work();
            assert!(!was_cut(), "{n}");
        }
        LOST.set(true);
        for (n, work) in work.iter().enumerate() {
            // What they say is worth nothing now.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            assert!(was_cut(), "{n}");
        }
        let short = encode_utf16("é");
        assert!(windows.compare_nvarchar(&short, &encode_utf16("É")).is_eq() && !was_cut());
    }
}
