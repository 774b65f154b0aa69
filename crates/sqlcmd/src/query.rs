//! A batch on its way: sent, its answer shown as it arrives.

use super::session::{Fault, Sqlcmd};
use super::{format, vars};
use std::time::{Duration, Instant};
use taffrail_lab::client::ClientError;
use taffrail_lab::client::stream::{DONE_COUNT, Token, is_timeout};

/// `CurCmd` of a SELECT.
const SELECT: u16 = 0xC1;
/// The exit code of EXIT(query) where no row came.
const NO_ROWS: i32 = -101;
/// The exit code of EXIT(query) where the first column of the last row is no number.
const NO_NUMBER: i32 = -102;
/// From this severity on the server ends the connection.
const FATAL: u8 = 20;
/// How long Ctrl+C waits to be seen.
const LOOK: Duration = Duration::from_millis(100);
/// The state that ends the program.
const EXIT_STATE: u8 = 127;

/// A message of the server.
pub struct Message {
    pub number: i32,
    pub severity: u8,
    pub state: u8,
    pub server: String,
    pub procedure: String,
    pub line: u32,
    pub text: String,
}

impl Sqlcmd {
    /// Runs a batch and shows what it brings. The number is what EXIT(query) returns; with an error it is the exit code.
    pub(super) fn run_query(&mut self, query: &str) -> (i32, Option<Fault>) {
        let started = Instant::now();
        let timeout = self.vars.timeout();
        // One that is further away than the clock reaches is none.
        let deadline = match timeout {
            0 => None,
            seconds => started.checked_add(Duration::from_secs(seconds)),
        };
        let mut code = NO_ROWS;
        let Some(client) = self.client.as_mut() else {
            self.streams.complain("Sqlcmd: Error: there is no connection to a server.\n");
            return (1, None);
        };
        // A signal that comes while the batch is being sent stops it, too.
        self.interrupts.begin();
        // What an earlier batch left unread, the server is to stop.
        let sent = client.cancel().and_then(|()| client.send_batch(query));
        let fault = match sent {
            Ok(()) => self.show_answer(&mut code, deadline),
            Err(e) => Err(e),
        };
        self.interrupts.end();
        let fault = match fault {
            Ok(fault) => fault,
            Err(e) => {
                self.lost(&e);
                code = 1;
                self.settings.exit_on_error.then_some(Fault::Exit)
            }
        };
        self.streams.flush();
        self.batches_run += 1;
        self.names_are_old();
        self.statistics(started.elapsed());
        (code, fault)
    }

    /// The connection is gone: said once, and by each batch that would have needed it.
    fn lost(&mut self, e: &ClientError) {
        self.client = None;
        self.exit_code = 1;
        self.streams.complain(&format!("Sqlcmd: Error: the connection is lost: {e}\n"));
    }

    fn show_answer(
        &mut self,
        code: &mut i32,
        deadline: Option<Instant>,
    ) -> Result<Option<Fault>, ClientError> {
        let mut out = String::new();
        let (mut in_rows, mut columns_came) = (false, false);
        // The first value of the row before, which the last one of a result leaves for EXIT(query).
        let mut first: Option<String> = None;
        // Messages among rows come behind them.
        let mut messages: Vec<Message> = Vec::new();
        loop {
            let client = self.client.as_mut().expect("the caller has it");
            if self.interrupts.came() {
                let stopped = client.cancel();
                self.streams.out(&out);
                for m in messages {
                    self.say(m, code);
                }
                stopped?;
                *code = 1;
                return Ok(Some(self.interrupted()));
            }
            let look = Instant::now() + LOOK;
            let token = match client.next_token(Some(deadline.map_or(look, |d| d.min(look)))) {
                Ok(Some(token)) => token,
                Ok(None) => return Ok(None),
                Err(e) if is_timeout(&e) && deadline.is_none_or(|d| Instant::now() < d) => continue,
                Err(e) if is_timeout(&e) => {
                    let stopped = client.cancel();
                    self.streams.out(&out);
                    for m in messages {
                        self.say(m, code);
                    }
                    self.streams.err("Timeout expired\n");
                    stopped?;
                    return Ok(self.on_error(11, 0, 0, code));
                }
                Err(e) => {
                    self.streams.out(&out);
                    // What the server has said before it went often tells why.
                    for m in messages {
                        self.say(m, code);
                    }
                    return Err(e);
                }
            };
            let ends_rows = matches!(token, Token::Done(_) | Token::Columns(_));
            if in_rows && ends_rows {
                in_rows = false;
                if let Some(first) = first.take() {
                    *code = match first.as_str() {
                        "" => 0,
                        text => vars::number(text).map_or(NO_NUMBER, |n| n as i32),
                    };
                }
                self.format.end(&self.vars, &mut out);
                self.streams.out(&out);
                out.clear();
                for m in std::mem::take(&mut messages) {
                    if let Some(fault) = self.say(m, code) {
                        return Ok(Some(fault));
                    }
                }
            }
            match token {
                Token::Columns(columns) => {
                    (in_rows, columns_came) = (true, true);
                    self.format.begin(columns, &self.vars, &mut out);
                }
                Token::Row(row) => {
                    first = Some(self.format.row(&row, &self.vars, &mut out));
                    if out.len() > 64 << 10 {
                        self.streams.out(&out);
                        out.clear();
                    }
                }
                Token::Done(done) => {
                    // A SELECT that brought no result (into a variable) counts for nobody.
                    let counts = done.command != SELECT || columns_came;
                    if done.status & DONE_COUNT != 0 && counts && !self.format.xml {
                        let plural = if done.rows == 1 { "row" } else { "rows" };
                        let rows = grouped(done.rows);
                        self.streams.out(&format!("({rows} {plural} affected)\n"));
                    }
                    columns_came = false;
                }
                Token::Message {
                    error: _,
                    number,
                    state,
                    class,
                    text,
                    server,
                    procedure,
                    line,
                } => {
                    let severity = class;
                    let m = Message { number, severity, state, server, procedure, line, text };
                    if in_rows {
                        messages.push(m);
                    } else if let Some(fault) = self.say(m, code) {
                        return Ok(Some(fault));
                    }
                }
                Token::EnvChange { kind: 1, data } => self.database = database_name(&data),
                _ => {}
            }
        }
    }

    /// Ends the batch, since somebody pressed Ctrl+C.
    pub(super) fn interrupted(&mut self) -> Fault {
        self.streams.out(
            "Sqlcmd: Warning: The last operation was terminated because the user pressed CTRL+C\n",
        );
        Fault::Interrupted
    }

    /// Shows a message; a fault where it ends the program.
    fn say(&mut self, m: Message, code: &mut i32) -> Option<Fault> {
        if m.severity <= 10 {
            if self.goes_to_stderr(&m.text, 10) {
                return None;
            }
            if !self.format.xml {
                self.streams.out(&format!("{}\n", m.text));
            }
        } else if !self.goes_to_stderr(&m.text, m.severity) {
            let level = self.vars.error_level();
            if level <= 0 || m.severity as i64 >= level {
                let procedure = match m.procedure.as_str() {
                    "" => String::new(),
                    name => format!("Procedure {name}, "),
                };
                let text = format!(
                    "Msg {}, Level {}, State {}, Server {}, {procedure}Line {}\n{}\n",
                    m.number, m.severity, m.state, m.server, m.line, m.text
                );
                self.streams.err(&format::fit(text, self.vars.screen_width()));
            }
        }
        if m.severity >= FATAL {
            self.streams.flush();
        }
        self.on_error(m.severity, m.state, m.number, code)
    }

    /// -r: to standard error, and there the text alone.
    fn goes_to_stderr(&mut self, text: &str, severity: u8) -> bool {
        if self.stderr_severity.is_none_or(|least| severity < least) {
            return false;
        }
        self.streams.flush();
        eprint!("{text}\n\n");
        true
    }

    /// Decides what an error of this severity means to the options of the command line.
    fn on_error(&mut self, severity: u8, state: u8, number: i32, code: &mut i32) -> Option<Fault> {
        if state == EXIT_STATE {
            *code = number;
            return Some(Fault::Exit);
        }
        let least = match self.settings.severity_to_exit {
            0 => 11,
            n => n,
        };
        if self.settings.severity_to_exit > 0 {
            if severity >= least {
                *code = severity as i32;
                self.exit_code = *code;
            }
        } else if self.settings.exit_on_error && severity >= least {
            *code = 1;
        }
        (self.settings.exit_on_error && severity >= least).then_some(Fault::Exit)
    }

    /// -p: how long it took.
    fn statistics(&mut self, took: Duration) {
        let Some(colons) = self.settings.statistics else { return };
        let ms = took.as_secs_f64() * 1000.0;
        let per_second = 1000.0 / ms.max(0.001);
        let packet = self.vars.get("SQLCMDPACKETSIZE").unwrap_or_default();
        let text = match colons {
            true => format!("\n{packet}:1:{ms:.0}:{ms:.2}:{per_second:.2}\n"),
            false => format!(
                "\nNetwork packet size (bytes): {packet}\n1 xact[s]:\n\
                 Clock Time (ms.): total {ms:9.0}  avg   {ms:.2} \
                 ({per_second:.2} xacts per sec.)\n"
            ),
        };
        self.streams.out(&text);
    }
}

/// A count, its thousands apart.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// The new one of an ENVCHANGE's two names.
fn database_name(data: &[u8]) -> String {
    let units = data.first().map_or(0, |n| *n as usize);
    let bytes = data.get(1..1 + 2 * units).unwrap_or_default();
    let units: Vec<u16> = bytes.chunks_exact(2).map(|c| u16::from_le_bytes([c[0], c[1]])).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        for (n, text) in [(0, "0"), (999, "999"), (1_234, "1,234"), (1_000_000, "1,000,000")] {
            assert_eq!(grouped(n), text);
        }
    }

    #[test]
    fn the_new_database_is_the_first_name() {
        assert_eq!(database_name(&[2, b'd', 0, b'b', 0, 1, b'x', 0]), "db");
        assert_eq!(database_name(&[9, b'd', 0]), "");
    }
}
