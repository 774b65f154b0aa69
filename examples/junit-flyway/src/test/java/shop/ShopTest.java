package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import org.flywaydb.core.Flyway;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.exception.ConstraintViolationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Flyway makes the schema of a new database for each test, Hibernate compares it with the entities and works on it. */
@ExtendWith(TaffrailServer.class)
class ShopTest {
    private String url;
    private SessionFactory sessions;

    @BeforeEach
    void migrate() throws Exception {
        url = TaffrailServer.newDatabase();
        assertEquals(2, flyway().migrate().migrationsExecuted);
        sessions = new Configuration()
                .addAnnotatedClass(Customer.class)
                .addAnnotatedClass(Order.class)
                .setProperty("hibernate.connection.url", url)
                .setProperty("hibernate.connection.username", TaffrailServer.USER)
                .setProperty("hibernate.connection.password", TaffrailServer.PASSWORD)
                .setProperty("hibernate.hbm2ddl.auto", "validate")
                .buildSessionFactory();
    }

    @AfterEach
    void close() {
        if (sessions != null) {
            sessions.close();
        }
    }

    private Flyway flyway() {
        return Flyway.configure()
                .dataSource(url, TaffrailServer.USER, TaffrailServer.PASSWORD)
                .load();
    }

    private long customers() {
        return sessions.fromSession(s -> s.createQuery("select count(c) from Customer c", Long.class).getSingleResult());
    }

    @Test
    void rowsComeBack() {
        sessions.inTransaction(s -> s.persist(new Customer("Müller").with("12.50").with("7.25")));
        sessions.inTransaction(s -> {
            Customer c = s.createQuery("from Customer where name like 'M%'", Customer.class).getSingleResult();
            assertEquals("Müller", c.name);
            assertEquals(2, c.orders.size());
            c.orders.forEach(o -> assertNotNull(o.placed));
            c.orders.removeIf(o -> o.amount.compareTo(BigDecimal.TEN) > 0);
        });
        BigDecimal total = sessions.fromSession(
                s -> s.createQuery("select sum(o.amount) from Order o", BigDecimal.class).getSingleResult());
        assertEquals(new BigDecimal("7.25"), total);
    }

    @Test
    void pages() {
        sessions.inTransaction(s -> {
            for (int n = 0; n < 100; n++) {
                s.persist(new Customer("c" + n).with(n + ".00"));
            }
        });
        var page = sessions.fromSession(s -> s
                .createQuery("select c.name from Customer c join c.orders o order by o.amount desc", String.class)
                .setFirstResult(10).setMaxResults(3).getResultList());
        assertEquals(java.util.List.of("c89", "c88", "c87"), page);
    }

    @Test
    void aTransactionIsRolledBack() {
        assertThrows(IllegalStateException.class, () -> sessions.inTransaction(s -> {
            s.persist(new Customer("gone"));
            s.flush();
            throw new IllegalStateException();
        }));
        assertEquals(0, customers());
    }

    @Test
    void aConstraintHasAName() {
        sessions.inTransaction(s -> s.persist(new Customer("twice")));
        var e = assertThrows(ConstraintViolationException.class,
                () -> sessions.inTransaction(s -> s.persist(new Customer("twice"))));
        assertEquals(2627, e.getErrorCode());
        assertTrue(e.getMessage().contains("uq_customers"), e.getMessage());
    }

    @Test
    void flywayValidates() {
        assertTrue(flyway().validateWithResult().validationSuccessful);
        assertEquals(0, flyway().migrate().migrationsExecuted);
        assertEquals("2", flyway().info().current().getVersion().toString());
    }
}
