//! Products that are installed, at the work of every experiment.

use super::super::files::built_in;
use super::super::read::Experiment;
use super::super::trial::works;
use super::*;
use std::path::PathBuf;

/// Everything a product does for a variant of a built-in experiment, at the scale of tests.
fn work_of(name: &str, variant: &str, product: Product) -> Vec<PeerWork> {
    let experiment = Experiment::find(name).unwrap();
    let of_variant = experiment.spec.variant.iter().find(|v| v.name.get_ref() == variant).unwrap();
    let scale = &experiment.spec.scale["tiny"];
    let works = works(&experiment, product, |measure| {
        let measured = measure.iter().flat_map(|m| &m.values);
        let all = scale.values.iter().chain(&of_variant.values).chain(measured);
        all.map(|(k, v)| (k.clone(), v.to_string())).collect()
    });
    works.unwrap()
}

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("taffrail-{name}-{}", std::process::id()))
}

/// Products that are installed, with their data made; the others are told, and nothing else keeps one from its work.
fn installed(scratch: &Path, wanted: &[Product]) -> (Peers, Vec<Product>) {
    let mut peers = Peers::look(Some(scratch));
    peers.make(&wanted.iter().copied().collect());
    let is_there = |product: &Product| {
        let lacks = peers.lacks(*product);
        if let Some(why) = &lacks {
            assert!(why.contains("is not installed"), "{why}");
            eprintln!("{} IS NOT TESTED: {why}", product.name());
        }
        lacks.is_none()
    };
    let there = wanted.iter().copied().filter(is_there).collect();
    (peers, there)
}

fn run(peers: &Peers, product: Product, works: &[PeerWork]) -> Result<Vec<PeerTimes>, Stop> {
    peers.run(product, works, &Interrupted::default())
}

/// A product does its part of every experiment.
fn does_all(product: Product) {
    let scratch = scratch(product.name());
    let (peers, there) = installed(&scratch, &[product]);
    let mut done = 0;
    for name in built_in().filter(|_| !there.is_empty()) {
        let experiment = Experiment::find(name).unwrap();
        let variants = experiment.spec.variant.iter().filter(|v| v.peer == Some(product));
        // A server takes seconds to start: its first variant has all scripts.
        let most = if product == Product::Sqlite { usize::MAX } else { 1 };
        for variant in variants.take(most) {
            let variant = variant.name.get_ref();
            let mut works = work_of(name, variant, product);
            // Few of many: each client is a process.
            works.iter_mut().for_each(|w| w.crowd = w.crowd.map(|(c, n)| (c.min(4), n.min(16))));
            let all = run(&peers, product, &works).unwrap_or_else(|e| panic!("{variant}: {e}"));
            let named = works.iter().filter_map(|w| w.name.as_deref());
            assert!(named.eq(all.iter().map(|t| &*t.name)), "{name}, {variant}");
            for (timed, work) in all.iter().zip(works.iter().filter(|w| w.name.is_some())) {
                assert!(timed.seconds > 0.0, "{name}, {variant}, {}", timed.name);
                let runs = work.crowd.map(|(clients, rounds)| u64::from(clients) * rounds);
                assert!(runs.is_none_or(|n| n == timed.runs.len() as u64), "{name}, {variant}");
            }
            done += 1;
        }
    }
    assert!(there.is_empty() || done >= 6, "{done}");
    let _ = std::fs::remove_dir_all(&scratch);
}

#[test]
fn sqlite_does_its_part_of_every_experiment() {
    does_all(Product::Sqlite);
}

#[test]
fn postgresql_does_its_part_of_every_experiment() {
    does_all(Product::Postgresql);
}

#[test]
fn mariadb_does_its_part_of_every_experiment() {
    does_all(Product::Mariadb);
}

#[test]
fn a_script_that_fails_or_loses_rows_says_so() {
    let scratch = scratch("few-rows");
    let (peers, there) = installed(&scratch, &Product::ALL);
    let lossy = [
        (Product::Sqlite, "sqlite", "|awk ", "|false "),
        (Product::Sqlite, "sqlite", "rows=500", "rows=499"),
        (Product::Postgresql, "postgresql", "counter - 1;", "counter - 2;"),
        (Product::Mariadb, "mariadb", "counter - 1;", "counter - 2;"),
    ];
    for (product, word, whole, less) in lossy {
        if !there.contains(&product) {
            continue;
        }
        let mut works = work_of("loop", &format!("{word}-hundred"), product);
        assert!(works[1].script.contains(whole), "{}", works[1].script);
        works[1].script = works[1].script.replace(whole, less);
        let said = run(&peers, product, &works).err().unwrap().to_string();
        assert!(said.contains("rows_are_there"), "{said}");
        works[1].script = "SELECT nothing FROM my_table;".into();
        let said = run(&peers, product, &works).err().unwrap().to_string();
        assert!(said.starts_with(product.name()) && said.contains("nothing"), "{said}");
    }
    let _ = std::fs::remove_dir_all(&scratch);
}

#[test]
fn a_server_that_does_not_start_says_why() {
    let scratch = scratch("no-start");
    let (peers, there) = installed(&scratch, &[Product::Postgresql]);
    if !there.is_empty() {
        let settings = scratch.join("peers/pg/postgresql.conf");
        std::fs::write(&settings, "no_such_setting = 1\n").unwrap();
        let said = run(&peers, Product::Postgresql, &[]).err().unwrap().to_string();
        assert!(said.contains("postgresql.conf"), "{said}");
    }
    let _ = std::fs::remove_dir_all(&scratch);
}

#[test]
fn nothing_is_made_for_a_product_without_work() {
    let scratch = scratch("unwanted");
    let (peers, _) = installed(&scratch, &[]);
    assert!(!scratch.exists());
    for product in Product::ALL {
        let why = peers.lacks(product).unwrap();
        assert!(why == "this run has no work for it" || why.contains("is not installed"), "{why}");
    }
}

#[test]
fn without_a_server_of_the_labs_own_there_are_none() {
    let peers = Peers::look(None);
    let why = peers.lacks(Product::Sqlite).unwrap();
    assert_eq!(why, "only beside a server of the lab's own");
    assert_eq!(Peers::default().lacks(Product::Sqlite).unwrap(), "only with --peers");
}

#[test]
fn a_client_that_is_interrupted_ends() {
    let scratch = scratch("interrupted");
    let (peers, there) = installed(&scratch, &[Product::Sqlite]);
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;";
    let works = [PeerWork { script: endless.into(), ..PeerWork::default() }];
    let interrupted = Interrupted::default();
    interrupted.0.store(true, Ordering::Relaxed);
    if !there.is_empty() {
        let ended = peers.run(Product::Sqlite, &works, &interrupted).err().unwrap();
        assert!(matches!(ended, Stop::Interrupted), "{ended}");
    }
    let _ = std::fs::remove_dir_all(&scratch);
}
