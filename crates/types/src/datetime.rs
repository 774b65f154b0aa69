//! Dates and times.

/// SET DATEFORMAT.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DateFormat {
    /// month, day, year (us_english).
    #[default]
    Mdy,
    /// day, month, year.
    Dmy,
    /// year, month, day.
    Ymd,
    /// year, day, month.
    Ydm,
    /// month, year, day.
    Myd,
    /// day, year, month.
    Dym,
}
