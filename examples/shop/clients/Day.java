import com.microsoft.sqlserver.jdbc.SQLServerDataTable;
import com.microsoft.sqlserver.jdbc.SQLServerPreparedStatement;
import java.math.BigDecimal;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/** A till of the shop in Java (mssql-jdbc): HOST PORT USER PASSWORD ORDERS. Orders go in as a table, in transactions of the client's. */
public class Day {
    static final int DEADLOCK = 1205;
    static final long PATIENCE = 60_000; // milliseconds that a server may be away
    static String url, user, password;
    static Connection connection;
    static int again = 0;

    interface Work<T> {
        T run() throws SQLException;
    }

    static void connect() throws Exception {
        long until = System.currentTimeMillis() + PATIENCE;
        while (true) {
            try {
                connection = DriverManager.getConnection(url, user, password);
                return;
            } catch (SQLException e) {
                if (System.currentTimeMillis() > until) throw e;
                Thread.sleep(200);
            }
        }
    }

    /** Work in one transaction; again where a deadlock or a lost connection has ended it. */
    static <T> T ask(Work<T> work) throws Exception {
        while (true) {
            try {
                connection.setAutoCommit(false);
                T result = work.run();
                connection.commit();
                return result;
            } catch (SQLException e) {
                boolean lost = e.getSQLState() != null && e.getSQLState().startsWith("08") || connection.isClosed();
                if (e.getErrorCode() != DEADLOCK && !lost) throw e;
                again++;
                if (lost) connect();
                else connection.rollback();
            }
        }
    }

    static List<String> column(String sql) throws Exception {
        return ask(() -> {
            List<String> values = new ArrayList<>();
            try (Statement s = connection.createStatement(); ResultSet r = s.executeQuery(sql)) {
                while (r.next()) values.add(r.getString(1));
            }
            return values;
        });
    }

    static int place(int customer, String reference, SQLServerDataTable lines) throws Exception {
        String sql = "SET NOCOUNT ON; DECLARE @id int; EXEC sales.PlaceOrder ?, ?, ?, NULL, @id OUTPUT; SELECT @id";
        return ask(() -> {
            try (SQLServerPreparedStatement s = (SQLServerPreparedStatement) connection.prepareStatement(sql)) {
                s.setInt(1, customer);
                s.setStructured(2, "sales.OrderLineList", lines);
                s.setString(3, reference);
                try (ResultSet r = s.executeQuery()) {
                    r.next();
                    return r.getInt(1);
                }
            }
        });
    }

    static int reserve(int id) throws Exception {
        return ask(() -> {
            try (CallableStatement s = connection.prepareCall("{? = call sales.ReserveOrder(?)}")) {
                s.registerOutParameter(1, Types.INTEGER);
                s.setInt(2, id);
                s.execute();
                return s.getInt(1);
            }
        });
    }

    /** Claims, ships and bills in one transaction: a task is done, or it is in the queue. */
    static boolean pick(int warehouse) throws Exception {
        return ask(() -> {
            int id;
            try (CallableStatement s = connection.prepareCall("{call stock.ClaimPickTask(?, ?, ?)}")) {
                s.setInt(1, warehouse);
                s.setString(2, "java");
                s.registerOutParameter(3, Types.INTEGER);
                s.execute();
                id = s.getInt(3);
                if (s.wasNull()) return false;
            }
            for (String procedure : List.of("sales.ShipOrder", "sales.InvoiceOrder")) {
                try (CallableStatement s = connection.prepareCall("{call " + procedure + "(?)}")) {
                    s.setInt(1, id);
                    s.execute();
                }
            }
            try (PreparedStatement s = connection.prepareStatement("SELECT State, NetAmount FROM sales.OrderOverview WHERE SalesOrderId = ?")) {
                s.setInt(1, id);
                try (ResultSet r = s.executeQuery()) {
                    r.next();
                    if (!r.getString(1).equals("I") || r.getBigDecimal(2).compareTo(BigDecimal.ZERO) <= 0)
                        throw new IllegalStateException("order " + id + " in state " + r.getString(1));
                }
            }
            return true;
        });
    }

    public static void main(String[] arguments) throws Exception {
        url = "jdbc:sqlserver://" + arguments[0] + ":" + arguments[1] + ";databaseName=Shop;encrypt=true;trustServerCertificate=true;loginTimeout=5";
        user = arguments[2];
        password = arguments[3];
        int orders = Integer.parseInt(arguments[4]), reserved = 0, billed = 0;
        connect();
        String day = column("SELECT CONVERT(char(8), ref.CurrentDay(), 112)").get(0);
        List<String> customers = column("SELECT CustomerNumber FROM party.Customer WHERE Active = 1 ORDER BY CustomerNumber");
        List<String> goods = column("SELECT Sku FROM catalog.Product WHERE Discontinued = 0 AND Sku NOT LIKE 'KIT%' ORDER BY Sku");
        for (int n = 1; n <= orders; n++) {
            SQLServerDataTable lines = new SQLServerDataTable();
            lines.addColumnMetadata("LineNumber", Types.INTEGER);
            lines.addColumnMetadata("Sku", Types.VARCHAR);
            lines.addColumnMetadata("Quantity", Types.DECIMAL);
            lines.addColumnMetadata("DiscountPercent", Types.DECIMAL);
            for (int k = 0; k <= n % 3; k++)
                lines.addRow(k + 1, goods.get((13 * n + 7 * k) % goods.size()), new BigDecimal(1 + (n + k) % 5), null);
            int id = place(Integer.parseInt(customers.get((7 * n) % customers.size())), "JV-" + day + "-" + n, lines);
            String state = column("SELECT State FROM sales.SalesOrder WHERE SalesOrderId = " + id).get(0);
            if (state.equals("N") && reserve(id) == 0) reserved++;
        }
        for (int warehouse : new int[] {2, 1, 3}) while (pick(warehouse)) billed++;
        System.out.println("java: " + orders + " placed, " + reserved + " reserved, " + billed + " billed, " + again + " asked again");
    }
}
