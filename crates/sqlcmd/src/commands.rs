//! Which lines are commands, and their arguments.

/// A command that a line may ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// GO: run the batch.
    Go,
    /// EXIT, EXIT() or EXIT(query): the end, with the query's value as exit code.
    Exit,
    /// QUIT: the end, and the batch is not sent.
    Quit,
    /// :OUT, which redirects results.
    Out,
    /// :ERROR, which redirects errors.
    Error,
    /// :R, which reads a file.
    Read,
    /// :SETVAR, which sets a variable.
    Setvar,
    /// :LISTVAR, which shows all variables.
    Listvar,
    /// RESET, which empties the batch.
    Reset,
    /// :LIST, which shows the batch.
    List,
    /// :CONNECT, which goes to another server.
    Connect,
    /// !!: to the shell.
    Shell,
    /// ED, which opens an editor.
    Edit,
    /// :ON ERROR, which ends or goes on.
    OnError,
    /// :XML, which turns XML output on or off.
    Xml,
}

/// A command with what follows it on its line, comments taken away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The command that is called.
    pub command: Command,
    /// Its argument, blanks at the end included; of `!!` the line as it stands.
    pub argument: String,
}

impl Call {
    /// GO without a line of its own: the end of the input.
    pub fn go() -> Call {
        Call { command: Command::Go, argument: String::new() }
    }
}

/// Whether a command's name has a colon.
#[derive(Clone, Copy, PartialEq)]
enum Colon {
    Always,
    Perhaps,
}

const NAMED: &[(Colon, &str, Command)] = &[
    (Colon::Perhaps, "QUIT", Command::Quit),
    (Colon::Always, "OUT", Command::Out),
    (Colon::Always, "ERROR", Command::Error),
    (Colon::Always, "R", Command::Read),
    (Colon::Always, "SETVAR", Command::Setvar),
    (Colon::Always, "LISTVAR", Command::Listvar),
    (Colon::Perhaps, "RESET", Command::Reset),
    (Colon::Always, "LIST", Command::List),
    (Colon::Always, "CONNECT", Command::Connect),
    (Colon::Perhaps, "ED", Command::Edit),
    (Colon::Perhaps, "ON ERROR", Command::OnError),
    (Colon::Always, "XML", Command::Xml),
];

/// The commands, with the word that ends a batch.
pub struct Commands {
    terminator: String,
}

impl Commands {
    /// With this word in GO's place.
    pub fn new(terminator: &str) -> Result<Commands, String> {
        match terminator {
            "" => Err("the batch terminator is empty".into()),
            word => Ok(Commands { terminator: word.into() }),
        }
    }

    /// The command that a line is.
    pub fn find(&self, line: &str) -> Option<Call> {
        let call =
            |command, argument: &str| Some(Call { command, argument: without_comment(argument) });
        let line = line.trim_start_matches(['\t', ' ']);
        if let Some(rest) = after(line, &self.terminator)
            && (rest.is_empty() || rest.starts_with(' '))
        {
            return call(Command::Go, rest.trim_start_matches(' '));
        }
        let (colon, line) = match line.strip_prefix(':') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if let Some(rest) = line.strip_prefix("!!") {
            // A shell's `--` is no comment.
            return Some(Call { command: Command::Shell, argument: rest.to_string() });
        }
        if let Some(rest) = after(line, "EXIT")
            && (rest.is_empty() || rest.starts_with(['(', ' ', '\t']))
        {
            return call(Command::Exit, rest);
        }
        NAMED.iter().find_map(|&(needs, name, command)| {
            if needs == Colon::Always && !colon {
                return None;
            }
            let rest = after(line, name)?;
            match rest.trim_start_matches([' ', '\t']) {
                argument if argument.len() < rest.len() || rest.is_empty() => {
                    call(command, argument)
                }
                _ => None,
            }
        })
    }
}

/// The rest of the line behind `word` at the beginning of `line`, whatever its case.
fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let head = line.get(..word.len())?;
    head.eq_ignore_ascii_case(word).then(|| &line[word.len()..])
}

/// Up to a `--` that follows a blank, outside of double quotes.
fn without_comment(argument: &str) -> String {
    let chars: Vec<char> = argument.chars().collect();
    let (mut quoted, mut blank, mut i) = (false, true, 0);
    while i < chars.len() {
        let (c, next) = (chars[i], chars.get(i + 1).copied());
        match c {
            '"' if quoted && next == Some('"') => i += 1,
            '"' if quoted => quoted = false,
            '\t' | ' ' => blank = true,
            '-' if !quoted && blank && next == Some('-') => return chars[..i].iter().collect(),
            '"' => quoted = true,
            _ => blank = false,
        }
        i += 1;
    }
    argument.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_from_commands() {
        let commands = Commands::new("GO").unwrap();
        let found = |line: &str| commands.find(line).map(|c| (c.command, c.argument));
        let is = |command, argument: &str| Some((command, argument.to_string()));
        assert_eq!(found("go"), is(Command::Go, ""));
        assert_eq!(found("\t GO  5 -- twice"), is(Command::Go, "5 "));
        assert_eq!(found("GO;"), None);
        assert_eq!(found("gone"), None);
        assert_eq!(found(":go"), None);
        assert_eq!(found("exit(select 1)"), is(Command::Exit, "(select 1)"));
        assert_eq!(found(":EXIT"), is(Command::Exit, ""));
        assert_eq!(found("exits"), None);
        assert_eq!(found(":r a b.sql"), is(Command::Read, "a b.sql"));
        assert_eq!(found(":reset"), is(Command::Reset, ""));
        assert_eq!(found("reset"), is(Command::Reset, ""));
        assert_eq!(found("r file"), None);
        assert_eq!(found("out x"), None);
        assert_eq!(found(":out\tx"), is(Command::Out, "x"));
        assert_eq!(found(":listvar"), is(Command::Listvar, ""));
        assert_eq!(found(":list"), is(Command::List, ""));
        assert_eq!(found(":on error exit"), is(Command::OnError, "exit"));
        assert_eq!(found("!! ls -l"), is(Command::Shell, " ls -l"));
        assert_eq!(found(":!! ls -- -l"), is(Command::Shell, " ls -- -l"));
        assert_eq!(found(":setvar x \"a -- b\" -- c"), is(Command::Setvar, "x \"a -- b\" "));
        assert_eq!(Commands::new("run it").unwrap().find("RUN IT").unwrap().command, Command::Go);
    }
}
