//! Each experiment runs whole at a tiny scale: most of a run is rest between two rounds, so each has a test of its own.

use super::said;
use std::path::Path;
use std::process::Command;
use taffrail_lab::experiment::record::{Record, Verdict};
use taffrail_lab::experiment::store;
use taffrail_tests::{TempDir, binary};

/// A test of one experiment each, with claims that counts say, whatever the machine does meanwhile.
macro_rules! tests {
    ($($test:ident $name:literal: $claims:expr;)*) => {
        $(
            #[test]
            fn $test() {
                let dir = TempDir::new("lab-run");
                runs_whole(&dir.path().join("out"), &[($name, &$claims)]);
            }
        )*
        const ALONE: &[&str] = &[$($name),*];
    };
}

tests! {
    vlfs "vlfs": ["The log moves from VLF to VLF more often where there are many."];
    growth "growth": ["With small steps nobody waits for zeroes."];
    lazy "lazy": [
        "100 durable commits are 100 writes.",
        "The log records of a transaction are the same.",
        "No durable commit is lost when the server is killed.",
        "100 pipelined commits are at most 50 writes.",
        "No pipelined commit that a client was told of is lost when the server is killed.",
    ];
    checkpoints "checkpoints": ["With automatic checkpoints the data file is written in larger pieces."];
    group_commit "group-commit": [
        "One client alone has a write of the log for each commit.",
        "With 64 clients commits share writes: there are fewer writes than commits.",
    ];
    big_transaction "big-transaction": ["One transaction needs a larger log."];
    // How much of a rollback's log is on the disk when it ends is up to the log writer.
    rollback "rollback": ["What is rolled back is as it was."];
    kill "kill": ["No durable commit is lost."];
    torn_page "torn-page": [
        "Every page that is torn while it is written is whole again after the restart.",
        "Every row's page was torn.",
        "The error log says how many pages were repaired.",
        "A page that is torn later is refused.",
        "No torn page is shown as if it were whole.",
    ];
    blocking "blocking": [];
    tpcc "tpcc": [
        "Every row keeps the twelve conditions after 32 clients.",
        "Every row keeps the twelve conditions after 32 clients with delayed durability, too.",
    ];
}

/// Two on one server, so that there are runs to compare.
#[test]
fn loop_and_hot_row() {
    let dir = TempDir::new("lab-run");
    let out = dir.path().join("out");
    let hot_row =
        ["With one row for all each commit has a write of its own.", "No change is lost."];
    let of_loop = [
        "With a commit for each row there is one log flush a row.",
        "With pipelined commit there is at most one log flush for two rows.",
    ];
    runs_whole(&out, &[("loop", &of_loop), ("hot-row", &hot_row)]);
    compares_and_reports(&out);
}

#[test]
fn none_is_left_out() {
    let list = Command::new(binary()).args(["lab", "list"]).output().unwrap();
    let text = said(&list);
    let (experiments, _) = text.split_once("\n\n").expect("a list, and behind it another one");
    let names = experiments.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let mut names: Vec<&str> = names.collect();
    let mut tested = [ALONE, &["loop", "hot-row"]].concat();
    names.sort_unstable();
    tested.sort_unstable();
    assert_eq!(tested, names, "{text}");
}

/// Runs experiments on a server of the lab's own, and looks at their records and pages.
fn runs_whole(out: &Path, experiments: &[(&str, &[&str])]) {
    let names = experiments.iter().map(|(name, _)| *name);
    let run = Command::new(binary())
        .args(["lab", "run", "--scale", "tiny", "--repeat", "2", "--out"])
        .arg(out)
        .args(names)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", said(&run));
    assert!(said(&run).contains("durable writes of 4 KB a second"), "{}", said(&run));
    assert!(!out.join(".server").exists(), "the lab's own server leaves nothing");
    for (name, claims) in experiments {
        let place = out.join(format!("{name}-tiny"));
        check_record(&place, name, claims);
        leave_for_the_browser(&place, name);
    }
}

/// Leaves a record beside the binary, where the console's tests look for reports to open (console/tests/reports.mjs).
fn leave_for_the_browser(place: &Path, name: &str) {
    let left = binary().with_file_name("lab-reports").join(format!("{name}-tiny"));
    std::fs::create_dir_all(&left).unwrap();
    std::fs::copy(place.join(store::RESULT), left.join(store::RESULT)).unwrap();
}

/// Every measure of every variant has its figures of both rounds, and its claims are judged.
fn check_record(place: &Path, name: &str, claims: &[&str]) {
    let record = store::record(place).unwrap();
    assert_eq!((record.schema, record.plan.repeat), (1, 2), "{name}");
    assert!(record.device.is_some() && record.left_out.is_empty(), "{:?}", record.left_out);
    for variant in record.run_variants() {
        for measure in &record.measures {
            let told = record.figure(&variant.name, &measure.name, "seconds");
            let told = told.or(record.figure(&variant.name, &measure.name, "found"));
            let values = told.map(|t| t.values.len());
            assert_eq!(values, Some(2), "{name}, {}, {}", variant.name, measure.name);
        }
    }
    assert!(record.claims.iter().all(|c| c.verdict != Verdict::LeftOut), "{name}");
    for left in record.variants.iter().filter_map(|v| v.left_out.as_deref()) {
        let server = left == "only for SQL Server" || left.starts_with("the server refuses it: ");
        assert!(server, "{name}: {left}");
    }
    claims.iter().for_each(|text| seen(&record, text));
    check_page(place, &record);
}

/// Values of the elements that bear a figure's name, with that name.
fn figures_in(page: &str) -> Vec<(String, f64)> {
    let attribute = |tag: &str, name: &str| {
        let (_, behind) = tag.split_once(&format!("{name}=\""))?;
        Some(behind.split_once('"')?.0.to_owned())
    };
    page.split("<data ")
        .skip(1)
        .filter_map(|rest| {
            let tag = rest.split_once('>')?.0;
            let value = attribute(tag, "value")?.parse().expect("a number");
            Some((attribute(tag, "data-figure")?, value))
        })
        .collect()
}

/// A page shows the figures of its record, holds it whole, and needs nothing from elsewhere.
fn check_page(place: &Path, record: &Record) {
    let path = place.join("report.html");
    let page = std::fs::read_to_string(&path).unwrap();
    let shown = figures_in(&page);
    assert!(shown.len() >= record.figures.len(), "the tables: {}", shown.len());
    for (name, value) in &shown {
        let parts: Vec<&str> = name.split('/').collect();
        let told = record.figure(parts[0], parts[1], parts[2]);
        assert_eq!(told.map(|t| t.spread.median), Some(*value), "{name}");
    }
    for told in &record.figures {
        let name = format!("{}/{}/{}", told.variant, told.measure, told.figure);
        assert!(shown.iter().any(|(shown, _)| *shown == name), "{name} is not shown");
    }
    assert!(store::record(&path).unwrap() == *record, "the page holds another record");
    // A text of a script may name an address; an element may not.
    let elements = ["src=\"http", "href=\"http", "<link rel=\"stylesheet", "@import", "url("];
    assert!(elements.iter().all(|e| !page.contains(e)));
    in_a_browser(&path);
}

/// Chromium opens the page and has nothing to complain of; where there is none, that is said and not tested.
fn in_a_browser(page: &Path) {
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".into());
    let profile = page.with_extension("profile");
    let opened = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .output();
    let Ok(opened) = opened else {
        eprintln!("there is no chromium: {} IS NOT OPENED IN A BROWSER", page.display());
        return;
    };
    let complaints = String::from_utf8_lossy(&opened.stderr).into_owned();
    assert!(!complaints.contains("CONSOLE"), "{complaints}");
    assert!(String::from_utf8_lossy(&opened.stdout).contains("</html>"), "{complaints}");
}

/// A claim that counts say, whatever the machine does meanwhile.
fn seen(record: &Record, text: &str) {
    let claim = record.claims.iter().find(|c| c.text == text);
    let claim = claim.unwrap_or_else(|| panic!("no claim '{text}'"));
    assert_eq!(claim.verdict, Verdict::Seen, "{text} {}", claim.here);
}

/// A run beside itself differs in nothing; its report is what it was.
fn compares_and_reports(out: &Path) {
    let place = out.join("loop-tiny");
    let before = std::fs::read_to_string(place.join("report.html")).unwrap();
    let done = Command::new(binary()).args(["lab", "report"]).arg(&place).output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    let after = std::fs::read_to_string(place.join("report.html")).unwrap();
    assert!(after == before, "the page is another one");
    let page = out.join("compare.html");
    let compare = |a: &Path, b: &Path| {
        let mut command = Command::new(binary());
        command.args(["lab", "compare"]).args([a, b]).arg("--out").arg(&page);
        command.output().unwrap()
    };
    let done = compare(&place, &place.join("report.html"));
    assert!(done.status.success(), "{}", said(&done));
    assert!(
        said(&done).contains("B : A") && said(&done).contains("duration, s"),
        "{}",
        said(&done)
    );
    assert!(std::fs::read_to_string(&page).unwrap().contains("second : first"));
    let done = compare(&place, &out.join("hot-row-tiny"));
    assert!(!done.status.success());
    assert!(said(&done).contains("only runs of one experiment and scale"), "{}", said(&done));
}
