import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Types;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** mssql-jdbc against a running server: HOST PORT PASSWORD WORKLOADS. */
public class JdbcClient {
    static void check(String name, Object got, Object expected) {
        if (!String.valueOf(got).equals(String.valueOf(expected))) {
            System.err.println("FAILED " + name + ": got " + got + ", expected " + expected);
            System.exit(1);
        }
        System.out.println("ok " + name);
    }

    static List<List<List<Object>>> runScript(Connection connection, String file, int rows) throws Exception {
        String text = Files.readString(Path.of(file)).replace("$(rows)", Integer.toString(rows));
        List<List<List<Object>>> sets = new ArrayList<>();
        for (String batch : text.split("(?im)^\\s*go\\s*$")) {
            if (batch.isBlank()) continue;
            try (Statement statement = connection.createStatement()) {
                boolean rowsNext = statement.execute(batch);
                while (rowsNext || statement.getUpdateCount() != -1) {
                    if (rowsNext) sets.add(all(statement.getResultSet()));
                    rowsNext = statement.getMoreResults();
                }
            }
        }
        return sets;
    }

    static List<List<Object>> all(ResultSet results) throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        while (results.next()) {
            List<Object> row = new ArrayList<>();
            for (int i = 1; i <= results.getMetaData().getColumnCount(); i++) row.add(results.getObject(i));
            rows.add(row);
        }
        return rows;
    }

    public static void main(String[] args) throws Exception {
        String base = "jdbc:sqlserver://" + args[0] + ":" + args[1] + ";user=sa;password=" + args[2]
            + ";trustServerCertificate=true;loginTimeout=20;";
        for (String encrypt : new String[] {"true", "false"}) {
            try (Connection c = DriverManager.getConnection(base + "encrypt=" + encrypt);
                    Statement s = c.createStatement(); ResultSet r = s.executeQuery("SELECT 1")) {
                check("select 1, encrypt=" + encrypt, all(r), "[[1]]");
            }
        }
        try (Connection connection = DriverManager.getConnection(base + "encrypt=true")) {
            check("is valid", connection.isValid(5), true);
            check("product", connection.getMetaData().getDatabaseProductName(), "Microsoft SQL Server");
            try (Statement s = connection.createStatement()) {
                s.execute("CREATE DATABASE JdbcTest");
                s.execute("USE JdbcTest");
                s.execute("CREATE TABLE t (id int IDENTITY PRIMARY KEY, v nvarchar(50), n decimal(20,4), d datetime2(7))");
                s.execute("CREATE PROCEDURE twice @n int, @out int OUTPUT AS SET @out = @n * 2 RETURN 3");
            }
            // The same statement four times: sp_executesql, then sp_prepexec, then sp_execute.
            try (PreparedStatement p = connection.prepareStatement(
                    "INSERT INTO t (v, n, d) VALUES (?, ?, ?)", Statement.RETURN_GENERATED_KEYS)) {
                for (int i = 1; i <= 4; i++) {
                    p.setString(1, "row " + i);
                    p.setBigDecimal(2, new BigDecimal("12345678.9012"));
                    p.setTimestamp(3, java.sql.Timestamp.valueOf("2026-11-21 10:11:12.1234567"));
                    check("insert " + i, p.executeUpdate(), 1);
                    try (ResultSet keys = p.getGeneratedKeys()) {
                        check("generated key " + i, all(keys), "[[" + i + "]]");
                    }
                }
            }
            try (PreparedStatement p = connection.prepareStatement("SELECT v, n, d FROM t WHERE id = ?")) {
                for (int i = 1; i <= 4; i++) {
                    p.setInt(1, i);
                    try (ResultSet r = p.executeQuery()) {
                        check("select " + i, all(r), "[[row " + i + ", 12345678.9012, 2026-11-21 10:11:12.1234567]]");
                    }
                }
            }
            try (CallableStatement call = connection.prepareCall("{? = call twice(?, ?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(2, 21);
                call.registerOutParameter(3, Types.INTEGER);
                call.execute();
                check("procedure", call.getInt(1) + " " + call.getInt(3), "3 42");
            }
            connection.setAutoCommit(false);
            try (Statement s = connection.createStatement()) {
                s.executeUpdate("INSERT t (v) VALUES ('gone')");
                connection.rollback();
                check("update count", s.executeUpdate("UPDATE t SET v = v + '!' WHERE id <= 3"), 3);
                connection.commit();
                try (ResultSet r = s.executeQuery("SELECT COUNT(*), MIN(v) FROM t")) {
                    check("transactions", all(r), "[[4, row 1!]]");
                }
                connection.commit();
            }
            connection.setAutoCommit(true);
            try (Statement s = connection.createStatement()) {
                s.execute("CREATE TABLE large (id int, x xml, tx text, nt ntext, im image)");
                String text = "t".repeat(9000), wide = "n\u00e4".repeat(5000);
                try (PreparedStatement p = connection.prepareStatement("INSERT large VALUES (?, ?, ?, ?, ?)")) {
                    ParameterMetaData m = p.getParameterMetaData();
                    check("parameters' types", m.getParameterTypeName(1) + m.getParameterTypeName(2) + m.getParameterTypeName(3), "intxmltext");
                    SQLXML xml = connection.createSQLXML();
                    xml.setString("<a><b>1</b></a>");
                    p.setInt(1, 1);
                    p.setSQLXML(2, xml);
                    p.setString(3, text);
                    p.setNString(4, wide);
                    p.setBytes(5, new byte[9000]);
                    check("large values", p.executeUpdate(), 1);
                }
                try (ResultSet r = s.executeQuery("SELECT x, tx, nt, im FROM large")) {
                    r.next();
                    check("xml", r.getSQLXML(1).getString(), "<a><b>1</b></a>");
                    check("text, ntext, image", r.getString(2).equals(text) + " " + r.getNString(3).equals(wide) + " " + r.getBytes(4).length, "true true 9000");
                    List<String> types = new ArrayList<>();
                    for (int i = 1; i <= 4; i++) types.add(r.getMetaData().getColumnTypeName(i));
                    check("types of large columns", types, "[xml, text, ntext, image]");
                }
                try (ResultSet r = s.executeQuery("SELECT {fn UCASE('a')}, {fn CONCAT('a', 'b')}, {d '2026-11-22'}")) {
                    check("escapes", all(r), "[[A, ab, 2026-11-22 00:00:00.0]]");
                }
                try (ResultSet r = connection.getMetaData().getColumns(null, "dbo", "large", "x")) {
                    r.next();
                    check("metadata of columns", r.getString("TYPE_NAME"), "xml");
                }
                s.execute("CREATE PROCEDURE described @a int, @b nvarchar(20) OUTPUT AS SET @b = CONVERT(nvarchar(20), @a)");
                try (ResultSet r = connection.getMetaData().getProcedureColumns(null, "dbo", "described", "%")) {
                    List<String> names = new ArrayList<>();
                    while (r.next()) names.add(r.getString("COLUMN_NAME") + " " + r.getString("TYPE_NAME"));
                    check("metadata of procedures", names, "[@RETURN_VALUE int, @a int, @b nvarchar]");
                }
            }
            try (Statement s = connection.createStatement()) {
                s.execute("SELECT 1/0");
                s.getResultSet().next();
                check("division by zero", "no error", 8134);
            } catch (SQLException e) {
                check("division by zero", e.getErrorCode(), 8134);
            }
            try (Statement s = connection.createStatement()) {
                s.setQueryTimeout(1);
                long began = System.currentTimeMillis();
                try {
                    s.execute("DECLARE @i int = 0 WHILE 1 = 1 SET @i = @i + 1");
                    check("query timeout", "no error", "an error");
                } catch (SQLException e) {
                    check("query timeout", System.currentTimeMillis() - began < 5000, true);
                }
            }
            String folder = args[3];
            List<List<List<Object>>> sets = runScript(connection, folder + "/while-loop.sql", 500);
            check("while loop", sets.get(0) + " " + sets.get(1), "[[500, 1, 500]] [[500]]");
            sets = runScript(connection, folder + "/delayed-durability.sql", 0);
            check("delayed durability", sets.get(sets.size() - 2), "[[1100, 1, 1100]]");
            sets = runScript(connection, folder + "/customer.sql", 2000);
            check("customer", sets.get(0) + " " + sets.get(2) + " " + sets.get(4), "[[2000]] [[2000]] [[0]]");
        }
        try (Connection c = DriverManager.getConnection(base.replace(args[2], "wrong") + "encrypt=true")) {
            check("wrong password", "let in", 18456);
        } catch (SQLException e) {
            check("wrong password", e.getErrorCode(), 18456);
        }
    }
}
