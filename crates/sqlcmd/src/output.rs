//! Where results and errors go.

use std::fs::File;
use std::io::{self, BufWriter, Write};

/// One end of the output.
pub enum Sink {
    /// Standard output of the process.
    Stdout,
    /// Standard error of the process.
    Stderr,
    /// A file; its text in UTF-16 with a mark at the beginning, or in UTF-8.
    File {
        /// The file, which is written in blocks.
        file: BufWriter<File>,
        /// The text goes out as UTF-16.
        wide: bool,
    },
}

impl Sink {
    /// `stdout`, `stderr`, or a file that is emptied.
    pub fn open(name: &str, wide: bool) -> io::Result<Sink> {
        if name.eq_ignore_ascii_case("stdout") {
            return Ok(Sink::Stdout);
        }
        if name.eq_ignore_ascii_case("stderr") {
            return Ok(Sink::Stderr);
        }
        let mut file = BufWriter::new(File::create(name)?);
        if wide {
            file.write_all(&[0xff, 0xfe])?;
        }
        Ok(Sink::File { file, wide })
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        match self {
            Sink::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes())?;
                out.flush()
            }
            Sink::Stderr => io::stderr().lock().write_all(text.as_bytes()),
            Sink::File { file, wide: false } => file.write_all(text.as_bytes()),
            Sink::File { file, wide: true } => {
                text.encode_utf16().try_for_each(|u| file.write_all(&u.to_le_bytes()))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::File { file, .. } => file.flush(),
            _ => Ok(()),
        }
    }
}

/// Both ends. A failure to write ends the program: nobody would read what follows.
pub struct Streams {
    out: Sink,
    err: Option<Sink>,
}

impl Default for Streams {
    fn default() -> Streams {
        Streams { out: Sink::Stdout, err: None }
    }
}

impl Streams {
    /// Results go there from here on.
    pub fn set_out(&mut self, sink: Sink) {
        self.flush();
        self.out = sink;
    }

    /// Errors go there from here on.
    pub fn set_err(&mut self, sink: Sink) {
        self.flush();
        self.err = Some(sink);
    }

    /// To where results go.
    pub fn out(&mut self, text: &str) {
        let written = self.out.write(text);
        ended(written);
    }

    /// To where errors go: with the results if nobody has said otherwise.
    pub fn err(&mut self, text: &str) {
        let written = self.err.as_mut().unwrap_or(&mut self.out).write(text);
        ended(written);
    }

    /// A message of the program itself: to standard error where errors would be among results on standard output.
    pub fn complain(&mut self, text: &str) {
        match self.err.as_ref().unwrap_or(&self.out) {
            Sink::Stdout => ended(Sink::Stderr.write(text)),
            _ => self.err(text),
        }
    }

    /// Files have what was written.
    pub fn flush(&mut self) {
        let flushed = self.out.flush().and_then(|()| match &mut self.err {
            Some(err) => err.flush(),
            None => Ok(()),
        });
        ended(flushed);
    }

    /// The ends as a child process takes them.
    pub fn for_child(&mut self) -> io::Result<(std::process::Stdio, std::process::Stdio)> {
        self.flush();
        let one = |sink: &Sink| -> io::Result<std::process::Stdio> {
            Ok(match sink {
                Sink::Stdout => io::stdout().into(),
                Sink::Stderr => io::stderr().into(),
                Sink::File { file, .. } => file.get_ref().try_clone()?.into(),
            })
        };
        Ok((one(&self.out)?, one(self.err.as_ref().unwrap_or(&self.out))?))
    }
}

fn ended(written: io::Result<()>) {
    let Err(e) = written else { return };
    // A reader that has seen enough (`| head`) is no error to talk about.
    if e.kind() != io::ErrorKind::BrokenPipe {
        eprintln!("Sqlcmd: Error: writing: {e}");
    }
    std::process::exit(1);
}
