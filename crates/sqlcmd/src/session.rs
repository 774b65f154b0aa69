//! The loop of lines, batches and commands.

use super::batch::{self, Batch, Step};
use super::commands::{Call, Command, Commands};
use super::connect::Settings;
use super::editor::Editor;
use super::files::{file_error, private_file, read_text, without_end};
use super::format::Formatter;
use super::interrupts::Interrupts;
use super::output::{Sink, Streams};
use super::vars::{Refused, Vars};
use std::io::BufRead;
use std::path::Path;
use taffrail_lab::client::Client;

/// The beginning of our own errors.
const ERROR: &str = "Sqlcmd: Error: ";

/// The reason why something has ended.
#[derive(Debug)]
pub enum Fault {
    /// EXIT, QUIT, an error under -b.
    Exit,
    /// Ctrl+C has stopped it.
    Interrupted,
    /// Of ours: a line for whoever watches.
    Own(String),
}

/// Switches that :connect does not change.
#[derive(Default)]
pub struct Switches {
    /// -b, `:on error exit`.
    pub exit_on_error: bool,
    /// `:on error ignore` is in force.
    pub ignore_errors: bool,
    /// -V: the severity from which an error is the exit code.
    pub severity_to_exit: u8,
    /// -x: `$(…)` is left alone.
    pub no_variables: bool,
    /// The environment has values for variables.
    pub environment: bool,
    /// -u: files are written in UTF-16.
    pub wide_files: bool,
    /// -e: batches are shown as they are sent.
    pub echo: bool,
    /// -p; true for -p1.
    pub statistics: Option<bool>,
    /// ED and !!: None runs them, true ends the program at one.
    pub no_system: Option<bool>,
}

/// Where lines come from.
pub enum Source {
    /// A person at a terminal.
    Editor(Box<Editor>),
    /// Lines of standard input.
    Stdin,
    /// The lines of a file, the next one last; shown if they are to be.
    File { lines: Vec<String>, shown: bool },
}

/// A session of sqlcmd with its server.
pub struct Sqlcmd {
    pub vars: Vars,
    pub streams: Streams,
    pub format: Formatter,
    pub settings: Switches,
    pub connection: Settings,
    pub client: Option<Client>,
    pub(super) interrupts: Interrupts,
    pub exit_code: i32,
    /// The least severity that goes to standard error, if -r says so.
    pub stderr_severity: Option<u8>,
    /// -q, -Q: what runs first.
    pub query: Option<String>,
    pub commands: Commands,
    pub sources: Vec<Source>,
    pub(super) batches_run: u64,
    /// The database of now.
    pub(super) database: String,
    pub(super) batch: Batch,
    show_files: bool,
}

impl Sqlcmd {
    /// Connected to nothing yet.
    pub fn new(
        vars: Vars,
        format: Formatter,
        commands: Commands,
        connection: Settings,
        interrupts: Interrupts,
    ) -> Sqlcmd {
        Sqlcmd {
            vars,
            streams: Streams::default(),
            format,
            settings: Switches::default(),
            connection,
            client: None,
            interrupts,
            exit_code: 0,
            stderr_severity: None,
            query: None,
            commands,
            sources: Vec::new(),
            batches_run: 0,
            database: String::new(),
            batch: Batch::new(),
            show_files: false,
        }
    }

    /// Connects as the settings say; the error has been shown.
    pub fn connect(&mut self, mut settings: Settings) -> Result<(), ()> {
        match settings.connect() {
            Ok(client) => {
                // Later connections bring the password that holds now.
                settings.password = settings.new_password.take().unwrap_or(settings.password);
                self.client = Some(client);
                self.vars.set("SQLCMDSERVER", settings.server.clone());
                self.vars.set("SQLCMDDBNAME", settings.database.clone());
                self.vars.set("SQLCMDUSER", settings.user.clone());
                self.database = settings.database.clone();
                self.connection = settings;
                self.batch.next_line = 1;
                self.names_are_old();
                Ok(())
            }
            Err(e) => {
                self.streams.out(&format!("{e}\n"));
                Err(())
            }
        }
    }

    /// Runs what there is: with `once` one command or batch, with `all` also text that no GO follows.
    /// [`Fault::Exit`] ends whatever else there is to run; the exit code is set by then.
    pub fn run(&mut self, mut once: bool, all: bool) -> Option<Fault> {
        let mut last = None;
        loop {
            let mut fault = None;
            let step = match self.query.take() {
                Some(query) => {
                    self.batch.reset(Some(&query));
                    match self.step() {
                        Ok(Step::Text) => Ok(Some(Call::go())),
                        Ok(Step::Command(call)) => Ok(Some(call)),
                        // What is left of it is nothing; it was the query nevertheless.
                        Err(e) => {
                            self.streams.complain(&format!("{e}\n"));
                            Ok(Some(Call::go()))
                        }
                    }
                }
                None if self.batch.wants_line() => match self.read_line() {
                    Err(Fault::Interrupted) => return Some(self.interrupted()),
                    Err(fault) => return Some(fault),
                    Ok(Some(line)) => {
                        self.batch.feed(&line);
                        self.step_call()
                    }
                    // The end.
                    Ok(None) if self.batch.text.is_empty() => return last,
                    Ok(None) if !all => return None,
                    Ok(None) => {
                        once = true;
                        Ok(Some(Call::go()))
                    }
                },
                None => self.step_call(),
            };
            let call = step.unwrap_or_else(|e| {
                self.streams.complain(&format!("{e}\n"));
                fault = Some(Fault::Own(e));
                None
            });
            if let Some(call) = call {
                last = None;
                fault = self.command(call);
                match &fault {
                    Some(Fault::Exit) => return fault,
                    _ if once => break,
                    Some(Fault::Own(text)) => {
                        self.streams.complain(&format!("{text}\n"));
                        last = Some(Fault::Own(text.clone()));
                    }
                    _ => {}
                }
            }
            if let Some(Fault::Interrupted) = fault {
                let Some(Source::Editor(_)) = self.sources.last() else { return fault };
                // The person stays.
                self.exit_code = 0;
                continue;
            }
            if fault.is_some() && self.settings.exit_on_error && !self.settings.ignore_errors {
                if self.exit_code == 0 {
                    self.exit_code = 1;
                }
                last = fault;
                break;
            }
        }
        last
    }

    fn step(&mut self) -> Result<Step, String> {
        self.batch
            .step(Some(&self.commands), !self.settings.no_variables)
            .map_err(|e| format!("{ERROR}Syntax error at line {}", e.line))
    }

    fn step_call(&mut self) -> Result<Option<Call>, String> {
        Ok(match self.step()? {
            Step::Text => None,
            Step::Command(call) => Some(call),
        })
    }

    /// The next line of where lines come from now.
    fn read_line(&mut self) -> Result<Option<String>, Fault> {
        let mark = if self.batch.is_inside() { '~' } else { '>' };
        let prompt = format!("{}{mark} ", self.batch.next_line);
        match self.sources.last_mut() {
            None => Ok(None),
            Some(Source::Editor(editor)) => {
                self.streams.flush();
                editor.line(&prompt)
            }
            Some(Source::Stdin) => {
                let mut line = Vec::new();
                match std::io::stdin().lock().read_until(b'\n', &mut line) {
                    Ok(0) => Ok(None),
                    Ok(_) => Ok(Some(without_end(String::from_utf8_lossy(&line).as_ref()))),
                    Err(e) => Err(Fault::Own(format!("{ERROR}standard input: {e}"))),
                }
            }
            Some(Source::File { lines, shown }) => {
                let line = lines.pop();
                if let (true, Some(line)) = (*shown, &line) {
                    let text = format!("{prompt}{line}\n");
                    self.streams.out(&text);
                }
                Ok(line)
            }
        }
    }

    /// Runs the lines of a file; with `all` also what no GO follows.
    pub fn include(&mut self, path: &str, all: bool) -> Option<Fault> {
        let text = match read_text(Path::new(path)) {
            Ok(text) => text,
            Err(e) => return Some(Fault::Own(file_error(path, &e))),
        };
        let mut lines: Vec<String> = text.split('\n').map(without_end).collect();
        if lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines.reverse();
        let before = self.batch.next_line;
        self.sources.push(Source::File { lines, shown: self.show_files });
        let fault = self.run(false, all);
        self.sources.pop();
        if !self.show_files {
            self.batch.next_line = if self.batch.is_empty() { 1 } else { before + 1 };
        }
        fault
    }

    /// The value of a variable, the environment's where there is none.
    fn resolve(&self, name: &str) -> Option<String> {
        let own = self.vars.get(name).map(String::from);
        own.or_else(|| self.settings.environment.then(|| std::env::var(name).ok()).flatten())
    }

    /// The batch with its variables put in.
    fn runnable(&mut self) -> String {
        let (out, undefined) = match self.settings.no_variables {
            true => (self.batch.string(), Vec::new()),
            false => self.batch.filled(|name| self.resolve(name)),
        };
        for name in undefined {
            self.streams.err(&format!("'{name}' scripting variable not defined.\n"));
        }
        out
    }

    /// A command's argument with its variables put in. Of one that is not defined: `strict` makes an error of it, else
    /// it is said and left out.
    fn argument(&mut self, text: &str, strict: bool) -> Result<String, Fault> {
        if self.settings.no_variables {
            return Ok(text.into());
        }
        let chars: Vec<char> = text.chars().collect();
        let (mut out, mut i) = (String::new(), 0);
        while i < chars.len() {
            let reference = chars[i] == '$' && chars.get(i + 1) == Some(&'(');
            let end = reference.then(|| batch::reference_end(&chars, i + 2)).flatten();
            let Some(end) = end else {
                out.push(chars[i]);
                i += 1;
                continue;
            };
            let name: String = chars[i + 2..end].iter().collect();
            match self.resolve(&name) {
                Some(value) => out.push_str(&value),
                None if strict => return Err(undefined(&name)),
                None => {
                    if let Fault::Own(text) = undefined(&name) {
                        self.streams.complain(&format!("{text}\n"));
                    }
                    out.push_str(&format!("$({name})"));
                }
            }
            i = end + 1;
        }
        Ok(out)
    }

    /// Carries a command out.
    pub fn command(&mut self, call: Call) -> Option<Fault> {
        let carried_out = match call.command {
            Command::Go => self.go(&call.argument),
            Command::Exit => return Some(self.exit(call.argument.trim())),
            Command::Quit => self.none_wanted("QUIT", &call).and(Err(Fault::Exit)),
            Command::Out => self.set_stream("OUT", &call.argument),
            Command::Error => self.set_stream("ERROR", &call.argument),
            Command::Read => self
                .argument(&call.argument, false)
                .and_then(|path| self.include(&path, false).map_or(Ok(()), Err)),
            Command::Setvar => self.setvar(&call.argument),
            Command::Listvar => self.none_wanted("LISTVAR", &call).map(|()| {
                for (name, value) in self.vars.listed() {
                    self.streams.out(&format!("{name} = \"{value}\"\n"));
                }
            }),
            Command::Reset => {
                self.batch.reset(None);
                Ok(())
            }
            Command::List => self.none_wanted("LIST", &call).map(|()| self.list()),
            Command::Connect => self.reconnect(&call.argument),
            Command::Shell => self.shell(call.argument.trim()),
            Command::Edit => self.none_wanted("ED", &call).and_then(|()| self.edit()),
            Command::OnError => self.on_error_is(call.argument.trim()),
            Command::Xml => match call.argument.trim() {
                "" => Err(self.wrong("XML")),
                word => {
                    self.format.xml = word.eq_ignore_ascii_case("on");
                    Ok(())
                }
            },
        };
        carried_out.err()
    }

    /// A command that is not written as it should be.
    fn wrong(&self, command: &str) -> Fault {
        let line = self.batch.lines;
        Fault::Own(format!("{ERROR}Syntax error at line {line} near command '{command}'."))
    }

    fn none_wanted(&self, name: &str, call: &Call) -> Result<(), Fault> {
        if call.argument.trim().is_empty() { Ok(()) } else { Err(self.wrong(name)) }
    }

    fn go(&mut self, argument: &str) -> Result<(), Fault> {
        let mut times = 1;
        if !argument.trim().is_empty() {
            let count = self.argument(argument.trim(), true)?;
            times = match super::vars::number(&count) {
                Some(n) if n > 0 => n,
                _ => return Err(self.wrong("GO")),
            };
        }
        if self.settings.echo {
            self.list();
        }
        if self.batch.text.is_empty() {
            return Ok(());
        }
        let query = self.runnable();
        // Whatever becomes of it, nobody runs it again.
        self.batch.reset(None);
        for _ in 0..times {
            let (code, fault) = self.run_query(&query);
            if let Some(fault) = fault {
                self.exit_code = code;
                return Err(fault);
            }
        }
        Ok(())
    }

    /// EXIT; EXIT() runs the batch, EXIT(query) that, too, and its first value is the exit code.
    fn exit(&mut self, argument: &str) -> Fault {
        if argument.is_empty() {
            return Fault::Exit;
        }
        let Some(inner) = argument.strip_prefix('(').and_then(|a| a.strip_suffix(')')) else {
            return self.wrong("EXIT");
        };
        let mut query = self.runnable();
        let had_batch = !query.is_empty();
        let inner = inner.trim();
        if !inner.is_empty() {
            self.batch.reset(Some(inner));
            if let Err(e) = self.batch.step(None, !self.settings.no_variables) {
                return Fault::Own(format!("{ERROR}Syntax error at line {}", e.line));
            }
        }
        if had_batch || !inner.is_empty() {
            query.push('\n');
            if !inner.is_empty() {
                query.push_str(&self.runnable());
            }
            self.batch.reset(None);
            self.exit_code = self.run_query(&query).0;
        }
        Fault::Exit
    }

    fn set_stream(&mut self, name: &str, argument: &str) -> Result<(), Fault> {
        if argument.is_empty() {
            return Err(self.wrong(name));
        }
        let path = self.argument(argument, true)?;
        let wide = name == "OUT" && self.settings.wide_files;
        let sink = Sink::open(&path, wide).map_err(|e| Fault::Own(file_error(argument, &e)))?;
        match name {
            "OUT" => self.streams.set_out(sink),
            _ => self.streams.set_err(sink),
        }
        Ok(())
    }

    fn setvar(&mut self, argument: &str) -> Result<(), Fault> {
        if argument.is_empty() {
            return Err(self.wrong(":SETVAR"));
        }
        let (name, value) = argument.split_once(' ').unwrap_or((argument, ""));
        self.vars.setvar(name, value.trim()).map_err(|e| match e {
            Refused::ReadOnly => {
                Fault::Own(format!("{ERROR}The scripting variable: '{name}' is read-only"))
            }
            Refused::Undefined => undefined(name),
            Refused::Syntax => self.wrong(":SETVAR"),
        })
    }

    /// Shows the batch so far.
    fn list(&mut self) {
        if !self.batch.text.is_empty() {
            let text = self.batch.string();
            self.streams.out(&format!("{text}\n"));
        }
    }

    fn reconnect(&mut self, argument: &str) -> Result<(), Fault> {
        let words: Vec<&str> = argument.split_whitespace().collect();
        let Some((server, options)) = words.split_first() else {
            return Err(self.wrong("CONNECT"));
        };
        let mut settings = self.connection.clone();
        settings.server = self.argument(server, false)?;
        settings.login_timeout = self.vars.login_timeout();
        (settings.user, settings.password, settings.database) = Default::default();
        let mut options = options.iter();
        while let Some(option) = options.next() {
            let Some(value) = options.next() else { return Err(self.wrong("CONNECT")) };
            let value = self.argument(value, false)?;
            match *option {
                "-U" => settings.user = value,
                "-P" => settings.password = value,
                "-D" => settings.database = value,
                "-l" => match value.parse() {
                    Ok(seconds) => settings.login_timeout = Some(seconds),
                    Err(_) => return Err(self.wrong("CONNECT")),
                },
                _ => return Err(self.wrong("CONNECT")),
            }
        }
        if self.connect(settings).is_ok() {
            return Ok(());
        }
        // It has been said why. What follows is meant for the new server: the one before must not get it.
        self.client = None;
        self.exit_code = 1;
        let ends = self.settings.exit_on_error && !self.settings.ignore_errors;
        if ends { Err(Fault::Exit) } else { Ok(()) }
    }

    /// ED and !! are not to be had.
    fn refused(&mut self) -> Option<Result<(), Fault>> {
        let ends = self.settings.no_system?;
        self.streams.complain(
            "ED and !!<command> commands, startup script, and environment variables are disabled\n",
        );
        Some(if ends {
            self.exit_code = 1;
            Err(Fault::Exit)
        } else {
            Ok(())
        })
    }

    fn shell(&mut self, line: &str) -> Result<(), Fault> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        if line.is_empty() {
            return Err(self.wrong("EXEC"));
        }
        let line = self.argument(line, true)?;
        self.run_shell(&line)
    }

    fn run_shell(&mut self, line: &str) -> Result<(), Fault> {
        let own = |e: std::io::Error| Fault::Own(format!("{ERROR}/bin/sh: {e}"));
        let (out, err) = self.streams.for_child().map_err(own)?;
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", line]).stdout(out).stderr(err);
        command.status().map(|_| ()).map_err(own)
    }

    /// The batch in an editor; what comes back is read as a file is.
    fn edit(&mut self) -> Result<(), Fault> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        let name = format!("sqlcmd-{}-{}.sql", std::process::id(), self.batches_run);
        let path = std::env::temp_dir().join(name);
        let shown = path.display().to_string();
        let mut text = self.batch.string();
        if self.batch.is_open() {
            text.push('\n');
        }
        let made = private_file(&path)
            .and_then(|mut f| std::io::Write::write_all(&mut f, text.as_bytes()));
        made.map_err(|e| Fault::Own(file_error(&shown, &e)))?;
        let editor = self.vars.get("SQLCMDEDITOR").unwrap_or("vi").to_string();
        let edited = self.run_shell(&format!("{editor} \"{shown}\""));
        if edited.is_ok() {
            let before = std::mem::replace(&mut self.show_files, true);
            self.batch.reset(None);
            let fault = self.include(&shown, false);
            self.show_files = before;
            if let Some(Fault::Own(text)) = &fault {
                self.streams.complain(&format!("{text}\n"));
            }
            if let Some(ends @ (Fault::Exit | Fault::Interrupted)) = fault {
                let _ = std::fs::remove_file(&path);
                return Err(ends);
            }
        }
        let _ = std::fs::remove_file(&path);
        edited
    }

    fn on_error_is(&mut self, word: &str) -> Result<(), Fault> {
        if word.eq_ignore_ascii_case("exit") {
            self.settings.exit_on_error = true;
        } else if word.eq_ignore_ascii_case("ignore") {
            (self.settings.ignore_errors, self.settings.exit_on_error) = (true, false);
        } else {
            return Err(self.wrong("ON ERROR"));
        }
        Ok(())
    }

    /// The names that the editor completes may have changed.
    pub(super) fn names_are_old(&mut self) {
        if let Some(Source::Editor(editor)) = self.sources.first_mut() {
            let database = self.database.clone();
            editor.names_are_old(&Settings { database, ..self.connection.clone() });
        }
    }
}

fn undefined(name: &str) -> Fault {
    Fault::Own(format!("{ERROR}'{name}' scripting variable not defined."))
}
