//! EXEC: procedures of users and of the system, dynamic text.

use super::activation::{Activation, Way};
use super::called::{Called, Failed, Passed, Returned};
use super::compile::{self, CreatedUnder};
use super::ddl_events::EventText;
use super::interpret::{Ended, Flow, Interpreter, Step, Unwind};
use super::module::{Code, ExecTarget, Execute, Module, Parameter, Stmt};
use crate::catalog;
use crate::database::Database;
use crate::features::procedure as procs;
use crate::plan::expr::Expr;
use crate::plan::user_call::UserFunction;
use crate::session::Session;
use crate::session::context::StatementContext;
use crate::sink::{Command, Done, DoneKind};
use std::sync::Arc;
use taffrail_base::procedure::{SP_EXECUTE, SP_EXECUTESQL, SP_PREPARE, SP_PREPEXEC, SP_UNPREPARE};
use taffrail_base::{Origin, SqlError, SqlResult};
use taffrail_types::convert::Declared;
use taffrail_types::{Collation, Conversion, SqlType, Value, convert};

/// Where a name without database and schema is looked up.
#[derive(Clone, Copy)]
pub struct Home<'a> {
    /// The database of the name.
    pub database: &'a Arc<Database>,
    /// That of a module, looked at before the caller's.
    pub schema: Option<&'a str>,
}

/// The return status of our own code, and the values of its output parameters by their places.
type Answer = (i32, Vec<(usize, Value, SqlType)>);

/// What a procedure's name stands for.
pub enum Callee {
    /// A procedure of a database.
    User(Arc<Database>, Arc<catalog::Module>),
    /// A scalar function.
    Function(UserFunction),
    /// A procedure that a feature has registered.
    System(&'static procs::SystemProcedure),
    /// sp_executesql and its relatives, by number as in remote calls.
    Special(u16),
}

/// Parts of a name: `server.database.schema.name`, brackets and quotes taken off.
pub fn name_parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut chars = text.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '.' => parts.push(std::mem::take(&mut part)),
            '[' | '"' => {
                let close = if c == '[' { ']' } else { '"' };
                while let Some(c) = chars.next() {
                    if c == close {
                        if chars.peek() == Some(&close) {
                            chars.next();
                        } else {
                            break;
                        }
                    }
                    part.push(c);
                }
            }
            c => part.push(c),
        }
    }
    parts.push(part);
    parts
}

impl Session {
    /// The procedure of a name: 2812.
    pub fn find_procedure(
        &self,
        database: Option<&str>,
        schema: Option<&str>,
        name: &str,
        home: Home<'_>,
        shown: &dyn std::fmt::Display,
    ) -> SqlResult<Callee> {
        let missing = || SqlError::new(2812, &[shown]).with_state(62);
        let special = match &*name.to_ascii_lowercase() {
            "sp_executesql" => SP_EXECUTESQL,
            "sp_prepare" => SP_PREPARE,
            "sp_execute" => SP_EXECUTE,
            "sp_prepexec" => SP_PREPEXEC,
            "sp_prepexecrpc" => super::rpc::SP_PREPEXECRPC,
            "sp_unprepare" => SP_UNPREPARE,
            other => super::cursor::api::number_of(other),
        };
        if special != 0 && schema.is_none_or(|s| matches!(s, "sys" | "dbo" | "")) {
            return Ok(Callee::Special(special));
        }
        if name.starts_with('#') {
            // It runs where it is called.
            let found = self.find_temp_procedure(name).ok_or_else(missing)?;
            return Ok(Callee::User(self.database.clone(), found));
        }
        let db = match database {
            None | Some("") => home.database.clone(),
            Some(d) => match self.instance.databases().get(d) {
                Ok(db) => db,
                Err(e) if e.number == 911 => return Err(missing()),
                Err(e) => return Err(e),
            },
        };
        let schema = schema.filter(|s| !s.is_empty());
        // Names that begin with sp_ are the system's first.
        let system = || procs::find(schema, name).map(Callee::System);
        let sp = name.get(..3).is_some_and(|p| p.eq_ignore_ascii_case("sp_"));
        if sp && let Some(callee) = system() {
            return Ok(callee);
        }
        // The calling module's schema, then the caller's.
        let own = home.schema.filter(|_| schema.is_none());
        for schema in own.into_iter().map(Some).chain([schema]) {
            self.note_blocked(db.catalog.blocked_name(schema, name, self.id));
            match db.catalog.find_named(schema, name, self.id) {
                Some(catalog::Object::Procedure(p)) => return Ok(Callee::User(db, p)),
                Some(catalog::Object::Function(module)) if module.result.is_some() => {
                    return Ok(Callee::Function(UserFunction { database: db, module }));
                }
                Some(catalog::Object::Synonym(s)) => {
                    let base = self.base_of_call(&db, &s, shown)?;
                    let (database, schema) = (s.base.database.as_deref(), s.base.schema.as_deref());
                    let home = Home { database: &db, schema: None };
                    return self.find_procedure(database, schema, &s.base.name, home, &base);
                }
                _ => {}
            }
        }
        if let Some(callee) = system() {
            return Ok(callee);
        }
        let what = match db.catalog.find_named(schema, name, self.id) {
            Some(catalog::Object::Table(_)) => "table",
            Some(catalog::Object::View(_)) => "view",
            Some(catalog::Object::Function(_)) => "table valued function",
            _ => return Err(procs::missing(schema, name, shown)),
        };
        Err(SqlError::new(2809, &[&"procedure", &name, &name, &what]))
    }

    /// A procedure's module, compiled once for all sessions.
    pub fn procedure_module(
        &self,
        database: &Arc<Database>,
        p: &catalog::Module,
    ) -> SqlResult<Arc<Module>> {
        let id = p.head.id.0;
        let key = (database.catalog.opening(), id, p.version, self.activation.options.plan_key());
        let kept = self.instance.plans().procedure(&key);
        if let Some(m) = kept.filter(|m| m.knows_its_types(self.id)) {
            return Ok(m);
        }
        let module = self.new_module(database, p)?;
        if !p.options.recompile {
            self.instance.plans().add_procedure(key, module.clone());
        }
        Ok(module)
    }

    /// A procedure's module, compiled for one call: of WITH RECOMPILE.
    fn new_module(&self, database: &Arc<Database>, p: &catalog::Module) -> SqlResult<Arc<Module>> {
        let id = p.head.id.0;
        self.instance.counters().compilations.inc();
        let text = &p.definition;
        let (quoted_identifier, ansi_nulls) = (p.quoted_identifier, p.ansi_nulls);
        let under = CreatedUnder { quoted_identifier, ansi_nulls };
        let schema = (p.head.schema_id != catalog::DBO).then_some(&*p.head.schema);
        let head = (p.shown_name(), schema);
        let compiled = compile::procedure(self, database, text, under, head, id);
        let mut module = compiled.map_err(|mut e| Box::new(e.remove(0)))?;
        // The table may have another name by now than the text says.
        module.trigger = p.trigger.map(|t| (p.head.parent, t.instead_of));
        module.ddl = match p.head.kind {
            catalog::ObjectKind::DatabaseTrigger => Some(catalog::TriggerScope::Database),
            catalog::ObjectKind::ServerTrigger => Some(catalog::TriggerScope::Server),
            _ => None,
        };
        module.encrypted = p.options.encrypted;
        module.execute_as = p.execute_as;
        Ok(Arc::new(module))
    }

    fn system_module(
        &self,
        p: &'static procs::SystemProcedure,
        text: &'static str,
    ) -> SqlResult<Arc<Module>> {
        let opening = self.database.catalog.opening();
        let key = (opening, 0, p.name.as_ptr() as u64, self.activation.options.plan_key());
        if let Some(m) = self.instance.plans().procedure(&key) {
            return Ok(m);
        }
        let home = self.database.clone();
        let under = CreatedUnder { quoted_identifier: true, ansi_nulls: true };
        let compiled = compile::procedure(self, &home, &Arc::from(text), under, (p.name, None), -1);
        let module = Arc::new(compiled.map_err(|mut e| Box::new(e.remove(0)))?);
        self.instance.plans().add_procedure(key, module.clone());
        Ok(module)
    }
}

impl Interpreter<'_> {
    /// EXEC as a statement.
    pub fn execute(&mut self, module: &Arc<Module>, s: &Stmt, e: &Execute) -> Step {
        match &e.results {
            Some(results) => self.execute_declared(module, s, e, results),
            None => self.execute_plainly(module, s, e),
        }
    }

    /// EXEC without a look at the results that it declares.
    pub(super) fn execute_plainly(&mut self, module: &Arc<Module>, s: &Stmt, e: &Execute) -> Step {
        let (target, passed) = match self.evaluate(module, s, e) {
            Ok(t) => t,
            Err(e) => return self.fail(module, s, e, false, Command::EXECUTE),
        };
        let returned = match self.call_target(module, target, &passed, Way::of_execute(e))? {
            Ok(r) => r,
            Err(Failed { error, status }) => {
                // CATCH is where it goes on, if there is one.
                if self.session.activation.errors.tries() == 0
                    && let Err(e) = self.take_status(e, status)
                {
                    return self.fail(module, s, e, false, Command::EXECUTE);
                }
                return self.fail(module, s, error, false, Command::EXECUTE);
            }
        };
        if let Err(e) = self.take_back(e, &returned) {
            return self.fail(module, s, e, false, Command::EXECUTE);
        }
        self.session.activation.moment.set(None);
        if self.session.activation.taking.is_some() {
            return Ok(Flow::Next);
        }
        // In a batch a procedure ends like a remote one; in a procedure it is a statement.
        if self.session.activation.nest_level > 0 {
            if self.session.activation.options.nocount {
                return Ok(Flow::Next);
            }
            return self.done(Ended { command: Command::EXECUTE, rows: None });
        }
        if !matches!(e.target, ExecTarget::Text(_)) {
            self.sink.return_status(returned.status).map_err(|_| Unwind::Gone)?;
        }
        let done =
            Done { kind: DoneKind::Procedure, command: Command::EXECUTE, rows: None, error: false };
        self.sink.done(done).map_err(|_| Unwind::Gone)?;
        Ok(Flow::Next)
    }

    pub(super) fn evaluate(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        e: &Execute,
    ) -> SqlResult<(Target, Vec<Passed>)> {
        let target = match &e.target {
            ExecTarget::Procedure(name) => Target::Name {
                server: name.server.as_ref().map(|s| s.value.to_string()),
                database: name.database.as_ref().map(|d| d.value.to_string()),
                schema: name.schema.as_ref().map(|d| d.value.to_string()),
                name: name.name.value.to_string(),
                shown: name.to_string(),
            },
            ExecTarget::Variable(v) => {
                let value = &self.session.activation.locals.vars[*v as usize];
                let text = self.session.text_of(value).unwrap_or_default();
                Target::of_text(&text)
            }
            ExecTarget::Text(code) => {
                let v = self.value(module, s, code)?;
                Target::Text(self.session.text_of(&v).unwrap_or_default())
            }
        };
        let mut passed = Vec::with_capacity(e.arguments.len());
        for a in &e.arguments {
            let (value, ty) = match &a.value {
                None => (None, SqlType::Int.into()),
                Some(code) => {
                    let v = self.value(module, s, code)?;
                    (Some(v), self.type_of(code))
                }
            };
            let name = a.name.as_deref().unwrap_or_default().to_string();
            let (ty, large) = (ty.ty, ty.large());
            let typed = !matches!(&a.value, Some(Code::Ready(Expr::Const(Value::Null), _)));
            let table = a.table.and_then(|n| self.passed_table(module, n));
            let output = a.output.is_some();
            let cursor = a.cursor.as_deref().map(|name| self.session.passed_cursor(name));
            passed.push(Passed { name, value, ty, large, typed, output, table, cursor });
        }
        Ok((target, passed))
    }

    /// Output parameters and the return status, or a function's value, into the caller's variables.
    pub(super) fn take_back(&mut self, e: &Execute, r: &Returned) -> SqlResult<()> {
        for (n, v, from) in &r.outputs {
            let Some(var) = e.arguments.get(*n).and_then(|a| a.output) else { continue };
            let to = self.session.activation.locals.module.variables.declared(var);
            let value = if v.is_null() || *from == to {
                v.clone()
            } else {
                convert::check_declared(*from, to, Conversion::Implicit)?;
                let context = self.session.convert_context();
                convert::cast_with(v, from.ty, to.ty, None, Conversion::Implicit, &context)?
            };
            self.session.activation.locals.vars[var as usize] = value;
        }
        match &r.value {
            Some((value, from)) => self.take_value(e, value, *from),
            None => self.take_status(e, (!r.silent).then_some(r.status)),
        }
    }

    fn take_value(&mut self, e: &Execute, value: &Value, from: Declared) -> SqlResult<()> {
        let Some(var) = e.status else { return Ok(()) };
        let context = self.session.convert_context();
        let locals = &mut self.session.activation.locals;
        let to = locals.module.variables.declared(var);
        convert::check_declared(from, to, Conversion::Implicit)?;
        locals.vars[var as usize] =
            convert::cast_with(value, from.ty, to.ty, None, Conversion::Implicit, &context)?;
        Ok(())
    }

    fn take_status(&mut self, e: &Execute, status: Option<i32>) -> SqlResult<()> {
        if let (Some(var), Some(status)) = (e.status, status) {
            let locals = &mut self.session.activation.locals;
            let to = locals.module.variables.list[var as usize].ty.unwrap_or(SqlType::Int);
            let v = Value::Int(status);
            locals.vars[var as usize] =
                convert::cast(&v, SqlType::Int, to, None, Conversion::Implicit)?;
        }
        Ok(())
    }

    /// Runs a callee; an INSERT … EXEC may take its rows. The outer error unwinds, the inner one is the calling statement's.
    pub(crate) fn call_target(
        &mut self,
        module: &Module,
        target: Target,
        passed: &[Passed],
        way: Way,
    ) -> Result<Called, Unwind> {
        let home = module.database.clone().unwrap_or_else(|| self.session.database.clone());
        let (server, database, schema, name, shown) = match target {
            Target::Text(text) => {
                let way = Way { text: true, ..way };
                return self.within(way, |it| it.run_text(&Arc::from(&*text), "", &[]));
            }
            Target::Name { server, database, schema, name, shown } => {
                (server, database, schema, name, shown)
            }
        };
        if let Some(server) = server.filter(|s| !s.is_empty())
            && !Collation::default().eq_str(&server, &self.session.instance.options().server_name)
        {
            return Ok(Err(SqlError::new(7202, &[&server]).with_state(2).into()));
        }
        let callee = self.context(0).settled(|cx| {
            let (database, schema) = (database.as_deref(), schema.as_deref());
            let home = Home { database: &home, schema: module.schema.as_deref() };
            cx.session.find_procedure(database, schema, &name, home, &shown)
        });
        let callee = match callee {
            Ok(c) => c,
            Err(e) => return Ok(Err(e.into())),
        };
        match self.session.runs_in(&callee, database.as_deref()) {
            Ok(place) => {
                let way = Way { place, ..way };
                self.call(callee, &name, passed, way)
            }
            Err(e) => Ok(Err(e.into())),
        }
    }

    /// Enters a procedure and runs it.
    pub(super) fn call(
        &mut self,
        callee: Callee,
        name: &str,
        passed: &[Passed],
        way: Way,
    ) -> Result<Called, Unwind> {
        let is_function = matches!(callee, Callee::Function(_));
        let recompile = way.recompile;
        if self.session.activation.in_function && !is_function {
            return Ok(Err(SqlError::new(557, &[]).with_state(2).into()));
        }
        if let Err(e) = self.session.allow_callee_in(&callee, passed, way.place.as_ref()) {
            return Ok(Err(e.in_procedure(name).with_line(1).into()));
        }
        self.within(Way { function: is_function, ..way }, |it| {
            let module = match callee {
                Callee::Function(f) => return it.called_function(&f, name, passed),
                Callee::Special(n) => {
                    // It is a procedure of its own: its text is one level deeper still.
                    it.session.begins(None);
                    return it.special(n, passed, None);
                }
                Callee::System(p) => match it.session.before_registered(p.pipelining) {
                    Err(e) => return Ok(Err(e.into())),
                    Ok(()) => match p.body {
                        procs::Body::Native(code) => {
                            return Ok(
                                it.native(p, passed, |cx, args| Ok((code(cx, args)?, Vec::new())))
                            );
                        }
                        procs::Body::Outputs(code) => {
                            return Ok(it.native(p, passed, |cx, args| Ok((0, code(cx, args)?))));
                        }
                        procs::Body::Sql(text) => it.session.system_module(p, text),
                    },
                },
                Callee::User(db, p) if recompile => it.session.new_module(&db, &p),
                Callee::User(db, p) => it.session.procedure_module(&db, &p),
            };
            match module {
                Ok(m) => it.run_module(m, name, passed, true),
                Err(e) => Ok(Err(e.into())),
            }
        })
    }

    fn native(
        &mut self,
        p: &procs::SystemProcedure,
        passed: &[Passed],
        code: impl FnOnce(&mut StatementContext<'_>, &procs::Arguments<'_>) -> SqlResult<Answer>,
    ) -> Called {
        if let Some((of, _)) = passed.iter().find_map(|p| p.table.as_ref()) {
            return Err(SqlError::new(206, &[&of.name, &"sql_variant"]).into());
        }
        if passed.iter().any(|p| p.cursor.is_some()) {
            return Err(SqlError::new(206, &[&"cursor", &"sql_variant"]).into());
        }
        let page = self.session.page();
        let argument = |p: &Passed| {
            let (value, ty) = match &p.value {
                // Our own code reads char and varchar as 1252's.
                Some(Value::VarChar(b)) if !page.is_western() && !b.is_ascii() => {
                    (Some(Value::NVarChar(page.to_utf16(b))), SqlType::nvarchar(b.len()))
                }
                value => (value.clone(), p.ty),
            };
            procs::Argument { name: p.name.clone(), value, ty }
        };
        let args: Vec<procs::Argument> = passed.iter().map(argument).collect();
        // They are our own code in place of the queries that SQL Server's consist of.
        self.session.cell.set_command(taffrail_observe::session::Command::Select);
        self.session.begins(None);
        let r = self.in_statement(|it| {
            let args = procs::Arguments::new(p.name, p.parameters, &args)?;
            it.session.running.events.clear();
            let (status, values) = code(&mut it.context(0), &args)?;
            it.fire_events(&EventText::of_call(it.session, p.name))?;
            let given = values.into_iter();
            let outputs = given.filter_map(|(at, v, ty)| Some((args.place(at)?, v, ty.into())));
            Ok((status, outputs.filter(|o| passed[o.0].output).collect()))
        });
        match r {
            Ok((status, outputs)) => Ok(Returned { status, outputs, ..Returned::default() }),
            Err(error) => {
                // Who is called with wrong arguments does not run.
                let ran = !matches!(error.number, 119 | 201 | 214 | 8144..=8146);
                Err(Failed { error, status: ran.then_some(1) })
            }
        }
    }

    /// Runs a text in the activation that was entered for it.
    pub(super) fn run_text(
        &mut self,
        text: &Arc<str>,
        declared: &str,
        passed: &[Passed],
    ) -> Result<Called, Unwind> {
        match self.session.batch_module(text, declared) {
            Ok(m) => self.run_module(m, "", passed, false),
            Err(errors) => self.several(errors),
        }
    }

    /// More than one error: all but the last are told, the last is the statement's.
    pub fn several(&mut self, mut errors: Vec<SqlError>) -> Result<Called, Unwind> {
        let last = errors.pop().unwrap_or_else(|| *SqlError::new(102, &[&""]));
        if self.session.activation.errors.tries() == 0 {
            for e in &errors {
                self.sink.message(e).map_err(|_| Unwind::Gone)?;
            }
        }
        Ok(Err(Box::new(last).into()))
    }

    /// Runs a module in the activation that was entered for it: a procedure, or a text (which sees the caller's options and changes
    /// them for itself only).
    pub(super) fn run_module(
        &mut self,
        module: Arc<Module>,
        name: &str,
        passed: &[Passed],
        procedure: bool,
    ) -> Result<Called, Unwind> {
        let (outputs, cursors) = match self.load(&module, name, passed) {
            Ok(outputs) => outputs,
            Err(e) if procedure => {
                let e = e.in_procedure(name).with_origin(Origin::Parameters);
                return Ok(Err(e.into()));
            }
            Err(e) => return Ok(Err(e.into())),
        };
        let errors = self.check();
        if !errors.is_empty() {
            return self.several(errors);
        }
        let count = self.session.transaction.count;
        self.session.begins(Some(&module));
        if let Err(e) = self.session.runs_module_as(&module) {
            return Ok(Err(e.into()));
        }
        let observer = self.session.instance.observer();
        let told = observer.wants_modules().then(|| observer.module_begins(&module));
        let step = self.list_or_document(&module);
        if let Some(began) = told {
            observer.module_ended(self.session, &module, began);
        }
        // The error has been told; the caller goes on behind EXEC.
        let cut = matches!(step, Err(Unwind::Module));
        match step {
            Ok(_) | Err(Unwind::Module) => {}
            Err(Unwind::Caller(e)) => return Err(Unwind::Error(e)),
            Err(other) => return Err(other),
        }
        if let Some(failed) = self.other_count(&module, name, count, procedure)? {
            return Ok(Err(failed));
        }
        self.session.hand_out_cursors(&module, &cursors);
        // Without RETURN n: what the gravest error says, caught or not.
        let Activation { locals, errors, .. } = &*self.session.activation;
        let failed = if errors.gravest > 10 { 10 - i32::from(errors.gravest) } else { 0 };
        let outputs = outputs.into_iter().map(|(n, at)| {
            let Parameter { ty, large, .. } = &module.parameters[at];
            (n, locals.vars[at].clone(), Declared::new(*ty, *large))
        });
        // Who ends by a name that is not there returns nothing.
        Ok(Ok(Returned {
            status: locals.status.unwrap_or(failed),
            silent: cut,
            outputs: outputs.collect(),
            cut,
            value: None,
        }))
    }
}

/// What EXEC runs, evaluated.
pub enum Target {
    /// A procedure's name, part by part.
    Name {
        /// The linked server, if one is named.
        server: Option<String>,
        /// The database, if one is named.
        database: Option<String>,
        /// The schema, if one is named.
        schema: Option<String>,
        /// The last part of the name.
        name: String,
        /// The name as messages show it.
        shown: String,
    },
    /// The text of a batch.
    Text(String),
}

impl Target {
    /// A name in a text.
    pub fn of_text(text: &str) -> Target {
        let mut parts = name_parts(text);
        let name = parts.pop().unwrap_or_default();
        let schema = parts.pop();
        let database = parts.pop();
        let server = parts.pop();
        Target::Name { server, database, schema, name, shown: text.to_string() }
    }
}
