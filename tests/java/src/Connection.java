import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.rest.RESTCatalog;

/** A new, empty catalog of the server under test: it keeps one for every bearer token. */
final class Connection {
  private final String token = UUID.randomUUID().toString();

  RESTCatalog open(String name, Map<String, String> more) {
    Map<String, String> properties = new HashMap<>();
    properties.put("uri", System.getProperty("sqe.uri"));
    properties.put("token", token);
    properties.put("token-refresh-enabled", "false");
    properties.putAll(more);
    RESTCatalog catalog = new RESTCatalog();
    catalog.initialize(name, properties);
    return catalog;
  }

  /** Requested locations must be inside the warehouse. */
  String location(String path) {
    return "file:" + home() + "/warehouse/asked/" + path;
  }

  /** Where the server keeps this catalog. */
  String home() {
    return System.getProperty("sqe.homes") + "/" + token;
  }
}
