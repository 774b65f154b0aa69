//! The XML of plans, held against SQL Server's schema: for the statements of all golden scripts, and for statements that run.

use crate::support;

use std::collections::HashMap;
use std::fs;
use support::{Client, World};

/// An element of a document.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: HashMap<String, String>,
    children: Vec<Element>,
}

/// A reader of what the writer writes: elements with attributes, no text between them.
struct Reader<'r> {
    rest: &'r str,
}

impl Reader<'_> {
    fn take(&mut self, text: &str) {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or_else(|| panic!("{text:?} before {:.60}", self.rest));
    }

    fn until(&mut self, end: &[char]) -> String {
        let at = self.rest.find(end).unwrap_or_else(|| panic!("no end of {:.60}", self.rest));
        let (own, rest) = self.rest.split_at(at);
        self.rest = rest;
        own.to_string()
    }

    fn element(&mut self) -> Element {
        self.take("<");
        let mut e = Element { name: self.until(&[' ', '>', '/']), ..Element::default() };
        while self.rest.starts_with(' ') {
            self.take(" ");
            let name = self.until(&['=']);
            self.take("=\"");
            let value = self.until(&['"']);
            self.take("\"");
            assert!(!value.contains('<'), "markup in {name} of {}", e.name);
            assert!(e.attributes.insert(name.clone(), value).is_none(), "{name} twice");
        }
        if self.rest.starts_with("/>") {
            self.take("/>");
            return e;
        }
        self.take(">");
        while !self.rest.starts_with("</") {
            e.children.push(self.element());
        }
        self.take(&format!("</{}>", e.name));
        e
    }
}

/// Attributes that the schema requires, by element.
const REQUIRED: &[(&str, &str)] = &[
    ("ShowPlanXML", "xmlns Version Build"),
    ("StmtUseDb", "Database"),
    ("RelOp", "NodeId PhysicalOp LogicalOp EstimateRows EstimateIO EstimateCPU AvgRowSize"),
    ("RelOp", "EstimatedTotalSubtreeCost Parallel EstimateRebinds EstimateRewinds"),
    ("MemoryGrantInfo", "SerialRequiredMemory SerialDesiredMemory"),
    ("RunTimeCountersPerThread", "Thread ActualRows ActualEndOfScans ActualExecutions"),
    ("QueryTimeStats", "CpuTime ElapsedTime"),
    ("MissingIndexGroup", "Impact"),
    ("MissingIndex", "Database Schema Table"),
    ("ColumnGroup", "Usage"),
    ("Column", "Name ColumnId"),
    ("ColumnReference", "Column"),
    ("TableScan", "Ordered"),
    ("IndexScan", "Ordered"),
    ("NestedLoops", "Optimized"),
    ("Sort", "Distinct"),
    ("TopSort", "Distinct Rows"),
    ("OrderByColumn", "Ascending"),
    ("Filter", "StartupExpression"),
    ("Prefix", "ScanType"),
    ("StartRange", "ScanType"),
    ("EndRange", "ScanType"),
    ("Aggregate", "AggType Distinct"),
    ("Arithmetic", "Operation"),
    ("Compare", "CompareOp"),
    ("Const", "ConstValue"),
    ("Convert", "DataType Style Implicit"),
    ("Intrinsic", "FunctionName"),
    ("Logical", "Operation"),
    ("UserDefinedFunction", "FunctionName"),
    ("StoredProc", "ProcName"),
    ("Operation", "OperationType"),
];

/// The elements that may stand in an element, in their order. What is not listed holds `ColumnReference` or `ScalarOperator`.
const INSIDE: &[(&str, &str)] = &[
    ("ShowPlanXML", "BatchSequence"),
    ("BatchSequence", "Batch"),
    ("Batch", "Statements"),
    ("StmtSimple", "StatementSetOptions QueryPlan UDF StoredProc"),
    ("StmtCond", "StatementSetOptions Condition Then Else"),
    ("StmtCursor", "StatementSetOptions CursorPlan"),
    ("CursorPlan", "Operation"),
    ("Operation", "QueryPlan"),
    ("StmtUseDb", ""),
    ("StatementSetOptions", ""),
    ("StoredProc", "Statements"),
    ("QueryPlan", "MissingIndexes MemoryGrantInfo QueryTimeStats RelOp ParameterList"),
    ("MissingIndexes", "MissingIndexGroup"),
    ("MissingIndexGroup", "MissingIndex"),
    ("MissingIndex", "ColumnGroup"),
    ("ColumnGroup", "Column"),
    ("RunTimeInformation", "RunTimeCountersPerThread"),
    ("TableScan", "DefinedValues Object Predicate"),
    ("IndexScan", "DefinedValues Object SeekPredicates Predicate"),
    ("ConstantScan", "DefinedValues Values"),
    ("TableValuedFunction", "DefinedValues Object Predicate ParameterList"),
    ("NestedLoops", "DefinedValues Predicate OuterReferences RelOp"),
    ("Merge", "DefinedValues InnerSideJoinColumns OuterSideJoinColumns Residual RelOp"),
    ("Hash", "DefinedValues HashKeysBuild HashKeysProbe ProbeResidual RelOp"),
    ("StreamAggregate", "DefinedValues GroupBy RelOp"),
    ("Sort", "DefinedValues OrderBy RelOp"),
    ("TopSort", "DefinedValues OrderBy RelOp"),
    ("Top", "DefinedValues TieColumns OffsetExpression TopExpression RelOp"),
    ("Filter", "DefinedValues RelOp Predicate"),
    ("ComputeScalar", "DefinedValues RelOp"),
    ("SequenceProject", "DefinedValues RelOp"),
    ("Concat", "DefinedValues RelOp"),
    ("WindowAggregate", "DefinedValues RelOp"),
    ("Spool", "DefinedValues RelOp"),
    ("Sequence", "DefinedValues RelOp"),
    ("Generic", "DefinedValues RelOp"),
    ("Update", "DefinedValues Object SetPredicate RelOp"),
    ("ScalarInsert", "DefinedValues Object SetPredicate"),
    ("Values", "Row"),
    ("OrderBy", "OrderByColumn"),
    ("DefinedValues", "DefinedValue"),
    ("SeekPredicates", "SeekPredicateNew"),
    ("SeekPredicateNew", "SeekKeys"),
    ("SeekKeys", "Prefix StartRange EndRange IsNotNull"),
    ("Prefix", "RangeColumns RangeExpressions"),
    ("StartRange", "RangeColumns RangeExpressions"),
    ("EndRange", "RangeColumns RangeExpressions"),
    ("Identifier", "ColumnReference"),
    ("IF", "Condition Then Else"),
    ("MultipleAssign", "Assign"),
];

/// The elements of a scalar.
const SCALARS: &str = "Aggregate Arithmetic Assign Compare Const Convert Identifier IF Intrinsic Logical MultipleAssign \
                       ScalarExpressionList Sequence UserDefinedFunction";

/// The physical operators of the schema that plans have here, and the logical ones.
const PHYSICAL: &str = "Clustered Index Delete,Clustered Index Insert,Clustered Index Merge,Clustered Index Scan,Clustered Index Seek,\
    Clustered Index Update,Compute Scalar,Concatenation,Constant Scan,Filter,Generic,Hash Match,Index Scan,Index Seek,Merge Join,\
    Nested Loops,RID Lookup,Sequence,Sequence Project,Sort,Stream Aggregate,Table Delete,Table Insert,Table Merge,Table Scan,\
    Table Spool,Table Update,Table-valued function,Top,Window Aggregate";
const LOGICAL: &str = "Aggregate,Clustered Index Scan,Clustered Index Seek,Compute Scalar,Concatenation,Constant Scan,Delete,\
    Eager Spool,Filter,Flow Distinct,Full Outer Join,Generic,Index Scan,Index Seek,Inner Join,Insert,Intersect,Lazy Spool,\
    Left Anti Semi Join,Left Diff,Left Outer Join,Left Semi Join,Merge,RID Lookup,Right Anti Semi Join,Right Outer Join,\
    Right Semi Join,Sequence,Sort,Table Scan,Table-valued function,Top,TopN Sort,Update,Window Aggregate";

/// The numbers of operators below an operator's element, least and most.
fn inputs(element: &str) -> (usize, usize) {
    match element {
        "NestedLoops" | "Merge" => (2, 2),
        "Hash" => (1, 2),
        "Concat" | "Sequence" => (2, usize::MAX),
        "TableScan" | "IndexScan" | "ConstantScan" | "TableValuedFunction" | "ScalarInsert" => {
            (0, 0)
        }
        "Spool" | "Generic" => (0, 1),
        _ => (1, 1),
    }
}

/// Holds an element and what is in it against the schema. `next`: the number of the next operator.
fn check(e: &Element, above: &str, next: &mut u32) {
    for (_, names) in REQUIRED.iter().filter(|r| r.0 == e.name) {
        for name in names.split(' ') {
            assert!(e.attributes.contains_key(name), "{} without {name}", e.name);
        }
    }
    let count = e.children.iter().filter(|c| c.name == "RelOp").count();
    match e.name.as_str() {
        "RelOp" => {
            assert_eq!(e.attributes["NodeId"], next.to_string(), "operators count from the root");
            *next += 1;
            let within = |list: &str, name: &str| list.split(',').any(|n| n == e.attributes[name]);
            assert!(within(PHYSICAL, "PhysicalOp"), "{}", e.attributes["PhysicalOp"]);
            assert!(within(LOGICAL, "LogicalOp"), "{}", e.attributes["LogicalOp"]);
            let mut parts = e.children.iter().map(|c| c.name.as_str()).peekable();
            assert_eq!(parts.next(), Some("OutputList"));
            for optional in ["Warnings", "RunTimeInformation"] {
                parts.next_if_eq(&optional);
            }
            let own = parts.next().expect("an operator has an element of its own");
            assert_eq!(parts.next(), None, "behind {own}");
            let (least, most) = inputs(own);
            let own = e.children.last().expect("see above");
            let below = own.children.iter().filter(|c| c.name == "RelOp").count();
            assert!((least..=most).contains(&below), "{below} operators below {}", own.name);
        }
        "QueryPlan" => {
            assert_eq!(count, 1, "a plan has one root");
            *next = 0;
        }
        _ => {}
    }
    let scalar = e.name == "Sequence" && above == "ScalarOperator";
    let order = INSIDE.iter().find(|i| i.0 == e.name && !scalar).map(|i| i.1);
    // These names stand for a statement's part and for a scalar's.
    let order = match (e.name.as_str(), above) {
        ("Condition", "StmtCond") => Some("QueryPlan"),
        ("Then" | "Else", "StmtCond") => Some("Statements"),
        ("Condition" | "Then" | "Else", "IF") => Some("ScalarOperator"),
        _ => order,
    };
    let mut at = 0;
    for child in &e.children {
        match order {
            Some(order) => {
                let place = order.split(' ').position(|n| n == child.name);
                let place = place.unwrap_or_else(|| panic!("{} in {}", child.name, e.name));
                assert!(place >= at, "{} in {} comes too late", child.name, e.name);
                at = place;
            }
            None if e.name == "ScalarOperator" => {
                assert!(SCALARS.split(' ').any(|n| n == child.name), "{}", child.name);
            }
            None if e.name == "Statements" => assert!(child.name.starts_with("Stmt")),
            None if e.name == "RelOp" => {}
            None => {
                let known = ["ColumnReference", "ScalarOperator"].contains(&child.name.as_str());
                assert!(known, "{} in {}", child.name, e.name);
            }
        }
        check(child, &e.name, next);
    }
}

/// The elements of a name in a document.
fn all<'e>(e: &'e Element, name: &str, out: &mut Vec<&'e Element>) {
    if e.name == name {
        out.push(e);
    }
    e.children.iter().for_each(|c| all(c, name, out));
}

/// How deep elements nest.
fn depth(e: &Element) -> usize {
    1 + e.children.iter().map(depth).max().unwrap_or(0)
}

/// Reads a document and holds it against the schema.
fn document(text: &str) -> Element {
    let mut reader = Reader { rest: text };
    let root = reader.element();
    assert_eq!(reader.rest, "", "behind the document");
    assert_eq!(root.name, "ShowPlanXML");
    check(&root, "", &mut 0);
    root
}

/// The documents that a batch has answered with.
fn documents(said: &str) -> Vec<&str> {
    said.lines().filter(|l| l.starts_with("<ShowPlanXML ")).collect()
}

/// Whether a batch makes what others need, and nothing that takes long.
fn makes(batch: &str) -> bool {
    let words = batch.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with("--"));
    let words = words.unwrap_or_default().to_ascii_uppercase();
    let kinds =
        ["TABLE", "VIEW", "PROC", "FUNCTION", "TYPE", "SCHEMA", "INDEX", "UNIQUE", "SEQUENCE"];
    let long =
        ["BACKUP", "RESTORE", "WAITFOR", "SHUTDOWN", "CREATE DATABASE", "WHILE", "KILL", "TRAN"];
    let all = batch.to_ascii_uppercase();
    let made = |verb: &str| {
        words.strip_prefix(verb).is_some_and(|rest| kinds.iter().any(|k| rest.starts_with(k)))
    };
    ["CREATE ", "ALTER ", "DROP "].iter().any(|verb| made(verb))
        && !long.iter().any(|l| all.contains(l))
}

/// What is made is made in one session; another one shows the plan of every batch and runs none.
#[test]
fn the_plans_of_all_golden_scripts_fit_the_schema() {
    let w = World::new();
    let (mut made, mut shown) = (w.connect(), w.connect());
    let mut read = w.connect();
    shown.ok("SET LOCK_TIMEOUT 1000");
    shown.ok("SET SHOWPLAN_XML ON");
    let (mut count, mut operators, mut taken) = (0, 0, 0);
    let scripts = fs::read_dir("../../tests/golden").expect("golden scripts are there");
    let mut scripts: Vec<_> = scripts.map(|e| e.expect("an entry").path()).collect();
    scripts.sort();
    for script in scripts.iter().filter(|p| p.extension().is_some_and(|e| e == "sql")) {
        let text = fs::read_to_string(script).expect("a golden script is text");
        for batch in text.split("\nGO\n").filter(|b| !b.to_ascii_uppercase().contains("SHOWPLAN")) {
            let said = shown.run(batch);
            for text in documents(&said) {
                let root = std::panic::catch_unwind(|| document(text));
                let root =
                    root.unwrap_or_else(|_| panic!("{}:\n{batch}\n{text}", script.display()));
                let mut found = Vec::new();
                all(&root, "RelOp", &mut found);
                operators += found.len();
                // All of them would be minutes; each of them is read by the same rules.
                if count % 20 == 0 && depth(&root) < 100 {
                    let text = text.replace('\'', "''");
                    let sql = format!("SELECT CAST(N'{text}' AS xml).value('count(/*)', 'int')");
                    assert_eq!(read.rows(&sql), "1", "{batch}");
                    taken += 1;
                }
                count += 1;
            }
            if makes(batch) {
                made.run(batch);
                made.run("IF @@TRANCOUNT > 0 ROLLBACK");
            }
        }
    }
    assert!(count > 2000 && operators > 4000 && taken > 100, "{count} {operators} {taken}");
}

/// The plan of the statement that ran last, as SET STATISTICS XML tells it.
fn ran(c: &mut Client, sql: &str) -> (Element, String) {
    let said = c.run(sql);
    let found = documents(&said);
    let last = found.last().unwrap_or_else(|| panic!("{sql}: {said}"));
    (document(last), said.clone())
}

/// Physical operator, rows and executions of each operator.
fn figures(root: &Element) -> Vec<(String, u64, u64)> {
    let mut found = Vec::new();
    all(root, "RelOp", &mut found);
    let one = |e: &&Element| {
        let mut counters = Vec::new();
        let run = e.children.iter().find(|c| c.name == "RunTimeInformation");
        all(run.expect("an operator that ran"), "RunTimeCountersPerThread", &mut counters);
        let figure = |name: &str| counters[0].attributes[name].parse().expect("a number");
        (e.attributes["PhysicalOp"].clone(), figure("ActualRows"), figure("ActualExecutions"))
    };
    found.iter().map(one).collect()
}

#[test]
fn operators_tell_what_they_have_done() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (id int PRIMARY KEY, v int, w int) CREATE INDEX ix ON t (v)");
    c.ok("INSERT t SELECT value, value % 10, value FROM GENERATE_SERIES(1, 100)");
    c.ok("CREATE TABLE u (id int PRIMARY KEY, k int) INSERT u VALUES (1, 3), (2, 4), (3, 500)");
    c.ok("SET STATISTICS XML ON");
    let told = |name: &str, rows, executions| (name.to_string(), rows, executions);
    let (plan, _) = ran(&mut c, "SELECT COUNT(*) FROM t WHERE w > 90");
    let expected = [told("Stream Aggregate", 1, 1), told("Clustered Index Scan", 10, 1)];
    assert_eq!(figures(&plan), expected);
    // Each row of u leads to at most one of t.
    let (plan, _) = ran(&mut c, "SELECT t.w FROM u INNER LOOP JOIN t ON t.id = u.k");
    let expected = [
        told("Nested Loops", 2, 1),
        told("Clustered Index Scan", 3, 1),
        told("Clustered Index Seek", 2, 3),
    ];
    assert_eq!(figures(&plan), expected);
    // Entries of an index, and the rows that they lead to.
    let (plan, _) = ran(&mut c, "SELECT w FROM t WITH (INDEX (ix)) WHERE v = 3 AND w > 50");
    let expected = [
        told("Nested Loops", 5, 1),
        told("Index Seek", 10, 1),
        told("Clustered Index Seek", 5, 10),
    ];
    assert_eq!(figures(&plan), expected);
    let (plan, said) = ran(&mut c, "UPDATE t SET w = w + 1 WHERE id <= 7");
    assert_eq!(figures(&plan)[0], told("Clustered Index Update", 7, 1), "{said}");
    // A statement that fails tells no plan.
    let said = c.run("INSERT t VALUES (1, 1, 1)");
    assert!(said.contains("2627") && documents(&said).is_empty(), "{said}");
    c.ok("SET STATISTICS XML OFF");
    assert!(documents(&c.run("SELECT 1")).is_empty());
}

#[test]
fn statements_of_modules_tell_their_own_plans() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (id int PRIMARY KEY, v int) INSERT t VALUES (1, 10), (2, 20)");
    c.ok("CREATE TABLE told (id int)");
    c.ok("CREATE TRIGGER tr ON t AFTER UPDATE AS INSERT told SELECT id FROM inserted");
    c.ok("CREATE PROCEDURE p @id int AS IF EXISTS (SELECT 1 FROM t WHERE id = @id) UPDATE t SET v = 0 WHERE id = @id");
    c.ok("CREATE FUNCTION f (@id int) RETURNS int AS BEGIN DECLARE @v int = 0 WHILE @v < 1 SELECT @v += v + 1 FROM t WHERE id = @id \
          RETURN @v END");
    c.ok("SET STATISTICS XML ON");
    let kinds = |said: &str| -> Vec<String> {
        let kind = |text: &&str| {
            let root = document(text);
            let statement = &root.children[0].children[0].children[0].children[0];
            statement.attributes["StatementType"].clone()
        };
        documents(said).iter().map(kind).collect()
    };
    // The trigger's INSERT ends before the UPDATE that it belongs to.
    let said = c.run("EXEC p 2");
    assert_eq!(kinds(&said), ["COND WITH QUERY", "INSERT", "UPDATE"], "{said}");
    let parameters = documents(&said)[2];
    assert!(
        parameters
            .contains("Column=\"@id\" ParameterDataType=\"int\" ParameterRuntimeValue=\"(2)\""),
        "{parameters}"
    );
    // Nobody is told of what a function runs.
    assert_eq!(kinds(&c.run("SELECT dbo.f(1)")), ["SELECT WITHOUT QUERY"]);
    assert_eq!(
        kinds(&c.run("DECLARE @n int = (SELECT COUNT(*) FROM t) SET @n = 1 PRINT @n")),
        ["ASSIGN"]
    );
    // Nor of what is encrypted.
    c.ok("CREATE PROCEDURE hidden WITH ENCRYPTION AS IF EXISTS (SELECT 1 FROM t) SELECT id FROM t");
    let said = c.run("EXEC hidden");
    assert!(documents(&said).is_empty(), "{said}");
    // Rows that a table takes are rows of the procedure.
    c.ok("CREATE TABLE #n (n int)");
    c.ok("CREATE PROCEDURE q AS SELECT id FROM t");
    let said = c.run("INSERT #n EXEC q");
    assert_eq!(kinds(&said), ["INSERT"], "{said}");
    assert!(documents(&said)[0].contains("PhysicalOp=\"Table Insert\""), "{said}");
    assert_eq!(c.rows("SET STATISTICS XML OFF SELECT COUNT(*) FROM #n"), "2");
}

#[test]
fn a_cached_plan_is_told_by_its_handle() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (id int PRIMARY KEY, v int) INSERT t VALUES (1, 10), (2, 20)");
    c.ok("CREATE PROCEDURE p @id int AS IF @id > 0 SELECT v FROM t WHERE id = @id ELSE DELETE t WHERE v = @id");
    c.run("EXEC p 1");
    let plan = "SELECT CAST(q.query_plan AS nvarchar(max)) FROM sys.dm_exec_procedure_stats AS s \
                CROSS APPLY sys.dm_exec_query_plan(s.plan_handle) AS q WHERE s.object_id = OBJECT_ID('p')";
    let text = c.rows(plan);
    let root = document(&text);
    let mut statements = Vec::new();
    all(&root, "StmtSimple", &mut statements);
    let kinds: Vec<&str> = statements.iter().map(|s| &*s.attributes["StatementType"]).collect();
    assert_eq!(kinds, ["SELECT", "DELETE"], "{text}");
    // Both branches are planned before the first statement runs.
    let planned = |e: &&Element| e.children.iter().any(|c| c.name == "QueryPlan");
    assert!(statements.iter().all(planned), "{text}");
    let one = "SELECT q.query_plan FROM sys.dm_exec_query_stats AS s \
               CROSS APPLY sys.dm_exec_text_query_plan(s.plan_handle, s.statement_start_offset, s.statement_end_offset) AS q \
               CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) AS x WHERE x.objectid = OBJECT_ID('p')";
    let root = document(&c.rows(one));
    statements = Vec::new();
    all(&root, "StmtSimple", &mut statements);
    assert_eq!(statements.len(), 1);
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.dm_exec_query_plan(0x)"), "0");
    // The plan goes with the cache.
    c.ok("DBCC FREEPROCCACHE");
    assert_eq!(c.rows(plan), "");
}

#[test]
fn whoever_may_not_run_a_statement_is_not_shown_its_plan() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (id int PRIMARY KEY, v int)");
    c.ok("CREATE PROCEDURE p AS SELECT v FROM t WHERE id = 77");
    c.ok("CREATE USER u WITHOUT LOGIN");
    c.ok("GRANT SHOWPLAN TO u");
    c.ok("EXECUTE AS USER = 'u'");
    c.ok("SET SHOWPLAN_XML ON");
    for sql in ["SELECT v FROM t", "DELETE t", "EXEC p"] {
        let said = c.run(sql);
        assert!(said.contains("229") && documents(&said).is_empty(), "{said}");
    }
    c.ok("SET SHOWPLAN_XML OFF");
    c.ok("REVERT");
    c.ok("GRANT EXECUTE ON p TO u");
    c.ok("EXECUTE AS USER = 'u'");
    c.ok("SET SHOWPLAN_XML ON");
    // One owner has both: the procedure may read the table.
    let said = c.run("EXEC p");
    assert_eq!(documents(&said).len(), 1, "{said}");
}
