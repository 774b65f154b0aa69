package shop;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/** One server for all test classes: the binary that TAFFRAIL_BINARY names, or the one of PATH. */
public final class TaffrailServer implements BeforeAllCallback, CloseableResource {
    static final String USER = "sa";
    static final String PASSWORD = "Example-only-1!";
    private static final AtomicInteger MADE = new AtomicInteger();
    private static String address;

    private Process process;
    private Path data;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        var store = context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL);
        if (store.get(TaffrailServer.class) == null) {
            start();
            store.put(TaffrailServer.class, this);
        }
    }

    private void start() throws IOException {
        data = Files.createTempDirectory("taffrail-");
        String binary = System.getenv().getOrDefault("TAFFRAIL_BINARY", "taffrail");
        var builder = new ProcessBuilder(binary, "serve", "--data", data.toString(), "--listen", "127.0.0.1:0",
                "--admin-listen", "off", "--console", "off");
        builder.environment().put("TAFFRAIL_SA_PASSWORD", PASSWORD);
        process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        BufferedReader said = process.inputReader();
        String line = said.readLine();
        if (line == null) {
            throw new IOException("the server did not start");
        }
        address = line.replaceFirst(".* tds=(\\S+) .*", "$1");
    }

    @Override
    public void close() throws Exception {
        process.destroy();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        try (var files = Files.walk(data)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** The URL of a new database. */
    static String newDatabase() throws SQLException {
        String name = "test_" + MADE.incrementAndGet();
        try (Connection master = DriverManager.getConnection(url("master"), USER, PASSWORD)) {
            master.createStatement().execute("CREATE DATABASE " + name);
        }
        return url(name);
    }

    private static String url(String database) {
        return "jdbc:sqlserver://" + address + ";databaseName=" + database + ";trustServerCertificate=true";
    }
}
