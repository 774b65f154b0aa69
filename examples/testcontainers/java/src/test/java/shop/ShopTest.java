package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.testcontainers.mssqlserver.MSSQLServerContainer;
import org.testcontainers.utility.DockerImageName;

/** Tests of a small shop against SQL Server in a container: Flyway makes its schema, JDBC talks to it. */
class ShopTest {
    private static final String SQL_SERVER = "mcr.microsoft.com/mssql/server";
    private static final DockerImageName IMAGE = DockerImageName
            .parse(System.getenv().getOrDefault("MSSQL_IMAGE", SQL_SERVER + ":2022-latest"))
            .asCompatibleSubstituteFor(SQL_SERVER);
    private static MSSQLServerContainer server;

    private String url;
    private Connection connection;

    @BeforeAll
    static void start() {
        long began = System.nanoTime();
        server = new MSSQLServerContainer(IMAGE).acceptLicense();
        server.start();
        System.out.printf("ready after %.1f s%n", (System.nanoTime() - began) / 1e9);
    }

    @AfterAll
    static void stop() {
        server.stop();
    }

    private static void onMaster(String sql) throws SQLException {
        try (Connection master = server.createConnection("");
                Statement statement = master.createStatement()) {
            statement.execute(sql);
        }
    }

    private Flyway flyway() {
        return Flyway.configure().dataSource(url, server.getUsername(), server.getPassword()).cleanDisabled(false).load();
    }

    @BeforeEach
    void migrate() throws SQLException {
        onMaster("CREATE DATABASE shop");
        url = server.getJdbcUrl() + ";databaseName=shop";
        assertEquals(2, flyway().migrate().migrationsExecuted);
        connection = DriverManager.getConnection(url, server.getUsername(), server.getPassword());
    }

    @AfterEach
    void drop() throws SQLException {
        connection.close();
        onMaster("ALTER DATABASE shop SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE shop");
    }

    private long customer(String name) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT customers (name) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setNString(1, name);
            insert.executeUpdate();
            try (var keys = insert.getGeneratedKeys()) {
                assertTrue(keys.next());
                return keys.getLong(1);
            }
        }
    }

    private void order(long customer, String amount) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT orders (customer_id, amount) VALUES (?, ?)")) {
            insert.setLong(1, customer);
            insert.setBigDecimal(2, new BigDecimal(amount));
            insert.executeUpdate();
        }
    }

    private Object one(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            assertTrue(rows.next());
            return rows.getObject(1);
        }
    }

    @Test
    void rowsComeBack() throws SQLException {
        long id = customer("Müller");
        order(id, "12.50");
        order(id, "7.25");
        assertEquals("Müller", one("SELECT name FROM customers"));
        assertEquals(new BigDecimal("19.75"), one("SELECT SUM(amount) FROM orders"));
    }

    @Test
    void rowsInABatch() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT customers (name) VALUES (?)")) {
            for (int n = 0; n < 500; n++) {
                insert.setNString(1, "c" + n);
                insert.addBatch();
            }
            assertEquals(500, insert.executeBatch().length);
        }
        assertEquals("c99", one("SELECT MAX(name) FROM customers"));
    }

    @Test
    void aTransactionIsRolledBack() throws SQLException {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        customer("stays");
        Savepoint savepoint = connection.setSavepoint();
        customer("gone");
        connection.rollback(savepoint);
        connection.commit();
        customer("gone, too");
        connection.rollback();
        assertEquals(1, one("SELECT COUNT(*) FROM customers"));
    }

    @Test
    void errorsHaveNumbers() throws SQLException {
        customer("twice");
        var twice = assertThrows(SQLException.class, () -> customer("twice"));
        assertEquals(2627, twice.getErrorCode());
        assertTrue(twice.getMessage().contains("uq_customers"), twice.getMessage());
        assertEquals(547, assertThrows(SQLException.class, () -> order(99, "1")).getErrorCode());
        assertEquals(207, assertThrows(SQLException.class, () -> one("SELECT nothing FROM customers")).getErrorCode());
    }

    @Test
    void flywayValidatesAndCleans() throws SQLException {
        assertTrue(flyway().validateWithResult().validationSuccessful);
        assertEquals(0, flyway().migrate().migrationsExecuted);
        flyway().clean();
        assertEquals(0, one("SELECT COUNT(*) FROM sys.tables"));
        assertEquals(2, flyway().migrate().migrationsExecuted);
    }
}
