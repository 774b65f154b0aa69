//! Plans as XML: the statements of a batch in SQL Server's schema, each with its plan where it has one.
//!
//! The same statements are told of a batch that is not run (SHOWPLAN_XML), of a plan in the cache (sys.dm_exec_query_plan) and of a
//! statement that has run (STATISTICS XML); they differ in where the plans come from ([`PlanSource`]).

use super::{kind, text};
use crate::exec::cursor::{CursorConcurrency, CursorModel};
use crate::exec::functions::PRODUCT_VERSION;
use crate::exec::listed::Planned;
use crate::exec::module::{Module, Stmt, StmtKind};
use crate::plan::showplan::document::{self, Counted, document, figure};
use crate::plan::showplan::{Line, Xml};
use crate::session::SetOptions;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_syntax::shape_of;

/// A plan as a document tells it.
pub(crate) struct ToldPlan {
    /// The operators, the root first.
    pub lines: Vec<Line>,
    /// The element `MissingIndexes`, if any index is missing.
    pub missing: Option<Xml>,
    /// The hash of the plan: `query_plan_hash`.
    pub hash: u64,
    /// Bytes of the module and its plans; 0: it is not kept.
    pub cached: usize,
    /// `ColumnReference` of each parameter.
    pub parameters: Vec<Xml>,
}

/// Where the plans of a batch's statements come from.
pub(super) trait PlanSource {
    /// The error that ends the document.
    type Error;
    /// The plans of a statement: of IF and WHILE those of the condition.
    fn plans(&mut self, module: &Arc<Module>, s: &Stmt) -> Result<Vec<ToldPlan>, Self::Error>;
    /// The user's procedure that a statement calls, where its statements are told too: its name and its module.
    fn called(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
    ) -> Result<Option<(String, Arc<Module>)>, Self::Error>;
    /// The procedure has been told.
    fn left(&mut self) {}
    /// Whether the statement is told.
    fn wants(&self, _s: &Stmt) -> bool {
        true
    }
}

/// The text of a document.
pub(crate) fn whole(statements: Vec<Xml>) -> Xml {
    document(PRODUCT_VERSION, statements)
}

/// The element `StatementSetOptions` of these options.
fn set_options(o: &SetOptions) -> Xml {
    Xml::new("StatementSetOptions")
        .attr("QUOTED_IDENTIFIER", o.quoted_identifier)
        .attr("ARITHABORT", o.arithabort)
        .attr("CONCAT_NULL_YIELDS_NULL", o.concat_null_yields_null)
        .attr("ANSI_NULLS", o.ansi_nulls)
        .attr("ANSI_PADDING", o.ansi_padding)
        .attr("ANSI_WARNINGS", o.ansi_warnings)
        .attr("NUMERIC_ROUNDABORT", o.numeric_roundabort)
}

/// The element `QueryPlan` of a plan.
fn query_plan(plan: &ToldPlan, counted: Option<Counted<'_>>, times: Option<(u64, u64)>) -> Xml {
    let mut x = Xml::new("QueryPlan");
    if counted.is_some() {
        x = x.attr("DegreeOfParallelism", 1);
    }
    if plan.cached > 0 {
        x = x.attr("CachedPlanSize", plan.cached.div_ceil(1024));
    }
    let memory =
        Xml::new("MemoryGrantInfo").attr("SerialRequiredMemory", 0).attr("SerialDesiredMemory", 0);
    let times = times.map(|(cpu, elapsed)| {
        Xml::new("QueryTimeStats").attr("CpuTime", cpu).attr("ElapsedTime", elapsed)
    });
    let parameters = (!plan.parameters.is_empty())
        .then(|| Xml::new("ParameterList").all(plan.parameters.iter().cloned()));
    x.all(plan.missing.clone())
        .with(memory)
        .all(times)
        .all(document::operators(&plan.lines, counted))
        .all(parameters)
}

/// Tells statements, with numbers from 1.
pub(super) struct Teller<'t> {
    /// The options that they run under.
    pub options: &'t SetOptions,
    /// The plans come from the cache: RetrievedFromCache.
    pub cached: bool,
    /// The counts of their operators, where they have run.
    pub counted: Option<Counted<'t>>,
    /// Processor and elapsed time of the one statement that has run, ms.
    pub times: Option<(u64, u64)>,
    /// The number of the last statement.
    pub number: i32,
}

impl Teller<'_> {
    /// The statements of a list.
    pub fn list<P: PlanSource>(
        &mut self,
        module: &Arc<Module>,
        list: &[Stmt],
        from: &mut P,
    ) -> Result<Vec<Xml>, P::Error> {
        let mut out = Vec::new();
        for s in list {
            match &s.kind {
                StmtKind::Block(inner) => out.extend(self.list(module, inner, from)?),
                StmtKind::TryCatch(body, catch) => {
                    out.extend(self.list(module, body, from)?);
                    out.extend(self.list(module, catch, from)?);
                }
                StmtKind::Label(_) => {}
                StmtKind::If(_, then, others) => {
                    out.push(self.condition(module, s, then, others, from)?);
                }
                StmtKind::While(_, body) => out.push(self.condition(module, s, body, &[], from)?),
                _ if from.wants(s) => out.extend(self.one(module, s, from)?),
                _ => {}
            }
        }
        Ok(out)
    }

    /// The attributes that all statements have.
    fn begun(&mut self, element: &'static str, module: &Module, s: &Stmt) -> Xml {
        self.number += 1;
        Xml::new(element)
            .attr("StatementText", text(module, s))
            .attr("StatementId", self.number)
            .attr("StatementCompId", self.number)
            .attr("StatementType", kind(s))
            .attr("RetrievedFromCache", self.cached)
    }

    /// The attributes of a statement that has a plan.
    fn planned(&self, x: Xml, module: &Module, s: &Stmt, plan: &ToldPlan) -> Xml {
        let all = document::whole(&plan.lines);
        let quoted = module.quoted_identifier.unwrap_or(module.compiled.options.quoted_identifier);
        let hash = |n: u64| format!("0x{n:016X}");
        x.attr("StatementSubTreeCost", figure(all.subtree))
            .attr("StatementEstRows", figure(all.rows))
            .attr("SecurityPolicyApplied", false)
            .attr("StatementOptmLevel", "FULL")
            .attr("QueryHash", hash(shape_of(text(module, s), quoted)))
            .attr("QueryPlanHash", hash(plan.hash))
    }

    /// IF or WHILE: condition, what is done, and what else.
    fn condition<P: PlanSource>(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        then: &Stmt,
        others: &[Stmt],
        from: &mut P,
    ) -> Result<Xml, P::Error> {
        let plans = match from.wants(s) {
            true => from.plans(module, s)?,
            false => Vec::new(),
        };
        let mut x = self.begun("StmtCond", module, s);
        let mut condition = Xml::new("Condition");
        if let Some(plan) = plans.first() {
            x = self.planned(x, module, s, plan).with(set_options(self.options));
            condition = condition.with(query_plan(plan, self.counted, self.times));
        }
        let statements = |list| Xml::new("Statements").all(list);
        let done = self.list(module, std::slice::from_ref(then), from)?;
        x = x.with(condition).with(Xml::new("Then").with(statements(done)));
        // ELSE IF is a condition of its own, with what stands behind it.
        let otherwise = match others.split_first() {
            None => return Ok(x),
            Some((next, rest)) => match &next.kind {
                StmtKind::If(_, then, _) => vec![self.condition(module, next, then, rest, from)?],
                _ => self.list(module, others, from)?,
            },
        };
        Ok(x.with(Xml::new("Else").with(statements(otherwise))))
    }

    /// A statement that is no flow of control; one for each of its plans.
    fn one<P: PlanSource>(
        &mut self,
        module: &Arc<Module>,
        s: &Stmt,
        from: &mut P,
    ) -> Result<Vec<Xml>, P::Error> {
        let plans = from.plans(module, s)?;
        if let StmtKind::Use(name) = &s.kind {
            return Ok(vec![
                self.begun("StmtUseDb", module, s).attr("Database", format!("[{name}]")),
            ]);
        }
        if let (StmtKind::DeclareCursor(c), Some(plan)) = (&s.kind, plans.first()) {
            let x = self.begun("StmtCursor", module, s);
            let x = self.planned(x, module, s, plan).with(set_options(self.options));
            let how = match c.model {
                CursorModel::Static => "SnapShot",
                CursorModel::Keyset => "Keyset",
                CursorModel::Dynamic => "Dynamic",
                CursorModel::FastForward => "FastForward",
            };
            let concurrency = match c.concurrency {
                _ if !c.finds_again() => "Read Only",
                CursorConcurrency::ReadOnly => "Read Only",
                CursorConcurrency::ScrollLocks => "Pessimistic",
                CursorConcurrency::Optimistic => "Optimistic",
            };
            let fetch = Xml::new("Operation").attr("OperationType", "FetchQuery").with(query_plan(
                plan,
                self.counted,
                self.times,
            ));
            let cursor = Xml::new("CursorPlan")
                .attr("CursorName", &c.name)
                .attr("CursorActualType", how)
                .attr("CursorRequestedType", how)
                .attr("CursorConcurrency", concurrency)
                .attr("ForwardOnly", !c.scroll)
                .with(fetch);
            return Ok(vec![x.with(cursor)]);
        }
        let mut out = Vec::new();
        for plan in &plans {
            let x = self.begun("StmtSimple", module, s);
            let x = self.planned(x, module, s, plan).with(set_options(self.options));
            out.push(x.with(query_plan(plan, self.counted, self.times)));
        }
        if out.is_empty() {
            out.push(self.begun("StmtSimple", module, s));
        }
        if let Some((name, callee)) = from.called(module, s)? {
            let inner = self.list(&callee, &callee.statements, from)?;
            from.left();
            let procedure = Xml::new("StoredProc")
                .attr("ProcName", name)
                .with(Xml::new("Statements").all(inner));
            if let Some(x) = out.pop() {
                out.push(x.with(procedure));
            }
        }
        Ok(out)
    }

    /// The document of one statement that has run, by its one plan.
    pub fn ran(&mut self, module: &Arc<Module>, s: &Stmt, plan: ToldPlan) -> Xml {
        struct Ran(Option<ToldPlan>);
        impl PlanSource for Ran {
            type Error = std::convert::Infallible;
            fn plans(&mut self, _: &Arc<Module>, _: &Stmt) -> Result<Vec<ToldPlan>, Self::Error> {
                Ok(self.0.take().into_iter().collect())
            }
            fn called(
                &mut self,
                _: &Arc<Module>,
                _: &Stmt,
            ) -> Result<Option<(String, Arc<Module>)>, Self::Error> {
                Ok(None)
            }
        }
        let mut from = Ran(Some(plan));
        let told = match &s.kind {
            StmtKind::If(..) | StmtKind::While(..) => {
                let nothing = at_line(s, s.line);
                self.condition(module, s, &nothing, &[], &mut from).map(|x| vec![x])
            }
            _ => self.one(module, s, &mut from),
        };
        let Ok(told) = told;
        whole(told)
    }
}

/// A statement that does nothing, in the place of another one, at a line.
pub(super) fn at_line(s: &Stmt, line: u32) -> Stmt {
    Stmt { line, span: s.span, visible: s.visible, plan: 0, kind: StmtKind::Block(Vec::new()) }
}

/// The plans of a module that the cache holds.
struct Kept<'k> {
    /// All that has a plan.
    planned: &'k [Planned<'k>],
    /// The statements that are told begin and end here, in bytes of the text.
    place: &'k dyn Fn(&Stmt) -> bool,
}

impl PlanSource for Kept<'_> {
    type Error = Box<taffrail_base::SqlError>;

    fn plans(&mut self, module: &Arc<Module>, s: &Stmt) -> SqlResult<Vec<ToldPlan>> {
        let mut out = Vec::new();
        for planned in self.planned.iter().filter(|p| std::ptr::eq(p.statement, s)) {
            let kept = module.shared[planned.plan as usize].kept();
            if let Some(plan) = kept.plans.first() {
                out.push(module.told_plan(plan, Vec::new()));
            }
        }
        Ok(out)
    }

    fn called(&mut self, _: &Arc<Module>, _: &Stmt) -> SqlResult<Option<(String, Arc<Module>)>> {
        Ok(None)
    }

    fn wants(&self, s: &Stmt) -> bool {
        (self.place)(s)
    }
}

impl Module {
    /// The document of its plans that the cache holds, of those statements that `wanted` says.
    pub fn plan_document(self: &Arc<Module>, wanted: &dyn Fn(&Stmt) -> bool) -> SqlResult<Xml> {
        let options = self.compiled.options;
        let mut teller =
            Teller { options: &options, cached: true, counted: None, times: None, number: 0 };
        let planned = self.planned();
        let mut kept = Kept { planned: &planned, place: wanted };
        let statements = teller.list(self, &self.statements, &mut kept)?;
        Ok(whole(statements))
    }
}
