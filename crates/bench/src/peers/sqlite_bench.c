/* SQLite under the same loops, embedded, with prepared statements: DIR WORK ROWS. Prints seconds, one line a figure. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *db;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void run(const char *sql) {
    char *e = 0;
    if (sqlite3_exec(db, sql, 0, 0, &e) != SQLITE_OK) { fprintf(stderr, "%s: %s\n", sql, e); exit(1); }
}
static void timed(const char *sql) { double t = now(); run(sql); printf("%.6f\n", now() - t); }

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    char path[4096], sql[4096];
    snprintf(path, sizeof path, "%s/sqlite.db", argv[1]);
    int rows = atoi(argv[3]);
    if (sqlite3_open(path, &db) != SQLITE_OK) return 1;
    run("PRAGMA journal_mode = WAL; PRAGMA cache_size = -262144");
    run(strcmp(argv[2], "relaxed") ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
    if (!strcmp(argv[2], "customer")) {
        run("PRAGMA wal_autocheckpoint = 0; DROP TABLE IF EXISTS customer; DROP TABLE IF EXISTS customer_tmp;"
            "CREATE TABLE customer (c_id int, c_d_id int, c_w_id int, c_first, c_middle, c_last, c_street_1, c_street_2, c_city,"
            " c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt int,"
            " c_delivery_cnt int, c_data, PRIMARY KEY (c_w_id, c_d_id, c_id)) WITHOUT ROWID;"
            "CREATE TABLE customer_tmp AS SELECT * FROM customer");
        snprintf(sql, sizeof sql,
            "WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < %d) INSERT INTO customer SELECT"
            " i %% 3000 + 1, i / 3000 %% 10 + 1, i / 30000 + 1, printf('First%%-11d', i), 'OE', 'BARBARBAR       ', printf('%%-20s', 'Street one'),"
            " printf('%%-20s', 'Street two'), printf('%%-20s', 'Springfield'), 'CA', '123411111', '0123456789012345', '2009-02-09 13:13:00', 'GC', 50000.00, 0.1234, -10.00, 10.00, 1, 0,"
            " printf('%%-500s', replace(hex(zeroblob(7)), '00', 'Data of a customer, WITH CAPITALS. Data of a customer, WITH CAPITALS. ')) FROM s", rows - 1);
        run(sql);
        run("PRAGMA wal_checkpoint(TRUNCATE)");
        timed("INSERT INTO customer_tmp SELECT * FROM customer"); run("PRAGMA wal_checkpoint(TRUNCATE)");
        timed("UPDATE customer SET c_data = lower(c_data)"); run("PRAGMA wal_checkpoint(TRUNCATE)");
        timed("DELETE FROM customer WHERE c_id > 0");
        return 0;
    }
    run("DROP TABLE IF EXISTS mytable; CREATE TABLE mytable (id integer PRIMARY KEY AUTOINCREMENT, sometext varchar(10), moretext varchar(50))");
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, "INSERT INTO mytable (sometext, moretext) VALUES (?, ?)", -1, &s, 0) != SQLITE_OK) return 1;
    int one = !strcmp(argv[2], "transaction");
    double t = now();
    if (one) run("BEGIN");
    for (int i = rows; i > 0; i--) {
        char a[32], b[64];
        int n = snprintf(a, sizeof a, "Num:%d", i), m = snprintf(b, sizeof b, "%d bottles of beer on the wall", i);
        sqlite3_bind_text(s, 1, a, n, SQLITE_STATIC);
        sqlite3_bind_text(s, 2, b, m, SQLITE_STATIC);
        if (sqlite3_step(s) != SQLITE_DONE) { fprintf(stderr, "%s\n", sqlite3_errmsg(db)); return 1; }
        sqlite3_reset(s);
    }
    if (one) run("COMMIT");
    printf("%.6f\n", now() - t);
    return 0;
}
