//! Messages: the catalogue, and the error that carries one.
//!
//! Only the catalogue knows texts. Code raises a number with its arguments:
//!
//! ```
//! use taffrail_base::SqlError;
//! let e = SqlError::new(208, &[&"dbo.Orders"]).with_line(3);
//! assert_eq!((e.number, e.severity, &*e.message), (208, 16, "Invalid object name 'dbo.Orders'."));
//! ```

mod catalogue;

use std::fmt;

pub use catalogue::MESSAGES;

/// One entry of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The number, `message_id` of `sys.messages`.
    pub number: i32,
    /// 0–10 information, 11–16 the user's mistake, 17–19 resources, from 20 the connection ends, from 21 the database.
    /// It is the one that clients see; [`Message::listed_severity`] is that of `sys.messages`.
    pub severity: u8,
    /// English text with printf-like placeholders (`%d`, `%.*ls`, `%S_LSN` …), filled in order.
    pub text: &'static str,
}

/// Messages below severity 19 that go to the error log whenever they are raised.
const LOGGED: &[i32] = &[
    825, 1101, 1105, 3041, 3406, 3407, 3408, 3619, 3620, 5144, 5145, 5175, 5176, 5178, 5179, 9002,
    17053, 17126, 17137, 18100, 18264, 18265, 18456,
];

/// Messages whose severity in `sys.messages` is not the one that is sent: number and listed severity.
const LISTED: &[(i32, u8)] = &[
    (104, 15),
    (108, 15),
    (116, 15),
    (130, 16),
    (319, 16),
    (596, 16),
    (1088, 15),
    (4108, 16),
    (4109, 16),
    (8155, 15),
    (8156, 15),
    (8158, 15),
    (8159, 15),
    (10709, 15),
];

impl Message {
    /// `severity` of `sys.messages`. SQL Server sends some messages with another one.
    pub fn listed_severity(&self) -> u8 {
        LISTED.iter().find(|(n, _)| *n == self.number).map_or(self.severity, |(_, listed)| *listed)
    }

    /// Whether the message goes to the event log: `is_event_logged` of `sys.messages`.
    pub fn is_logged(&self) -> bool {
        self.severity >= 19 || LOGGED.binary_search(&self.number).is_ok()
    }
}

/// The catalogue's entry for a number.
pub fn find(number: i32) -> Option<&'static Message> {
    MESSAGES.binary_search_by_key(&number, |m| m.number).ok().map(|i| &MESSAGES[i])
}

/// The result of work for a statement; the error holds the facts of an ERROR token.
pub type SqlResult<T> = Result<T, Box<SqlError>>;

/// An error (or, up to severity 10, an informational message) as a client sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SqlError {
    /// Message number; 50000 and above are the user's own.
    pub number: i32,
    /// Tells places that raise the same number apart.
    pub state: u8,
    /// Severity, called class on the wire.
    pub severity: u8,
    /// 1-based line in the batch or module; 0 while it is not known.
    pub line: u32,
    /// The procedure, function or trigger; none in a batch.
    pub procedure: Option<Box<str>>,
    /// The text with its parameters filled in.
    pub message: String,
    /// The source of the error, which no client is told.
    pub origin: Origin,
    /// Errors of the same statement that are told before this one.
    pub before: Vec<SqlError>,
    /// Messages of the same statement that are told behind this one.
    pub after: Vec<SqlError>,
}

/// The sources of an error: with its number they decide how much the error ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Origin {
    /// A statement, while it ran.
    #[default]
    Run,
    /// A statement that had begun to change something when it met the error.
    Change,
    /// A statement's names and types, bound at the time when it was to run.
    Binding,
    /// A procedure's parameters, into which its arguments could not be put.
    Parameters,
    /// RAISERROR, which XACT_ABORT does not concern.
    RaisError,
    /// THROW, which ends the batch.
    Throw,
    /// A trigger that the statement has fired: the batch ends.
    Trigger,
    /// WITH RESULT SETS of a calling EXEC, which ends.
    ResultSets,
}

impl SqlError {
    /// The catalogue's message `number` with its placeholders filled in order; state 1, line not known yet.
    ///
    /// A number that is not in the catalogue is a mistake in our code: debug builds stop, release builds send the
    /// number with the arguments as text. `cargo xtask tidy` holds every number used against the catalogue.
    pub fn new(number: i32, args: &[&dyn fmt::Display]) -> Box<SqlError> {
        let (severity, message) = match find(number) {
            Some(m) => (m.severity, fill(m.text, args)),
            None => {
                debug_assert!(false, "message {number} is not in the catalogue");
                let args: Vec<String> = args.iter().map(|a| a.to_string()).collect();
                (16, args.join(" "))
            }
        };
        SqlError::of_text(number, severity, message)
    }

    /// A message whose finished text is the caller's: state 1, line not known yet.
    pub fn of_text(number: i32, severity: u8, message: String) -> Box<SqlError> {
        Box::new(SqlError {
            number,
            state: 1,
            severity,
            line: 0,
            procedure: None,
            message,
            origin: Origin::Run,
            before: Vec::new(),
            after: Vec::new(),
        })
    }

    /// The same, raised elsewhere than by a statement that ran.
    pub fn with_origin(mut self: Box<Self>, origin: Origin) -> Box<Self> {
        self.origin = origin;
        self
    }

    /// The error with a state other than 1.
    pub fn with_state(mut self: Box<Self>, state: u8) -> Box<Self> {
        self.state = state;
        self
    }

    /// The error with another severity than the catalogue's (where the wire differs from
    /// `sys.messages`).
    pub fn with_severity(mut self: Box<Self>, severity: u8) -> Box<Self> {
        self.severity = severity;
        self
    }

    /// The error with a line, unless one is known already: the innermost place that knows it wins.
    pub fn with_line(mut self: Box<Self>, line: u32) -> Box<Self> {
        if self.line == 0 {
            self.line = line;
        }
        self
    }

    /// The error with the procedure's name, unless one is known already.
    pub fn in_procedure(mut self: Box<Self>, name: &str) -> Box<Self> {
        self.procedure.get_or_insert_with(|| name.into());
        self
    }

    /// Not an error but a message for the user (severity 10 and below).
    pub fn is_informational(&self) -> bool {
        self.severity <= 10
    }
}

/// The number of [`cancelled`]: none of the catalogue's.
pub const CANCELLED: i32 = -2;

/// The number of [`client_gone`]: none of the catalogue's.
pub const CLIENT_GONE: i32 = -3;

/// The error that unwinds a statement whose client sent an attention, wherever it was noticed: in a
/// loop, in a wait for a lock, at a growth of the log. The attention is acknowledged, the error
/// never sent.
pub fn cancelled() -> Box<SqlError> {
    never_sent(CANCELLED, "Query was cancelled.")
}

/// The error that unwinds a statement whose client has gone: nothing more can be sent.
pub fn client_gone() -> Box<SqlError> {
    never_sent(CLIENT_GONE, "The client has gone.")
}

fn never_sent(number: i32, message: &str) -> Box<SqlError> {
    SqlError::of_text(number, 11, message.to_owned())
}

impl fmt::Display for SqlError {
    /// As `sqlcmd` heads its errors: `Msg 208, Level 16, State 1, Line 3: Invalid object name 'dbo.Orders'.`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Msg {}, Level {}, State {}", self.number, self.severity, self.state)?;
        if let Some(procedure) = &self.procedure {
            write!(f, ", Procedure {procedure}")?;
        }
        write!(f, ", Line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for SqlError {}

/// Replaces the placeholders of `text` by `args` in order. A placeholder without an argument becomes nothing.
fn fill(text: &str, args: &[&dyn fmt::Display]) -> String {
    use fmt::Write;
    let mut out = String::with_capacity(text.len() + 32);
    let mut args = args.iter();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let placeholder = placeholder_len(rest);
        if placeholder == 0 {
            out.push('%');
            rest = &rest[1..];
        } else if rest.starts_with("%%") {
            out.push('%');
            rest = &rest[2..];
        } else {
            if let Some(arg) = args.next() {
                // Writing to a String cannot fail.
                write!(out, "{arg}").expect("formatting into a String");
            }
            rest = &rest[placeholder..];
        }
    }
    out.push_str(rest);
    out
}

/// Length of the placeholder at the start of `s` (which begins with `%`), or 0 if it is a plain percent sign.
fn placeholder_len(s: &str) -> usize {
    let b = s.as_bytes();
    if s.starts_with("%%") {
        return 2;
    }
    if s.starts_with("%S_") {
        let name = b[3..].iter().take_while(|c| c.is_ascii_uppercase()).count();
        return if name > 0 { 3 + name } else { 0 };
    }
    let mut i = 1;
    while i < b.len() && matches!(b[i], b'-' | b'+' | b'#' | b'0'..=b'9' | b'.' | b'*') {
        i += 1;
    }
    for size in ["I64", "ll", "l", "h", "w"] {
        if s[i..].starts_with(size) {
            i += size.len();
            break;
        }
    }
    match b.get(i) {
        Some(b'd' | b'i' | b'u' | b'x' | b'X' | b's' | b'c' | b'p' | b'f') => i + 1,
        _ => 0,
    }
}

/// 40510: what is asked for is not built. `what` begins the sentence.
#[cold]
pub fn unsupported(what: impl std::fmt::Display) -> Box<SqlError> {
    SqlError::new(40510, &[&what])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_in_order() {
        assert!(MESSAGES.windows(2).all(|w| w[0].number < w[1].number));
    }

    #[test]
    fn what_is_logged_is_in_the_catalogue_and_in_order() {
        assert!(LOGGED.windows(2).all(|w| w[0] < w[1]));
        let below_19 = |n: &i32| find(*n).is_some_and(|m| m.severity < 19);
        assert!(LOGGED.iter().all(below_19), "{:?}", LOGGED.iter().find(|n| !below_19(n)));
        let logged = |n| find(n).unwrap().is_logged();
        assert!(
            [9001, 9002, 5144, 5145, 5175, 5176, 5179, 3619, 3620, 17053].into_iter().all(logged)
        );
        assert!(![5149, 5150, 9008, 208].into_iter().any(logged));
    }

    #[test]
    fn texts_are_whole_and_nothing_besides() {
        let full = SqlError::new(17053, &[&"/d/l.ldf", &"28(No space left on device)"]).message;
        assert_eq!(
            full,
            "/d/l.ldf: Operating system error 28(No space left on device) encountered."
        );
        for number in [5144, 5145] {
            assert!(find(number).unwrap().text.contains("milliseconds.  "), "{number}: two spaces");
        }
    }

    #[test]
    fn placeholders_are_filled_in_order() {
        assert_eq!(fill("a '%.*ls' b %d%% %S_LSN.", &[&"x", &5, &"1:2:3"]), "a 'x' b 5% 1:2:3.");
        assert_eq!(fill("at 0x%016I64x of 100 %", &[&"ff"]), "at 0xff of 100 %");
        assert_eq!(fill("%ld and %hs", &[&1]), "1 and ");
    }
}
