//! Batches that are judged: see [`crate::exec::assess`].

use super::Connection;
use crate::exec::assess::{Assessment, Judged, of_errors, parts, put_together};
use crate::exec::module::{Stmt, StmtKind};
use crate::sink::{ColumnDesc, ResultSink, SinkResult};
use std::sync::Arc;
use taffrail_base::SqlError;
use taffrail_types::Value;

/// A client that keeps the errors which it hears.
#[derive(Default)]
struct Errors(Vec<SqlError>);

impl ResultSink for Errors {
    fn columns(&mut self, _: &[ColumnDesc]) -> SinkResult {
        Ok(())
    }

    fn row(&mut self, _: &[Value]) -> SinkResult {
        Ok(())
    }

    fn message(&mut self, e: &SqlError) -> SinkResult {
        if e.severity > 10 {
            self.0.push(e.clone());
        }
        Ok(())
    }
}

impl Connection {
    /// Assesses a batch in the session's database: a verdict for each of its statements and of those in bodies of modules, by their
    /// places. With `execute` all of it is run.
    pub fn assess(&mut self, text: &str, execute: bool) -> Vec<Judged> {
        let text: Arc<str> = text.into();
        let module = match self.session().batch_module(&text, "") {
            Ok(module) if module.errors.is_empty() => module,
            Ok(module) => return of_errors(&text, &module.errors),
            Err(errors) => return of_errors(&text, &errors),
        };
        self.session().running.assessed = Some(Assessment::begins(execute));
        let mut heard = Errors::default();
        self.execute_text(text.clone(), &mut heard);
        if !execute {
            self.request(&mut Errors::default(), |it| it.look_again(&text));
        }
        let looks = self.session().running.assessed.take().map(|a| a.ended()).unwrap_or_default();
        put_together(&module, looks, heard.0, execute)
    }

    /// Looks at a batch again, of which nothing is run: names may have come since. The bodies of its modules are looked at, too.
    pub fn assess_again(&mut self, text: &str) -> Vec<Judged> {
        let text: Arc<str> = text.into();
        let module = match self.session().batch_module(&text, "") {
            Ok(module) if module.errors.is_empty() => module,
            _ => return Vec::new(),
        };
        self.session().running.assessed = Some(Assessment::begins(false));
        self.request(&mut Errors::default(), |it| {
            it.look_again(&text)?;
            it.look_at_bodies(&module)
        });
        let looks = self.session().running.assessed.take().map(|a| a.ended()).unwrap_or_default();
        put_together(&module, looks, Vec::new(), false)
    }

    /// The databases that USE of a batch names.
    pub fn databases_used(&mut self, text: &str) -> Vec<String> {
        fn walk(list: &[Stmt], found: &mut Vec<String>) {
            for s in list {
                match &s.kind {
                    StmtKind::Use(name) => found.push(name.to_string()),
                    _ => parts(&s.kind).into_iter().for_each(|list| walk(list, found)),
                }
            }
        }
        let text: Arc<str> = text.into();
        let mut found = Vec::new();
        if let Ok(module) = self.session().batch_module(&text, "") {
            walk(&module.statements, &mut found);
        }
        found
    }
}
