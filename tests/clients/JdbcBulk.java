import com.microsoft.sqlserver.jdbc.SQLServerBulkCopy;
import com.microsoft.sqlserver.jdbc.SQLServerBulkCopyOptions;
import com.microsoft.sqlserver.jdbc.SQLServerException;
import java.math.BigDecimal;
import java.sql.*;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.sql.RowSetMetaData;
import javax.sql.rowset.CachedRowSet;
import javax.sql.rowset.RowSetProvider;

/** mssql-jdbc's bulk copy against a running server: HOST PORT PASSWORD WORKLOADS. */
public class JdbcBulk {
    static void check(String name, Object got, Object expected) {
        if (!String.valueOf(got).equals(String.valueOf(expected))) {
            System.err.println("FAILED " + name + ": got " + got + ", expected " + expected);
            System.exit(1);
        }
        System.out.println("ok " + name);
    }

    static String one(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (r.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) row.add(r.getString(i));
                rows.add(row.toString());
            }
            return rows.toString();
        }
    }

    static final String COLUMNS = "i int NOT NULL, b bit, ti tinyint, si smallint, bi bigint, de decimal(20,4), nu numeric(9,2), "
            + "f float, r real, m money, sm smallmoney, vc varchar(20), nv nvarchar(20), ch char(5), nc nchar(5), vb varbinary(8), "
            + "bn binary(4), dt datetime, sd smalldatetime, d2 datetime2(7), d date, tm time(3), dto datetimeoffset(7), "
            + "g uniqueidentifier, vmax varchar(max), nmax nvarchar(max), vbmax varbinary(max)";

    public static void main(String[] a) throws Exception {
        String url = "jdbc:sqlserver://" + a[0] + ":" + a[1] + ";user=sa;password=" + a[2]
                + ";encrypt=true;trustServerCertificate=true;loginTimeout=20";
        try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement()) {
            s.execute("CREATE DATABASE JdbcBulk");
        }
        url += ";databaseName=JdbcBulk";
        final int n = 4000;
        try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement()) {
            s.execute("CREATE TABLE source (" + COLUMNS + ")");
            s.execute("CREATE TABLE target (" + COLUMNS + ")");
            c.setAutoCommit(false);
            try (PreparedStatement p = c.prepareStatement("INSERT INTO source VALUES (" + "?,".repeat(26) + "?)")) {
                for (int i = 0; i < n; i++) {
                    p.setInt(1, i);
                    for (int k = 2; k <= 27; k++) p.setNull(k, k == 16 || k == 17 || k == 27 ? Types.VARBINARY : Types.VARCHAR);
                    if (i % 7 != 3) {
                        p.setBoolean(2, i % 2 == 0);
                        p.setShort(3, (short) (i % 256));
                        p.setShort(4, (short) (i % 32768 - 16000));
                        p.setLong(5, i * 1_000_000_000_003L);
                        p.setBigDecimal(6, new BigDecimal(i).divide(new BigDecimal(16)));
                        p.setBigDecimal(7, new BigDecimal(i).divide(new BigDecimal(4)));
                        p.setDouble(8, i / 3.0);
                        p.setFloat(9, i / 8f);
                        p.setBigDecimal(10, new BigDecimal(i).divide(new BigDecimal(4)));
                        p.setBigDecimal(11, new BigDecimal(i).divide(new BigDecimal(4)));
                        p.setString(12, "text " + i);
                        p.setNString(13, "\u4f60\u597d " + i);
                        p.setString(14, "ab");
                        p.setNString(15, "\u00e4\u00f6");
                        p.setBytes(16, new byte[] {(byte) i, -1});
                        p.setBytes(17, new byte[] {1, 2, 3, (byte) i});
                        p.setTimestamp(18, Timestamp.valueOf("2026-11-21 10:11:12.123"));
                        p.setTimestamp(19, Timestamp.valueOf("2026-11-21 10:11:00"));
                        p.setTimestamp(20, Timestamp.valueOf("2026-11-21 10:11:12.1234567"));
                        p.setDate(21, Date.valueOf("0001-01-01"));
                        p.setString(22, "23:59:59.997");
                        p.setString(23, "2026-11-21 10:11:12.1234567 +02:00");
                        p.setString(24, "01234567-89AB-CDEF-0123-456789ABCDEF");
                        p.setString(25, "x".repeat(i % 6000));
                        p.setNString(26, "\u00fc\ud83d\ude00".repeat(i % 2000));
                        byte[] many = new byte[i % 9000];
                        Arrays.fill(many, (byte) i);
                        p.setBytes(27, many);
                    }
                    p.addBatch();
                    if (i % 200 == 199) p.executeBatch();
                }
                p.executeBatch();
            }
            c.commit();
            c.setAutoCommit(true);
        }
        String columns = COLUMNS.replaceAll(" (int NOT NULL|[a-z0-9]+(\\([0-9max,]+\\))?)(, |$)", ",").replaceAll(",$", "");
        try (Connection from = DriverManager.getConnection(url); Connection to = DriverManager.getConnection(url);
                Statement s = from.createStatement()) {
            SQLServerBulkCopyOptions options = new SQLServerBulkCopyOptions();
            options.setTableLock(true);
            options.setKeepNulls(true);
            options.setCheckConstraints(true);
            options.setBatchSize(1500);
            try (SQLServerBulkCopy bulk = new SQLServerBulkCopy(to); ResultSet r = s.executeQuery("SELECT * FROM source")) {
                bulk.setBulkCopyOptions(options);
                bulk.setDestinationTableName("dbo.target");
                bulk.writeToServer(r);
            }
            check("rows", one(to, "SELECT COUNT(*) FROM target"), "[[" + n + "]]");
            String there = one(from, "SELECT * FROM source ORDER BY i");
            String here = one(to, "SELECT * FROM target ORDER BY i");
            check("every value comes back", here.equals(there), true);
            check("with what it was", there.contains("text 3999") && there.length() > 10_000_000, true);
        }
        try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement()) {
            s.execute("CREATE TABLE d (id int IDENTITY(10,5) PRIMARY KEY, a int NOT NULL, s varchar(5) NULL DEFAULT 'dflt')");
            CachedRowSet rows = RowSetProvider.newFactory().createCachedRowSet();
            try (ResultSet r = s.executeQuery("SELECT 100 AS id, 1 AS a, CONVERT(varchar(5), NULL) AS s")) {
                rows.populate(r);
            }
            for (int keep = 0; keep < 3; keep++) {
                SQLServerBulkCopyOptions options = new SQLServerBulkCopyOptions();
                options.setKeepIdentity(keep == 1);
                options.setKeepNulls(keep == 2);
                try (SQLServerBulkCopy bulk = new SQLServerBulkCopy(c)) {
                    bulk.setBulkCopyOptions(options);
                    bulk.setDestinationTableName("d");
                    if (keep == 1) bulk.addColumnMapping("id", "id");
                    bulk.addColumnMapping("a", "a");
                    bulk.addColumnMapping("s", "s");
                    rows.beforeFirst();
                    bulk.writeToServer(rows);
                }
            }
            check("defaults, identities, NULLs", one(c, "SELECT * FROM d ORDER BY id"),
                    "[[10, 1, dflt], [100, 1, dflt], [105, 1, null]]");
            s.execute("CREATE TABLE k (id int NOT NULL CONSTRAINT pk PRIMARY KEY CONSTRAINT positive CHECK (id > 0), v varchar(3))");
            CachedRowSet twice = RowSetProvider.newFactory().createCachedRowSet();
            try (ResultSet r = s.executeQuery("SELECT i % 3000 + 1 AS id, 'abc' AS v FROM source")) {
                twice.populate(r);
            }
            try (SQLServerBulkCopy bulk = new SQLServerBulkCopy(c)) {
                bulk.setDestinationTableName("k");
                bulk.writeToServer(twice);
                check("duplicate key", "no error", "an error");
            } catch (SQLServerException e) {
                check("a duplicate key is 2627", e.getErrorCode(), 2627);
            }
            check("and leaves nothing", one(c, "SELECT COUNT(*) FROM k"), "[[0]]");
            // Inside a transaction.
            c.setAutoCommit(false);
            try (SQLServerBulkCopy bulk = new SQLServerBulkCopy(c); ResultSet r = s.executeQuery("SELECT 1 AS id, 'abc' AS v")) {
                CachedRowSet single = RowSetProvider.newFactory().createCachedRowSet();
                single.populate(r);
                bulk.setDestinationTableName("k");
                bulk.writeToServer(single);
            }
            check("seen inside", one(c, "SELECT COUNT(*) FROM k"), "[[1]]");
            c.rollback();
            c.setAutoCommit(true);
            check("rolled back", one(c, "SELECT COUNT(*) FROM k"), "[[0]]");
        }
        try (Connection c = DriverManager.getConnection(url + ";useBulkCopyForBatchInsert=true");
                PreparedStatement p = c.prepareStatement("INSERT INTO k (id, v) VALUES (?, ?)")) {
            for (int i = 1; i <= 5000; i++) {
                p.setInt(1, i);
                p.setString(2, "v" + i % 10);
                p.addBatch();
            }
            int[] counts = p.executeBatch();
            check("batch insert as bulk copy", counts.length, 5000);
            check("its rows", one(c, "SELECT COUNT(*), SUM(id), MAX(v) FROM k"), "[[5000, 12502500, v9]]");
            p.setInt(1, 1);
            p.setString(2, "dup");
            p.addBatch();
            try {
                p.executeBatch();
                check("batch with a duplicate", "no error", "an error");
            } catch (SQLException e) {
                check("a duplicate in a batch", e.getMessage().contains("Violation of PRIMARY KEY constraint"), true);
            }
            check("the connection goes on", one(c, "SELECT COUNT(*) FROM k"), "[[5000]]");
        }
        try (Connection from = DriverManager.getConnection(url); Connection to = DriverManager.getConnection(url);
                Statement s = from.createStatement()) {
            for (String table : new String[] {"large", "copied"})
                s.execute("CREATE TABLE " + table + " (id int, x xml, tx text, nt ntext, im image)");
            s.execute("INSERT large VALUES (1, '<a>1</a>', REPLICATE(CAST('t' AS varchar(max)), 9000), N'n\u00e4', 0x0102), (2, NULL, NULL, NULL, NULL)");
            try (ResultSet r = s.executeQuery("SELECT * FROM large"); SQLServerBulkCopy bulk = new SQLServerBulkCopy(to)) {
                bulk.setDestinationTableName("copied");
                bulk.writeToServer(r);
            }
            check("xml, text, ntext, image", one(to, "SELECT id, x, DATALENGTH(tx), nt, im FROM copied ORDER BY id"),
                "[[1, <a>1</a>, 9000, n\u00e4, 0102], [2, null, null, null, null]]");
        }
    }
}
