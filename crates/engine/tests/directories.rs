//! Data directories that were copied or moved, and files that are named by other names. Two servers on the same files at one time are
//! two processes: those are among the end-to-end tests.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use support::World;
use taffrail_engine::InstanceOptions;
use taffrail_io::Env;

/// A folder for several data directories; goes away with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let dir = std::env::temp_dir().join(format!("taffrail-dirs-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("fast")).unwrap();
        Folder(dir.canonicalize().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn open(&self, name: &str) -> World {
        fs::create_dir_all(self.at(name)).unwrap();
        let mut options = InstanceOptions::new(self.at(name), Env::os());
        options.max_server_memory_mb = 128;
        options.file_roots = vec![self.at("fast")];
        World { instance: taffrail_engine::start(options).unwrap(), dir: self.at(name) }
    }

    /// Closes an instance and leaves its files.
    fn close(&self, world: World) {
        world.instance.shutdown().unwrap();
        std::mem::forget(world);
    }

    fn copy(&self, from: &str, to: &str) {
        copy(&self.at(from), &self.at(to));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

const STATES: &str =
    "SELECT name + ' ' + state_desc FROM sys.databases WHERE database_id > 4 ORDER BY name";
const PLACES: &str = "SELECT physical_name FROM d.sys.database_files ORDER BY file_id";

fn create(world: &World, name: &str, data: &Path, log: &Path) {
    let sql = format!(
        "CREATE DATABASE {name} ON (NAME = {name}, FILENAME = '{}') LOG ON (NAME = l, FILENAME = '{}')",
        data.display(),
        log.display()
    );
    let mut c = world.connect();
    c.ok(&sql);
    c.ok(&format!("CREATE TABLE {name}.dbo.t (a int) INSERT {name}.dbo.t VALUES (1)"));
}

#[test]
fn a_log_in_a_directory_below_goes_along() {
    let f = Folder::new("below");
    let w = f.open("data");
    fs::create_dir(f.at("data/logs")).unwrap();
    create(&w, "d", &f.at("data/d.mdf"), &f.at("data/logs/d.ldf"));
    f.close(w);
    f.copy("data", "copy");
    let places = |name: &str| {
        let at = |file: &str| f.at(&format!("{name}/{file}")).display().to_string();
        format!("{}\n{}", at("d.mdf"), at("logs/d.ldf"))
    };
    let k = f.open("copy");
    assert_eq!(k.connect().rows(PLACES), places("copy"));
    k.connect().ok("INSERT d.dbo.t VALUES (2)");
    k.connect().ok("ALTER DATABASE d SET OFFLINE");
    f.close(k);
    // Moved twice while it is offline: what its primary file says is older than what master says.
    fs::rename(f.at("copy"), f.at("second")).unwrap();
    let k = f.open("second");
    f.close(k);
    fs::rename(f.at("second"), f.at("third")).unwrap();
    let k = f.open("third");
    k.connect().ok("ALTER DATABASE d SET ONLINE");
    assert_eq!(k.connect().rows(PLACES), places("third"));
    assert_eq!(k.connect().rows("SELECT SUM(a) FROM d.dbo.t"), "3");
    k.connect().ok("DROP DATABASE d");
    f.close(k);
    let w = f.open("data");
    assert_eq!(w.connect().rows(PLACES), places("data"));
    assert_eq!(w.connect().rows("SELECT SUM(a) FROM d.dbo.t"), "1");
    f.close(w);
}

#[test]
fn what_did_not_come_along_is_not_looked_for_at_the_original() {
    let f = Folder::new("without");
    let w = f.open("data");
    fs::create_dir(f.at("data/logs")).unwrap();
    create(&w, "d", &f.at("data/d.mdf"), &f.at("data/logs/d.ldf"));
    create(&w, "e", &f.at("data/e.mdf"), &f.at("data/e.ldf"));
    create(&w, "o", &f.at("data/o.mdf"), &f.at("fast/o.ldf"));
    f.close(w);
    f.copy("data", "copy");
    fs::remove_file(f.at("copy/logs/d.ldf")).unwrap();
    fs::remove_file(f.at("copy/e.mdf")).unwrap();
    for _ in 0..2 {
        let k = f.open("copy");
        let states = k.connect().rows(STATES);
        assert_eq!(states, "d RECOVERY_PENDING\ne RECOVERY_PENDING\no RECOVERY_PENDING");
        f.close(k);
    }
    let k = f.open("copy");
    for name in ["d", "e", "o"] {
        k.connect().ok(&format!("DROP DATABASE {name}"));
    }
    f.close(k);
    let w = f.open("data");
    assert_eq!(w.connect().rows(STATES), "d ONLINE\ne ONLINE\no ONLINE");
    f.close(w);
    // Moved, it takes its log with it that lies elsewhere.
    fs::rename(f.at("data"), f.at("moved")).unwrap();
    let w = f.open("moved");
    assert_eq!(w.connect().rows(STATES), "d ONLINE\ne ONLINE\no ONLINE");
    f.close(w);
}

#[test]
fn a_file_of_a_database_by_another_name_is_no_backup_device() {
    let f = Folder::new("names");
    let w = f.open("data");
    create(&w, "d", &f.at("data/d.mdf"), &f.at("data/d.ldf"));
    std::os::unix::fs::symlink(f.at("data"), f.at("fast/link")).unwrap();
    let link = f.at("fast/link");
    for (file, number) in
        [("d.mdf", "32("), ("d.ldf", "32("), ("master.mdf", "32("), ("../x", "5(")]
    {
        let sql = format!("BACKUP DATABASE d TO DISK = '{}/{file}' WITH FORMAT", link.display());
        let said = w.connect().run(&sql);
        assert!(said.contains("3201") && said.contains(number), "{file}: {said}");
    }
    w.connect().ok(&format!("BACKUP DATABASE d TO DISK = '{}/backup/d.bak'", link.display()));
    assert!(f.at("data/backup/d.bak").is_file());
    w.connect().ok("INSERT d.dbo.t VALUES (2) CHECKPOINT");
    f.close(w);
}

#[test]
fn a_start_removes_only_what_create_database_has_made() {
    use taffrail_engine::master::{EntryState, put_database};
    let f = Folder::new("half-made");
    let w = f.open("data");
    create(&w, "whole", &f.at("data/whole.mdf"), &f.at("data/whole.ldf"));
    let databases = w.instance.databases();
    let mut entry = databases.slot("whole").unwrap().entry;
    let mut begun = |id: u16, name: &str, files: [&str; 2], made: usize| {
        entry.id = taffrail_base::DatabaseId(id);
        (entry.name, entry.state) = (name.into(), EntryState::Creating);
        entry.files = files.iter().map(|file| f.at(file)).collect();
        entry.made = entry.files[..made].to_vec();
        put_database(&databases.master().unwrap().storage, &entry).unwrap();
    };
    // Cut off near the end; at once, and then somebody had a use for the names; between the two; as soon as the files were there.
    begun(60, "made", ["fast/made.mdf", "fast/made.ldf"], 2);
    begun(61, "letter", ["fast/letter.mdf", "fast/letter.ldf"], 0);
    begun(62, "copied", ["fast/copied.mdf", "fast/copied.ldf"], 0);
    begun(63, "zeros", ["fast/zeros.mdf", "fast/zeros.ldf"], 1);
    begun(64, "empty", ["fast/empty.mdf", "fast/empty.ldf"], 0);
    f.close(w);
    let put = |name: &str, bytes: &[u8]| fs::write(f.at(&format!("fast/{name}")), bytes).unwrap();
    put("letter.mdf", b"Dear all, this is no database.");
    put("letter.ldf", &[7; 10_000]);
    put("zeros.mdf", &[0; 100_000]);
    put("zeros.ldf", &[0; 100_000]);
    put("empty.mdf", b"");
    put("empty.ldf", b"");
    for (from, to) in [("whole", "made"), ("whole", "copied")] {
        for kind in ["mdf", "ldf"] {
            fs::copy(f.at(&format!("data/{from}.{kind}")), f.at(&format!("fast/{to}.{kind}")))
                .unwrap();
        }
    }
    let w = f.open("data");
    assert_eq!(w.connect().rows(STATES), "whole ONLINE");
    f.close(w);
    let mut left: Vec<String> = fs::read_dir(f.at("fast"))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["copied.ldf", "copied.mdf", "letter.ldf", "letter.mdf", "zeros.ldf"]);
}
