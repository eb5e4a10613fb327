package io.mgtm.common;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is answered at which path. Complete before it is asked; then any thread. */
final class HttpRoutes {
  private static final Logger log = LoggerFactory.getLogger(HttpRoutes.class);

  private final Map<String, Route> routes = new LinkedHashMap<>();

  /** Answers a request with its parameters; what it throws is told with 503. */
  interface Handler {
    HttpAnswer of(Map<String, String> parameters) throws IOException;
  }

  private record Route(HttpMethod method, Handler handler) {}

  void add(HttpMethod method, String path, Handler handler) {
    routes.put(path, new Route(method, handler));
  }

  /** Answers a request, which may take as long as its page does. */
  HttpAnswer answer(HttpMethod method, String uri) {
    try {
      QueryStringDecoder decoded = new QueryStringDecoder(uri);
      String path = decoded.path();
      Route route = routes.get(path);
      if (route == null) {
        return HttpAnswer.error(
            404,
            "there is no %s; there are %s".formatted(path, String.join(", ", routes.keySet())));
      }
      if (!route.method().equals(method)) {
        return HttpAnswer.error(405, "%s is asked for by %s".formatted(path, route.method()))
            .with("Allow", route.method().name());
      }
      Map<String, String> parameters = new LinkedHashMap<>();
      decoded.parameters().forEach((name, values) -> parameters.put(name, values.get(0)));
      return route.handler().of(parameters);
    } catch (IOException e) {
      return HttpAnswer.error(503, String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      return HttpAnswer.error(400, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      log.error("{} {} failed", method, uri, e);
      return HttpAnswer.error(500, e.toString());
    }
  }
}
