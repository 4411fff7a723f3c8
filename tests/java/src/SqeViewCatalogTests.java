import java.util.Map;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.view.ViewCatalogTests;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Iceberg's suite for view catalogs, against SQE's REST endpoint over its embedded catalog. */
public class SqeViewCatalogTests extends ViewCatalogTests<RESTCatalog> {
  private Connection connection;
  private RESTCatalog catalog;

  @BeforeEach
  void open() {
    connection = new Connection();
    catalog =
        connection.open(
            "sqe",
            Map.of(
                "view-default.key1", "catalog-default-key1",
                "view-default.key2", "catalog-default-key2",
                "view-default.key3", "catalog-default-key3",
                "view-override.key3", "catalog-override-key3",
                "view-override.key4", "catalog-override-key4"));
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
  protected Catalog tableCatalog() {
    return catalog;
  }

  @Override
  protected String viewLocation(String... paths) {
    return connection.location(String.join("/", paths));
  }

  @Override
  protected boolean requiresNamespaceCreate() {
    return true;
  }

  @Override
  protected boolean supportsServerSideRetry() {
    return true;
  }
}
