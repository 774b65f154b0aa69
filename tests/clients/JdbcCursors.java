import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** mssql-jdbc's server cursors against a running server: HOST PORT PASSWORD. */
public class JdbcCursors {
    static void check(String name, Object got, Object expected) {
        if (!String.valueOf(got).equals(String.valueOf(expected))) {
            System.err.println("FAILED " + name + ": got " + got + ", expected " + expected);
            System.exit(1);
        }
        System.out.println("ok " + name);
    }

    static final int ROWS = 300;

    /** The ids of what is left, each with its name's length. */
    static String left(ResultSet r) throws SQLException {
        int n = 0;
        long sum = 0;
        while (r.next()) {
            n++;
            sum += r.getInt(1);
        }
        return n + " " + sum;
    }

    public static void main(String[] args) throws Exception {
        String base = "jdbc:sqlserver://" + args[0] + ":" + args[1] + ";user=sa;password=" + args[2]
            + ";encrypt=false;trustServerCertificate=true;loginTimeout=20;";
        try (Connection c = DriverManager.getConnection(base + "selectMethod=cursor")) {
            try (Statement s = c.createStatement()) {
                s.execute("CREATE TABLE #t (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL, d decimal(9,2) NULL)");
                s.execute("INSERT #t SELECT value, IIF(value % 7 = 0, NULL, CONCAT(N'n', value)), value / 4.0"
                    + " FROM GENERATE_SERIES(1, " + ROWS + ")");
            }
            forward(c);
            prepared(c);
            direct(c);
            scrolls(c);
            errors(c);
        }
        try (Connection c = DriverManager.getConnection(base)) {
            changes(c);
            // Scrollable result sets have server cursors whatever the method.
            try (Statement s = c.createStatement()) {
                s.execute("CREATE TABLE #t (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL, d decimal(9,2) NULL)");
                s.execute("INSERT #t SELECT value, CONCAT(N'n', value), value / 4.0 FROM GENERATE_SERIES(1, " + ROWS + ")");
            }
            scrolls(c);
        }
    }

    static void forward(Connection c) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("SELECT id, name, d FROM #t ORDER BY id")) {
            check("columns", r.getMetaData().getColumnCount(), 3);
            check("first", r.next() + " " + r.getInt(1) + " " + r.getString(2) + " " + r.getBigDecimal(3), "true 1 n1 0.25");
            check("rest", left(r), (ROWS - 1) + " " + (ROWS * (ROWS + 1) / 2 - 1));
        }
        try (Statement s = c.createStatement()) {
            s.setFetchSize(7);
            try (ResultSet r = s.executeQuery("SELECT id FROM #t"); Statement other = c.createStatement()) {
                // Other statements run between two fetches, and other cursors are open.
                int n = 0;
                while (r.next()) {
                    n++;
                    if (n % 100 == 0) {
                        try (ResultSet inner = other.executeQuery("SELECT COUNT(*) FROM #t WHERE id < " + n)) {
                            inner.next();
                            check("inner " + n, inner.getInt(1), n - 1);
                        }
                    }
                }
                check("by sevens", n, ROWS);
            }
            try (ResultSet r = s.executeQuery("SELECT id FROM #t WHERE id < 0")) {
                check("no row", r.next(), false);
            }
            try (ResultSet r = s.executeQuery("SELECT name, COUNT(*) AS n FROM #t GROUP BY name HAVING COUNT(*) > 1")) {
                check("groups", r.next() + " " + r.getString(1) + " " + r.getInt("n") + " " + r.next(), "true null 42 false");
            }
        }
    }

    static void prepared(Connection c) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("SELECT id, name FROM #t WHERE id > ? AND id <= ? ORDER BY id DESC")) {
            for (int from = 0; from < 4; from++) {
                p.setInt(1, from * 50);
                p.setInt(2, from * 50 + 3);
                try (ResultSet r = p.executeQuery()) {
                    check("prepared " + from, left(r), "3 " + (from * 150 + 6));
                }
            }
        }
        // An answer that is not read to its end.
        try (PreparedStatement p = c.prepareStatement("SELECT id FROM #t WHERE id > ?")) {
            p.setFetchSize(10);
            p.setInt(1, 5);
            try (ResultSet r = p.executeQuery()) {
                r.next();
                check("left early", r.getInt(1), 6);
            }
            p.setInt(1, 298);
            try (ResultSet r = p.executeQuery()) {
                check("again", left(r), "2 599");
            }
        }
    }

    /** Texts of which no cursor is made. */
    static void direct(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            check("update", s.executeUpdate("UPDATE #t SET d = d + 1 WHERE id <= 10"), 10);
            check("several", s.execute("UPDATE #t SET d = d - 1 WHERE id <= 10; SELECT TOP (3) id FROM #t ORDER BY id"), false);
            check("count", s.getUpdateCount(), 10);
            check("more", s.getMoreResults(), true);
            try (ResultSet r = s.getResultSet()) {
                check("rows", left(r), "3 6");
            }
            s.execute("CREATE OR ALTER PROCEDURE #p @n int AS SELECT id FROM #t WHERE id <= @n RETURN 7");
        }
        try (CallableStatement call = c.prepareCall("{? = call #p(?)}")) {
            call.registerOutParameter(1, java.sql.Types.INTEGER);
            call.setInt(2, 4);
            try (ResultSet r = call.executeQuery()) {
                check("procedure", left(r), "4 10");
            }
            check("status", call.getInt(1), 7);
        }
    }

    static void scrolls(Connection c) throws SQLException {
        int[] concurrencies = {ResultSet.CONCUR_READ_ONLY, ResultSet.CONCUR_UPDATABLE};
        for (int type : new int[] {ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.TYPE_SCROLL_SENSITIVE}) {
            for (int concurrency : concurrencies) {
                if (type == ResultSet.TYPE_SCROLL_INSENSITIVE && concurrency == ResultSet.CONCUR_UPDATABLE) continue;
                try (Statement s = c.createStatement(type, concurrency)) {
                    s.setFetchSize(16);
                    try (ResultSet r = s.executeQuery("SELECT id, name FROM #t ORDER BY id")) {
                        String what = type + "/" + concurrency + " ";
                        check(what + "last", r.last() + " " + r.getInt(1) + " " + r.getRow(), "true 300 300");
                        check(what + "absolute", r.absolute(17) + " " + r.getInt(1) + " " + r.getRow(), "true 17 17");
                        check(what + "relative", r.relative(-16) + " " + r.getInt(1), "true 1");
                        check(what + "previous", r.previous() + " " + r.isBeforeFirst(), "false true");
                        check(what + "next", r.next() + " " + r.getInt(1) + " " + r.isFirst(), "true 1 true");
                        check(what + "from the end", r.absolute(-2) + " " + r.getInt(1), "true 299");
                        check(what + "beyond", r.absolute(400) + " " + r.isAfterLast(), "false true");
                        int n = 0;
                        for (r.afterLast(); r.previous();) n += r.getInt(1);
                        check(what + "backwards", n, ROWS * (ROWS + 1) / 2);
                        check(what + "first", r.first() + " " + r.getString(2), "true n1");
                    }
                }
            }
        }
    }

    /** The types of result sets that are changed through: forward only, keyset and dynamic; with locks and without. */
    static void changes(Connection c) throws SQLException {
        final int forward = ResultSet.TYPE_FORWARD_ONLY, keyset = 1005, dynamic = 1006;
        final int optimistic = ResultSet.CONCUR_UPDATABLE, locks = 1009, values = 1010;
        try (Statement s = c.createStatement()) {
            s.execute("CREATE TABLE changed (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL, d decimal(9,2) NULL)");
        }
        for (int type : new int[] {forward, keyset, dynamic}) {
            for (int concurrency : new int[] {optimistic, locks, values}) {
                String what = "changes " + type + "/" + concurrency + " ";
                try (Statement s = c.createStatement()) {
                    s.execute("TRUNCATE TABLE changed; INSERT changed SELECT value, CONCAT(N'n', value), value FROM GENERATE_SERIES(1, 20)");
                }
                try (Statement s = c.createStatement(type, concurrency);
                        ResultSet r = s.executeQuery("SELECT id, name AS called, d FROM changed")) {
                    check(what + "is", r.getConcurrency() == concurrency, true);
                    for (int n = 1; n <= 3; n++) r.next();
                    check(what + "third", r.getInt(1) + " " + r.getString(2), "3 n3");
                    r.updateString("called", "three");
                    r.updateBigDecimal(3, new java.math.BigDecimal("33.50"));
                    r.updateRow();
                    r.next();
                    r.deleteRow();
                    r.next();
                    check(what + "fifth", r.getInt(1), 5);
                    r.moveToInsertRow();
                    r.updateInt(1, 21);
                    r.updateString(2, "new");
                    r.insertRow();
                    r.moveToCurrentRow();
                    if (type != forward) {
                        try (Statement other = c.createStatement()) {
                            other.execute("UPDATE changed SET name = N'seen' WHERE id = 6");
                        }
                        check(what + "sixth", r.next() + " " + r.getString(2), "true n6");
                        r.refreshRow();
                        check(what + "refreshed", r.getString(2), "seen");
                        check(what + "first", r.first() + " " + r.getInt(1), "true 1");
                        check(what + "last", r.last() + " " + r.getInt(1), type == keyset ? "true 20" : "true 21");
                        check(what + "previous", r.previous() + " " + r.getInt(1), type == keyset ? "true 19" : "true 20");
                        r.updateString(2, "near the end");
                        r.updateRow();
                    }
                }
                try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(
                        "SELECT CONCAT(COUNT(*), ' ', SUM(id), ' ', MAX(IIF(id = 3, CONCAT(name, d), '')), ' ', MAX(IIF(id = 21, name, ''))) FROM changed")) {
                    r.next();
                    check(what + "in the table", r.getString(1), "20 227 three33.50 new");
                }
            }
        }
        // A row that somebody else has changed in the meantime. Row by row: one that was fetched ahead is shown as it was then.
        try (Statement s = c.createStatement(keyset, optimistic); Statement other = c.createStatement()) {
            s.setFetchSize(1);
            try (ResultSet r = s.executeQuery("SELECT id, name FROM changed")) {
                r.next();
                other.execute("UPDATE changed SET name = N'theirs' WHERE id = 1");
                r.updateString(2, "ours");
                try {
                    r.updateRow();
                    check("a lost row", "none", "16947");
                } catch (SQLException e) {
                    check("a lost row", e.getErrorCode(), 16947);
                }
                r.cancelRowUpdates();
                other.execute("DELETE changed WHERE id = 2");
                check("a hole", r.next() + " " + r.rowDeleted(), "true true");
            }
        }
        // A result that cannot be changed through.
        try (Statement s = c.createStatement(keyset, optimistic); ResultSet r = s.executeQuery("SELECT name, COUNT(*) AS n FROM changed GROUP BY name")) {
            r.next();
            r.updateString(1, "x");
            r.updateRow();
            check("groups are changed", "yes", "no");
        } catch (SQLException e) {
            check("groups are changed", "no", "no");
        }
        try (Statement s = c.createStatement()) {
            s.execute("DROP TABLE changed");
        }
    }

    static void errors(Connection c) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("SELECT id FROM #nowhere")) {
            check("an error", "none", "208");
        } catch (SQLException e) {
            check("an error", e.getErrorCode(), 208);
        }
        try (Statement s = c.createStatement()) {
            s.setFetchSize(2);
            try (ResultSet r = s.executeQuery("SELECT 10 / (3 - id) FROM #t ORDER BY id")) {
                r.next();
                r.next();
                check("before the error", r.getInt(1), 10);
                r.next();
                check("the error", "none", "8134");
            } catch (SQLException e) {
                check("the error", e.getErrorCode(), 8134);
            }
        }
    }
}
