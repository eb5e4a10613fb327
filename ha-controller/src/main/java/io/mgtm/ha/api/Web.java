package io.mgtm.ha.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.config.JavalinConfig;
import io.mgtm.common.HostPort;
import io.mgtm.common.ListenErrors;
import io.mgtm.common.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a controller's HTTP is spoken: the addresses, TLS, and how much a stranger may take of it.
 *
 * <p>On loopback it is spoken in the clear, and over TLS as well where that is set; elsewhere over
 * TLS alone where that is set.
 */
final class Web {
  private static final Logger log = LoggerFactory.getLogger(Web.class);
  private static final String LOOPBACK = "127.0.0.1";
  static final int CONNECTIONS_MAX = 128;

  /** Accepted and on their way to a place. */
  private static final int ACCEPTED_MAX = 2 * CONNECTIONS_MAX;

  /** One for each connection, whose reader may be slow, and Jetty's own. */
  static final int THREADS_MAX = CONNECTIONS_MAX + 16;

  private static final int THREADS_MIN = 4;
  private static final int THREAD_IDLE_MS = 60_000;
  private static final int HEADER_BYTES_MAX = 8192;
  private static final int IDLE_MS = 30_000;

  private final List<HostPort> clear = new ArrayList<>();
  private final List<HostPort> encrypted = new ArrayList<>();
  private final Optional<SslContextFactory.Server> tls;
  private final ConnectionPlaces places = new ConnectionPlaces(CONNECTIONS_MAX);

  private Web(Optional<SslContextFactory.Server> tls) {
    this.tls = tls;
  }

  /**
   * What serves an address, and this machine.
   *
   * @throws IOException when the address cannot be listened on, or the files of TLS cannot be used
   */
  static Web at(HostPort address, TlsFiles files) throws IOException {
    InetAddress host = ListenErrors.resolve("ports.api", address).getAddress();
    ListenErrors.tryOut("ports.api", address);
    Web web = new Web(files.certificate() == null ? Optional.empty() : Optional.of(context(files)));
    boolean loopback = host.isLoopbackAddress();
    if (loopback || web.tls.isEmpty()) {
      web.clear.add(address);
    } else {
      web.encrypted.add(address);
    }
    if (!loopback && !host.isAnyLocalAddress()) {
      HostPort here = new HostPort(LOOPBACK, address.port());
      try {
        ListenErrors.tryOut("ports.api", here);
        web.clear.add(here);
      } catch (IOException e) {
        log.warn("Operators on this machine must ask at {}: {}", address, e.getMessage());
      }
    }
    return web;
  }

  private static SslContextFactory.Server context(TlsFiles files) throws IOException {
    SslContextFactory.Server context = new SslContextFactory.Server();
    context.setSslContext(files.server(TlsFiles.VERSION).context());
    context.setIncludeProtocols(TlsFiles.VERSION);
    // A token does as well.
    context.setWantClientAuth(files.trust() != null);
    return context;
  }

  /** Whether operators elsewhere ask over TLS. */
  boolean encrypts() {
    return tls.isPresent();
  }

  int connections() {
    return places.taken().size();
  }

  /** Has Javalin serve so. */
  void configure(JavalinConfig config) {
    // Who may ask what is looked up by the path: a resource has one alone.
    config.router.ignoreTrailingSlashes = false;
    QueuedThreadPool threads = new QueuedThreadPool(THREADS_MAX, THREADS_MIN, THREAD_IDLE_MS);
    threads.setName("mgtm-http");
    threads.setDaemon(true);
    config.jetty.threadPool = threads;
    clear.forEach(at -> config.jetty.addConnector((server, http) -> inTheClear(server, http, at)));
    encrypted.forEach(at -> config.jetty.addConnector((server, http) -> overTls(server, http, at)));
    config.jetty.modifyServer(
        server -> {
          server.setErrorHandler(new JsonErrors());
          server.addBean(new NetworkConnectionLimit(ACCEPTED_MAX, server));
          server.addBean(new RequestTime(server, IDLE_MS));
        });
    config.jetty.modifyServletContextHandler(context -> context.setErrorHandler(new JsonErrors()));
  }

  private ServerConnector inTheClear(Server server, HttpConfiguration http, HostPort at) {
    HttpConnectionFactory plain = new HttpConnectionFactory(limited(http));
    if (tls.isEmpty()) {
      return connector(server, at, plain);
    }
    HttpConfiguration secure = secure(http);
    DetectorConnectionFactory either =
        new DetectorConnectionFactory(new SslConnectionFactory(tls.get(), plain.getProtocol()));
    return connector(server, at, either, new HttpConnectionFactory(secure));
  }

  private ServerConnector overTls(Server server, HttpConfiguration http, HostPort at) {
    HttpConnectionFactory plain = new HttpConnectionFactory(secure(http));
    return connector(server, at, new SslConnectionFactory(tls.get(), plain.getProtocol()), plain);
  }

  private static HttpConfiguration limited(HttpConfiguration http) {
    HttpConfiguration limited = new HttpConfiguration(http);
    limited.setRequestHeaderSize(HEADER_BYTES_MAX);
    limited.setSendServerVersion(false);
    limited.setIdleTimeout(IDLE_MS);
    return limited;
  }

  /** Clients connect to addresses, and check the certificate themselves. */
  private static HttpConfiguration secure(HttpConfiguration http) {
    HttpConfiguration secure = limited(http);
    secure.addCustomizer(new SecureRequestCustomizer(false));
    return secure;
  }

  private ServerConnector connector(Server server, HostPort at, ConnectionFactory... factories) {
    ServerConnector connector = new ServerConnector(server, factories);
    connector.setHost(at.host());
    connector.setPort(at.port());
    connector.setIdleTimeout(IDLE_MS);
    places.add(connector);
    return connector;
  }

  /** What Jetty refuses by itself. */
  private static final class JsonErrors extends ErrorHandler {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public boolean errorPageForMethod(String method) {
      return true;
    }

    @Override
    protected void generateResponse(
        Request request,
        Response response,
        int code,
        String message,
        Throwable cause,
        Callback callback)
        throws JsonProcessingException {
      String told = code >= 500 || message == null ? "status " + code : Audit.clean(message);
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
      response.write(
          true, ByteBuffer.wrap(JSON.writeValueAsBytes(Map.of("error", told))), callback);
    }
  }
}
