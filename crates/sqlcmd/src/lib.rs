//! `taffrail sql`: sqlcmd. The binary under the name `sqlcmd` is it, too.
#![forbid(unsafe_code)]

mod args;
mod batch;
pub mod cell;
mod commands;
mod connect;
mod editor;
mod files;
mod format;
mod interrupts;
mod output;
mod query;
pub mod scripts;
mod session;
mod vars;

use self::args::Args;
use self::cell::Control;
use self::connect::Settings;
use self::interrupts::Interrupts;
use self::session::{Fault, Source, Sqlcmd, Switches};
use std::io::IsTerminal;
use std::process::ExitCode;
use taffrail_lab::client::ConnectOptions;

pub use self::connect::{PORT, encryption, split_server, told};

/// Facts of the process that its server knows.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// The options for a caller who has said nothing of encryption: a server's own password goes to that server only.
    pub careful: fn(ConnectOptions) -> ConnectOptions,
    /// SIGINT was ignored when the process was started.
    pub ignores_interrupts: bool,
}

const HELP: &str = "\
Runs T-SQL on SQL Server or Taffrail, as sqlcmd does.

Usage: taffrail sql [options]      (or as a link: sqlcmd [options])

  -S HOST[,PORT]  server               -U LOGIN   login
  -P PASSWORD     its password; better in the variable SQLCMDPASSWORD, or asked for
  -z|-Z PASSWORD  a new one for the login; with -Z nothing else is done
  -d DATABASE     database             -A         the reserved admin connection
  -N[m|o|disable] encrypt all, the login, nothing
  -C              trust any certificate         -F HOST  the name that it must bear
  -J FILE         the server's certificate      -l SECONDS  for the login
  -H NAME         this machine's name  -a BYTES   packet size
  -K ReadOnly     the session says that it only reads; nothing is refused

  -Q QUERY        run it and end       -q QUERY   run it and go on
  -i FILE …       run files            -o FILE    output; -u in UTF-16
  -v NAME=VALUE … variables            -x         leave $(…) alone
  -c WORD         in GO's place        -e         show the batches
  -b              end at the first error, exit code 1     -V SEVERITY  from this one on, which is the exit code
  -m LEVEL        least severity shown -r[0|1]    errors, all messages to standard error
  -t SECONDS      for a batch          -X[1]      no ED, !!, start script, environment

  -h ROWS         between headings, -1 none     -s CHAR  between columns
  -W              no blanks added      -w WIDTH   of the screen
  -y WIDTH        of (max) columns     -Y WIDTH   of other text
  -k[1|2]         control characters   -p[1]      times
  --vertical      one value a line     --version

Commands on a line of their own: GO [count], EXIT[(query)], QUIT, RESET, ED, !!command, :r FILE, :setvar NAME VALUE,
:listvar, :list, :out FILE, :error FILE, :on error exit|ignore, :connect HOST[,PORT] [-U LOGIN] [-P PASSWORD]
[-D DATABASE] [-l SECONDS], :xml on|off. Variables: SQLCMDSERVER, SQLCMDUSER, SQLCMDPASSWORD, SQLCMDDBNAME and the
others that sqlcmd has.
";

/// Runs it with the words behind its name.
pub fn run(mut line: Vec<String>, here: Here) -> ExitCode {
    // `/opt/mssql-tools*/bin/sqlcmd …` names all of its links where there are several.
    let links = line.iter().take_while(|word| is_this_program(word)).count();
    line.drain(..links);
    let args = match Args::parse(&line) {
        Ok(args) => args,
        Err(why) => {
            eprintln!("Sqlcmd: {why}");
            return ExitCode::FAILURE;
        }
    };
    if let Some(word) = &args.extra {
        print!("Sqlcmd: '{word}': Unknown command. Enter '--help' for command help.");
        return ExitCode::FAILURE;
    }
    if args.has("help") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    if args.has("version") {
        println!("taffrail sql (sqlcmd) {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    // The least eight bits are what a shell sees.
    ExitCode::from(session(&args, here) as u8)
}

/// A path that is a link to this very binary.
fn is_this_program(path: &str) -> bool {
    use std::os::unix::fs::MetadataExt;
    let file = |m: std::fs::Metadata| (m.dev(), m.ino());
    let own = std::env::current_exe().and_then(std::fs::metadata).map(file);
    path.starts_with('/')
        && matches!((std::fs::metadata(path).map(file), own), (Ok(a), Ok(b)) if a == b)
}

fn session(args: &Args, here: Here) -> i32 {
    let environment = args.number("disable-cmd-and-warn").is_none();
    let vars = variables(args, environment);
    let connection = match connection(args, &vars, environment, here) {
        Ok(connection) => connection,
        Err(why) => {
            eprintln!("Sqlcmd: Error: {why}");
            return 1;
        }
    };
    let terminator = args.text("batch-terminator").unwrap_or("GO");
    let commands = match commands::Commands::new(terminator) {
        Ok(commands) => commands,
        Err(why) => {
            eprintln!("Sqlcmd: {why}");
            return 1;
        }
    };
    let control = match args.number("remove-control-characters") {
        None => Control::Keep,
        Some(1) => Control::Blank,
        Some(2) => Control::OneBlank,
        Some(_) => Control::Remove,
    };
    let formatter = format::Formatter::new(args.has("trim-spaces"), control);
    let interrupts = match Interrupts::hear(here.ignores_interrupts) {
        Ok(interrupts) => interrupts,
        Err(e) => {
            eprintln!("Sqlcmd: Error: signals: {e}");
            return 1;
        }
    };
    let mut s = Sqlcmd::new(vars, formatter, commands, connection, interrupts);
    s.settings = Switches {
        exit_on_error: args.has("exit-on-error"),
        severity_to_exit: args.number("error-severity-level").map_or(0, |n| n.clamp(0, 255) as u8),
        no_variables: args.has("disable-variable-substitution"),
        environment,
        wide_files: args.has("unicode-output-file"),
        echo: args.has("echo-input"),
        statistics: args.number("print-statistics").map(|n| n == 1),
        no_system: args.number("disable-cmd-and-warn").map(|n| n > 0),
        ..Switches::default()
    };
    if let Some(path) = args.text("output-file") {
        match output::Sink::open(path, s.settings.wide_files) {
            Ok(sink) => s.streams.set_out(sink),
            Err(e) => {
                eprintln!("{}", files::file_error(path, &e));
                return 1;
            }
        }
    } else if let Some(n) = args.number("errors-to-stderr") {
        s.stderr_severity = Some(if n == 1 { 0 } else { 11 });
    }
    let reads_lines = args.files.is_empty() && args.text("query").is_none();
    let person = reads_lines && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if reads_lines {
        s.sources.push(match person {
            false => Source::Stdin,
            true => match editor::Editor::new() {
                Ok(editor) => Source::Editor(Box::new(editor)),
                Err(why) => {
                    eprintln!("Sqlcmd: Error: {why}");
                    return 1;
                }
            },
        });
    }
    let settings = s.connection.clone();
    if s.connect(settings).is_err() {
        return 1;
    }
    if args.text("change-password-exit").is_some() {
        return 0;
    }
    work(&mut s, args, person);
    s.streams.flush();
    s.exit_code
}

/// Does the work once the connection stands.
fn work(s: &mut Sqlcmd, args: &Args, person: bool) {
    let script = s.vars.get("SQLCMDINI").unwrap_or_default().to_string();
    if s.settings.environment && !script.is_empty() {
        if std::fs::File::open(&script).is_err() {
            s.streams.complain(&format!(
                "Sqlcmd: Error: The environment variable: 'SQLCMDINI' has invalid value: '{script}'.\n"
            ));
        } else if s.include(&script, true).is_some() || s.exit_code != 0 {
            return;
        }
    }
    let once = args.text("query").is_some();
    s.query = args.text("query").or(args.text("initial-query")).map(String::from);
    if args.files.is_empty() {
        // What was interrupted has been said, at the prompt too.
        s.run(once, !person);
        return;
    }
    for file in &args.files {
        match s.include(file, true) {
            None => continue,
            // What ends it has set the exit code.
            Some(Fault::Exit | Fault::Interrupted) => {}
            Some(Fault::Own(text)) => {
                s.streams.complain(&format!("{text}\n"));
                s.exit_code = 1;
            }
        }
        break;
    }
}

/// The scripting variables with what the command line says.
fn variables(args: &Args, environment: bool) -> vars::Vars {
    let mut vars = vars::Vars::new(environment);
    for (option, variable) in [
        ("database-name", "SQLCMDDBNAME"),
        ("login-timeOut", "SQLCMDLOGINTIMEOUT"),
        ("workstation-name", "SQLCMDWORKSTATION"),
        ("server", "SQLCMDSERVER"),
        ("packet-size", "SQLCMDPACKETSIZE"),
        ("user-name", "SQLCMDUSER"),
        ("screen-width", "SQLCMDCOLWIDTH"),
        ("variable-type-width", "SQLCMDMAXVARTYPEWIDTH"),
        ("fixed-type-width", "SQLCMDMAXFIXEDTYPEWIDTH"),
    ] {
        if let Some(value) = args.text(option) {
            vars.set(variable, value);
        }
    }
    // These come from the command line even where it does not name them.
    for (option, variable) in [
        ("error-level", "SQLCMDERRORLEVEL"),
        ("query-timeout", "SQLCMDSTATTIMEOUT"),
        ("headers", "SQLCMDHEADERS"),
    ] {
        vars.set(variable, args.text(option).unwrap_or("0"));
    }
    vars.set("SQLCMDFORMAT", if args.has("vertical") { "vert" } else { "horizontal" });
    if let Some(separator) = args.text("column-separator") {
        let first = separator.chars().next().map(String::from);
        vars.set("SQLCMDCOLSEP", first.unwrap_or_default());
    }
    for (name, value) in &args.variables {
        vars.set(name, value.clone());
    }
    vars
}

/// The password of -z or -Z.
fn new_password(args: &Args) -> Option<&str> {
    args.text("change-password-exit").or(args.text("change-password"))
}

fn connection(
    args: &Args,
    vars: &vars::Vars,
    environment: bool,
    here: Here,
) -> Result<Settings, String> {
    let or_variable = |option: &str, variable: &str| {
        args.text(option).or(vars.get(variable)).unwrap_or_default().to_string()
    };
    let user = or_variable("user-name", "SQLCMDUSER");
    let from_environment = || environment.then(|| std::env::var("SQLCMDPASSWORD").ok()).flatten();
    let mut password = args.text("password").map(String::from).or_else(from_environment);
    if password.is_none() && !user.is_empty() && std::io::stdin().is_terminal() {
        let asked = editor::password("Password: ").map_err(|e| format!("the terminal: {e}"))?;
        password = Some(asked);
    }
    Ok(Settings {
        server: or_variable("server", "SQLCMDSERVER"),
        user,
        password: password.unwrap_or_default(),
        database: or_variable("database-name", "SQLCMDDBNAME"),
        encrypt: args.text("encrypt-connection").unwrap_or_default().into(),
        trust_certificate: args.has("trust-server-certificate"),
        host_in_certificate: args.text("host-name-in-certificate").unwrap_or_default().into(),
        certificate: args.text("server-certificate").map(Into::into),
        packet_bytes: vars.packet_bytes(),
        login_timeout: vars.login_timeout(),
        workstation: vars.get("SQLCMDWORKSTATION").unwrap_or_default().into(),
        read_only: args.text("application-intent").is_some(),
        new_password: new_password(args).map(String::from),
        admin: args.has("dedicated-admin-connection"),
        careful: here.careful,
    })
}
