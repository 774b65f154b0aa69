//! SET options.

use taffrail_types::ConvertContext;
use taffrail_types::datetime::{DateFormat, LanguageId};

pub use crate::plan::locking::Isolation;

/// The SET options of a session.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct SetOptions {
    pub nocount: bool,
    pub xact_abort: bool,
    pub implicit_transactions: bool,
    pub quoted_identifier: bool,
    pub ansi_nulls: bool,
    pub ansi_padding: bool,
    pub ansi_warnings: bool,
    pub ansi_null_dflt_on: bool,
    pub arithabort: bool,
    /// No message tells that ANSI_WARNINGS OFF and ARITHABORT OFF have made a NULL of an error.
    pub arithignore: bool,
    pub concat_null_yields_null: bool,
    pub numeric_roundabort: bool,
    pub cursor_close_on_commit: bool,
    pub fmtonly: bool,
    pub noexec: bool,
    pub parseonly: bool,
    pub(crate) showing: crate::exec::showplan::Showing,
    pub statistics_time: bool,
    pub statistics_io: bool,
    pub(crate) profiling: crate::exec::showplan::Profiling,
    pub date_first: u8,
    pub date_format: DateFormat,
    pub language: LanguageId,
    /// Bytes; -1 is without end.
    pub text_size: i32,
    pub row_count: u64,
    pub deadlock_priority: i8,
    /// Milliseconds; -1 waits without end.
    pub lock_timeout: i32,
    pub isolation: Isolation,
}

impl Default for SetOptions {
    fn default() -> SetOptions {
        SetOptions {
            nocount: false,
            xact_abort: false,
            implicit_transactions: false,
            quoted_identifier: true,
            ansi_nulls: true,
            ansi_padding: true,
            ansi_warnings: true,
            ansi_null_dflt_on: true,
            // ARITHABORT counts as ON while ANSI_WARNINGS is.
            arithabort: false,
            arithignore: false,
            concat_null_yields_null: true,
            numeric_roundabort: false,
            cursor_close_on_commit: false,
            fmtonly: false,
            noexec: false,
            parseonly: false,
            showing: Default::default(),
            statistics_time: false,
            statistics_io: false,
            profiling: Default::default(),
            date_first: 7,
            date_format: DateFormat::Mdy,
            language: LanguageId::US_ENGLISH,
            text_size: 2_147_483_647,
            row_count: 0,
            deadlock_priority: 0,
            lock_timeout: -1,
            isolation: Isolation::ReadCommitted,
        }
    }
}

impl SetOptions {
    /// Those of a new session whose client asked for a language; us_english where there is none of the name.
    pub fn of_login(language: &str) -> SetOptions {
        let mut options = SetOptions::default();
        options.set_language(LanguageId::of_name(language).unwrap_or_default());
        options
    }

    /// SET LANGUAGE: DATEFORMAT and DATEFIRST are the language's.
    pub(crate) fn set_language(&mut self, language: LanguageId) {
        self.language = language;
        self.date_format = language.get().date_format;
        self.date_first = language.get().date_first;
    }

    /// What conversions need of them.
    pub fn convert_context(&self) -> ConvertContext {
        ConvertContext {
            date_format: self.date_format,
            language: self.language,
            ansi_warnings: self.ansi_warnings,
            round_abort: self.numeric_roundabort,
            ..ConvertContext::default()
        }
    }

    /// `@@OPTIONS`.
    pub fn bits(&self) -> i32 {
        let mut bits = 0;
        for (bit, on) in [
            (2, self.implicit_transactions),
            (4, self.cursor_close_on_commit),
            (8, self.ansi_warnings),
            (16, self.ansi_padding),
            (32, self.ansi_nulls),
            (64, self.arithabort),
            (128, self.arithignore),
            (256, self.quoted_identifier),
            (512, self.nocount),
            (1024, self.ansi_null_dflt_on),
            (4096, self.concat_null_yields_null),
            (8192, self.numeric_roundabort),
            (16384, self.xact_abort),
        ] {
            if on {
                bits |= bit;
            }
        }
        bits
    }

    /// What others are shown of them, in one number; see [`SetOptions::shown`].
    pub(crate) fn packed(&self) -> u64 {
        let format = FORMATS.iter().position(|f| *f == self.date_format).unwrap_or(0);
        self.bits() as u64
            | u64::from(self.date_first) << 16
            | (format as u64) << 20
            | u64::from(self.language.number()) << 24
    }

    /// What [`SetOptions::packed`] has kept of a session's options: those that [`SetOptions::bits`] knows, and those of dates.
    pub fn shown(packed: u64) -> SetOptions {
        let on = |bit: u64| packed & bit != 0;
        SetOptions {
            implicit_transactions: on(2),
            cursor_close_on_commit: on(4),
            ansi_warnings: on(8),
            ansi_padding: on(16),
            ansi_nulls: on(32),
            arithabort: on(64),
            arithignore: on(128),
            quoted_identifier: on(256),
            nocount: on(512),
            ansi_null_dflt_on: on(1024),
            concat_null_yields_null: on(4096),
            numeric_roundabort: on(8192),
            xact_abort: on(16384),
            date_first: (packed >> 16 & 15) as u8,
            date_format: FORMATS[(packed >> 20 & 7) as usize % FORMATS.len()],
            language: LanguageId::of_number((packed >> 24) as u8),
            ..SetOptions::default()
        }
    }

    /// `ansi_defaults`: what SET ANSI_DEFAULTS ON turns on is on.
    pub fn are_ansi_defaults(&self) -> bool {
        self.ansi_nulls
            && self.ansi_null_dflt_on
            && self.ansi_padding
            && self.ansi_warnings
            && self.implicit_transactions
            && self.quoted_identifier
    }

    /// What a compiled plan depends on, for the plan cache. Other options are asked for when an expression is computed.
    pub(crate) fn plan_key(&self) -> u32 {
        u32::from(self.ansi_nulls)
            | u32::from(self.quoted_identifier) << 1
            | u32::from(self.ansi_padding) << 2
            | (self.date_format as u32) << 4
            | u32::from(self.language.number()) << 8
    }
}

const FORMATS: [DateFormat; 6] = [
    DateFormat::Mdy,
    DateFormat::Dmy,
    DateFormat::Ymd,
    DateFormat::Ydm,
    DateFormat::Myd,
    DateFormat::Dym,
];
