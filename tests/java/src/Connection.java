import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.rest.RESTCatalog;

/**
 * A new, empty catalog of the server under test. The plain one keeps a catalog for every bearer
 * token; the one that plays Polaris has an admin address, where a catalog is made by its name.
 */
final class Connection {
  private static final String ADMIN = System.getProperty("sqe.admin");
  private final String name = UUID.randomUUID().toString();

  Connection() {
    if (ADMIN != null) {
      admin("add_catalog", "{\"name\": \"" + name + "\"}");
      admin(
          "grant",
          "{\"role\": \"admin\", \"catalog\": \"" + name + "\","
              + " \"privileges\": [\"CATALOG_MANAGE_CONTENT\"]}");
    }
  }

  RESTCatalog open(String as, Map<String, String> more) {
    Map<String, String> properties = new HashMap<>();
    properties.put("uri", System.getProperty("sqe.uri"));
    properties.put("token", ADMIN == null ? name : System.getProperty("sqe.token"));
    properties.put("token-refresh-enabled", "false");
    if (ADMIN != null) {
      properties.put("warehouse", name);
    }
    properties.putAll(more);
    RESTCatalog catalog = new RESTCatalog();
    catalog.initialize(as, properties);
    return catalog;
  }

  /** Requested locations must be inside the warehouse. */
  String location(String path) {
    return "file:" + home() + "/warehouse/asked/" + path;
  }

  /** Where the server keeps this catalog. */
  String home() {
    return System.getProperty("sqe.homes") + "/" + name;
  }

  private static void admin(String method, String arguments) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(ADMIN + "/" + method))
            .POST(HttpRequest.BodyPublishers.ofString(arguments))
            .build();
    try {
      HttpResponse<String> answer =
          HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build().send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(answer.body());
      }
    } catch (java.io.IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
