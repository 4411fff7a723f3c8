import java.util.Map;
import org.apache.iceberg.catalog.CatalogTests;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.rest.RESTCatalog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Iceberg's suite for table catalogs, against SQE's REST endpoint over its embedded catalog. */
public class SqeCatalogTests extends CatalogTests<RESTCatalog> {
  private Connection connection;
  private RESTCatalog catalog;

  @BeforeEach
  void open() {
    connection = new Connection();
    catalog =
        connection.open(
            "sqe",
            Map.of(
                "table-default.default-key1", "catalog-default-key1",
                "table-default.default-key2", "catalog-default-key2",
                "table-default.override-key3", "catalog-default-key3",
                "table-override.override-key3", "catalog-override-key3",
                "table-override.override-key4", "catalog-override-key4"));
  }

  @AfterEach
  void close() throws Exception {
    catalog.close();
  }

  @Override
  protected RESTCatalog catalog() {
    return catalog;
  }

  @Override
  protected RESTCatalog initCatalog(String name, Map<String, String> properties) {
    return connection.open(name, properties);
  }

  @Override
  protected String baseTableLocation(TableIdentifier identifier) {
    return connection.location(identifier.namespace() + "/" + identifier.name());
  }

  @Override
  protected boolean requiresNamespaceCreate() {
    return true;
  }

  @Override
  protected boolean supportsNestedNamespaces() {
    return true;
  }

  @Override
  protected boolean supportsServerSideRetry() {
    return true;
  }
}
