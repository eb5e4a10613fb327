package io.mgtm.ha.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.Header;
import io.javalin.http.HttpStatus;
import io.mgtm.ha.node.ClusterView;
import jakarta.servlet.ServletOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code GET /v1/events/stream}: server-sent events. A stream keeps its thread of the server. */
final class StreamRoute {
  private static final Logger log = LoggerFactory.getLogger(StreamRoute.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TYPE = "text/event-stream; charset=utf-8";
  private static final String LAST = "Last-Event-ID";

  private final EventStreams streams;
  private final Supplier<ClusterView> view;
  private String status = "";
  private long statusNanos;

  StreamRoute(EventStreams streams, Supplier<ClusterView> view) {
    this.streams = streams;
    this.view = view;
  }

  void serve(Context ctx) throws IOException {
    String last = ctx.header(LAST) == null ? ctx.queryParam("after") : ctx.header(LAST);
    long after = last == null ? streams.newest() : ApiServer.number(last, LAST);
    boolean wantsStatus = "true".equals(ctx.queryParam("status"));
    if (ctx.method().equals(HandlerType.HEAD)) {
      ctx.contentType(TYPE);
      return;
    }
    if (!streams.enter()) {
      ctx.status(HttpStatus.SERVICE_UNAVAILABLE)
          .header(Header.RETRY_AFTER, "10")
          .json(
              Map.of(
                  "error",
                  "%d streams are read already; ask /v1/events?after=N now and then"
                      .formatted(EventStreams.STREAMS_MAX)));
      return;
    }
    try {
      ctx.contentType(TYPE)
          .header(Header.CACHE_CONTROL, "no-store")
          .header("X-Accel-Buffering", "no");
      // Not through the compression, which would hold messages back.
      ServletOutputStream out = ctx.res().getOutputStream();
      streams.send(
          after,
          wantsStatus ? this::status : null,
          JSON::writeValueAsString,
          text -> {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
          });
    } catch (IOException e) {
      log.debug("A stream of events has ended", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      streams.leave();
    }
  }

  /** The status without events, the same for all who ask at about the same time. */
  private synchronized String status() throws IOException {
    long now = System.nanoTime();
    if (status.isEmpty() || now - statusNanos > EventStreams.STATUS_MS * 200_000) {
      ObjectNode tree = JSON.valueToTree(view.get());
      tree.withObject("/state").remove("events");
      status = JSON.writeValueAsString(tree);
      statusNanos = now;
    }
    return status;
  }
}
