import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

/** Java's JdbcCatalog and SQE share one SQLite file. */
public class SqeJdbcCatalogTests {
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final Namespace NS = Namespace.of("a", "b");

  @Test
  public void bothCatalogsSeeEachOthersTablesAndViews() throws Exception {
    Connection connection = new Connection();
    try (RESTCatalog sqe = connection.open("sqe", Map.of());
        JdbcCatalog jdbc = new JdbcCatalog()) {
      sqe.createNamespace(NS, new HashMap<>(Map.of("owner", "ann")));
      jdbc.initialize(
          "lake",
          Map.of(
              "uri", "jdbc:sqlite:" + connection.home() + "/catalog.db",
              "warehouse", connection.home() + "/warehouse",
              "jdbc.schema-version", "V1"));
      TableIdentifier ours = TableIdentifier.of(NS, "ours");
      TableIdentifier theirs = TableIdentifier.of(NS, "theirs");
      TableIdentifier view = TableIdentifier.of(NS, "v");
      sqe.createTable(ours, SCHEMA);
      jdbc.createTable(theirs, SCHEMA);
      sqe.buildView(view).withSchema(SCHEMA).withDefaultNamespace(NS).withQuery("spark", "select 1 id").create();

      assertThat(jdbc.loadNamespaceMetadata(NS)).containsEntry("owner", "ann");
      assertThat(jdbc.listTables(NS)).containsExactlyInAnyOrder(ours, theirs);
      assertThat(sqe.listTables(NS)).containsExactlyInAnyOrder(ours, theirs);
      assertThat(jdbc.listViews(NS)).containsExactly(view);
      assertThat(jdbc.loadView(view).sqlFor("spark").sql()).isEqualTo("select 1 id");

      Table table = jdbc.loadTable(ours);
      table.updateSchema().addColumn("more", Types.StringType.get()).commit();
      assertThat(sqe.loadTable(ours).schema().findField("more")).isNotNull();
      sqe.loadTable(theirs).updateProperties().set("by", "sqe").commit();
      assertThat(jdbc.loadTable(theirs).properties()).containsEntry("by", "sqe");
    }
  }
}
