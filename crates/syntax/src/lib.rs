//! T-SQL: lexer, parser and syntax tree.
//!
//! [`parse_batch`] turns a batch into an [`ast::Batch`] or into the error a client sees
//! (`Msg 102, Level 15, State 1, Line 3: Incorrect syntax near ')'.`). A batch is parsed as a whole before anything of
//! it runs. [`split_go`] cuts a script into batches the way the command-line tools do.
//!
//! The pieces: `lexer` (text to tokens), `parser` (tokens to tree), [`ast`] (the tree). Nothing here knows tables,
//! types or settings beyond [`ParseOptions`].
#![forbid(unsafe_code)]

pub mod ast;
mod go;
mod lexer;
mod parser;
mod shape;
mod variables;
mod watch;

use taffrail_base::SqlError;

pub use go::{ScriptBatch, split_go};
pub use parser::MAX_DEPTH;
pub use shape::{Fnv, shape_of};
pub use variables::{NamedVariable, calls_of, types_of, variables_of};
pub use watch::{Unwatched, Watch};

/// Settings of the session that change how text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// `SET QUOTED_IDENTIFIER ON`: double quotes delimit identifiers, otherwise strings.
    pub quoted_identifier: bool,
}

impl Default for ParseOptions {
    fn default() -> ParseOptions {
        ParseOptions { quoted_identifier: true }
    }
}

/// The errors of a batch: one or a few, in the order a client gets them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxErrors {
    /// The errors, at least one.
    pub errors: Vec<SqlError>,
}

/// Parses a batch.
///
/// ```
/// use taffrail_syntax::{ParseOptions, parse_batch};
/// let batch = parse_batch("declare @i int = 1 print @i", ParseOptions::default()).unwrap();
/// assert_eq!(batch.statements.len(), 2);
/// let refused = parse_batch("select\n)", ParseOptions::default()).unwrap_err();
/// assert_eq!(
///     refused.errors[0].to_string(),
///     "Msg 102, Level 15, State 1, Line 2: Incorrect syntax near ')'."
/// );
/// ```
pub fn parse_batch(text: &str, options: ParseOptions) -> Result<ast::Batch, SyntaxErrors> {
    parser::parse(text, options)
}

/// [`parse_batch`] while somebody looks on: the first error of [`Watch::look`] ends it, and is the only one.
pub fn parse_batch_watched(
    text: &str,
    options: ParseOptions,
    watch: &dyn Watch,
) -> Result<ast::Batch, SyntaxErrors> {
    parser::parse_watched(text, options, watch)
}
