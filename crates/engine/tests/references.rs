//! The list of foreign keys by the table that they refer to is what all of them say.

use crate::support;

use support::{Client, World};
use taffrail_base::{ObjectId, SessionId};
use taffrail_engine::Sight;

fn agree(w: &World, names: &[&str], of: SessionId) -> Vec<String> {
    let database = w.instance.databases().get("d").expect("the database");
    let mut found = Vec::new();
    for sight in [Sight::from(of), Sight::COMMITTED, Sight::EVERYTHING] {
        let all = database.catalog.foreign_keys(sight).expect("readable");
        let tables: Vec<ObjectId> = database.catalog.tables(sight).iter().map(|t| t.id()).collect();
        for table in tables {
            let want: Vec<_> = all.iter().filter(|k| k.referenced == table).map(|k| k.id).collect();
            let listed = database.catalog.references_to(table, sight).expect("readable");
            let ids: Vec<_> = listed.iter().map(|k| k.id).collect();
            assert_eq!(ids, want, "{sight:?} {names:?}");
        }
    }
    let own = database.catalog.foreign_keys(Sight::from(of)).expect("readable");
    found.extend(own.iter().map(|k| k.name.to_string()));
    found.sort();
    found
}

#[test]
fn foreign_keys_are_found_by_the_table_they_refer_to() {
    let mut w = World::new();
    let mut c: Client = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d CREATE TABLE p (i int PRIMARY KEY) CREATE TABLE q (i int PRIMARY KEY)");
    let id = c.connection.session_id();
    c.ok("CREATE TABLE c (i int PRIMARY KEY, a int CONSTRAINT f1 REFERENCES p, b int CONSTRAINT f2 REFERENCES q)");
    assert_eq!(agree(&w, &["made"], id), ["f1", "f2"]);
    c.ok("ALTER TABLE q ADD a int CONSTRAINT f3 REFERENCES p");
    c.ok("ALTER TABLE c NOCHECK CONSTRAINT f1");
    assert_eq!(agree(&w, &["added"], id), ["f1", "f2", "f3"]);
    c.ok("BEGIN TRAN ALTER TABLE c DROP CONSTRAINT f1 ALTER TABLE c ADD CONSTRAINT f4 FOREIGN KEY (i) REFERENCES p");
    assert_eq!(agree(&w, &["pending"], id), ["f2", "f3", "f4"]);
    c.ok("ROLLBACK");
    assert_eq!(agree(&w, &["rolled back"], id), ["f1", "f2", "f3"]);
    c.ok("BEGIN TRAN ALTER TABLE c DROP CONSTRAINT f2 COMMIT");
    c.ok("EXEC sp_rename 'f3', 'f5', 'OBJECT'");
    assert_eq!(agree(&w, &["committed"], id), ["f1", "f5"]);
    c.ok("USE master");
    drop(c);
    w = w.restart();
    let mut c = w.connect_to("d");
    let id = c.connection.session_id();
    assert_eq!(agree(&w, &["read again"], id), ["f1", "f5"]);
    c.ok("DROP TABLE c");
    assert_eq!(agree(&w, &["dropped"], id), ["f5"]);
    assert!(c.rows("DROP TABLE p").starts_with("Msg 3726, "));
}
