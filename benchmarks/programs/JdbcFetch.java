import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;

/** Trino's JDBC driver: texts in, one a line; seconds and rows out, every value read. */
public class JdbcFetch {
    public static void main(String[] arguments) throws Exception {
        BufferedReader texts = new BufferedReader(new InputStreamReader(System.in));
        try (Connection connection = DriverManager.getConnection(arguments[0], "bench", null)) {
            for (String text; (text = texts.readLine()) != null; ) {
                long started = System.nanoTime();
                long rows = 0;
                try (Statement statement = connection.createStatement();
                        ResultSet result = statement.executeQuery(text)) {
                    int width = result.getMetaData().getColumnCount();
                    for (; result.next(); rows++) {
                        for (int i = 1; i <= width; i++) {
                            result.getObject(i);
                        }
                    }
                }
                double seconds = (System.nanoTime() - started) / 1e9;
                System.out.println("[" + seconds + ", " + rows + "]");
            }
        }
    }
}
