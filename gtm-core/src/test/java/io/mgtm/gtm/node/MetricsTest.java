package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.GroupMode;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.testing.Await;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators and Prometheus see. */
class MetricsTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whatHappensIsCounted(int ioThreads) throws Exception {
    try (TestGtm gtm = TestGtm.in(folder).ioThreads(ioThreads).withMetrics().start()) {
      RawClient client = gtm.backend();
      client.commit(client.begin());
      client.begin();
      client.prepare(client.begin(), "P");
      client.createSequence("d.s", 1, 1, 2, 1, false);
      client.next("d.s");
      client.next("d.s");
      client.call(RawClient.nextFrame("d.s")).error();
      gtm.backend().send(RequestFrame.of('?')).read();
      RawClient left = gtm.backend();
      left.send(RequestFrame.terminate());
      assertThat(left.isClosedByServer()).isTrue();
      // Gauges are set now and then, all at once: the sequence came last of what they tell.
      Await.until("the gauges have been set", () -> gtm.gauge("mgtm_sequences") == 1);
      assertThat(gtm.metric("mgtm_gxid_next")).isEqualTo(10_003);
      assertThat(gtm.metric("mgtm_transactions_open")).isEqualTo(2);
      assertThat(gtm.metric("mgtm_transactions_prepared")).isEqualTo(1);
      assertThat(gtm.metric("mgtm_nodes")).isZero();
      Await.until("two have left", () -> gtm.gauge("mgtm_connections_closed_total") == 2);
      assertThat(gtm.metric("mgtm_connections_opened_total")).isEqualTo(3);
      assertThat(gtm.metric("mgtm_protocol_errors_total")).isEqualTo(1);
      assertThat(gtm.metric("mgtm_rejections_total{reason=\"SEQUENCE_EXHAUSTED\"}")).isEqualTo(1);
      assertThat(requests(gtm, MessageType.TXN_BEGIN_GETGXID)).isEqualTo(3);
      assertThat(requests(gtm, MessageType.TXN_COMMIT)).isEqualTo(1);
      assertThat(requests(gtm, MessageType.SEQUENCE_GET_NEXT)).isEqualTo(3);
      assertThat(gtm.metric("mgtm_log_bytes_total")).isGreaterThan(100);
      assertThat(gtm.metric("mgtm_log_forces_total")).isGreaterThan(0);
      assertThat(gtm.get("/metrics", 200))
          .contains("mgtm_requests_seconds_bucket{type=\"TXN_COMMIT\",le=\"2.0E-5\"}")
          .contains("# HELP mgtm_requests_seconds");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = GroupMode.class,
      names = {"FIFO", "TOTAL"})
  void aMemberOfAGroupTimesEachMessageAndItsForces(GroupMode mode) throws Exception {
    try (TestGtm gtm = TestGtm.in(folder).aloneInAGroup(mode).withMetrics().start()) {
      RawClient client = gtm.backend();
      client.commit(client.begin());
      client.createSequence("d.s", 1, 1, 2, 1, false);
      Await.until("the commit to be timed", () -> gtm.gauge(timed(MessageType.TXN_COMMIT)) == 1);
      assertThat(requests(gtm, MessageType.TXN_BEGIN_GETGXID)).isEqualTo(1);
      assertThat(requests(gtm, MessageType.SEQUENCE_INIT)).isEqualTo(1);
      assertThat(gtm.metric("mgtm_link_commands_total")).isEqualTo(3);
      assertThat(gtm.metric("mgtm_log_bytes_total")).isGreaterThan(100);
      assertThat(gtm.metric("mgtm_log_forces_total")).isGreaterThan(0);
      assertThat(gtm.metric("mgtm_log_force_seconds_total")).isGreaterThan(0);
      assertThat(gtm.metric("mgtm_log_segments")).isEqualTo(1);
    }
  }

  private static String timed(MessageType type) {
    return "mgtm_requests_seconds_count{type=\"" + type + "\"}";
  }

  private static double requests(TestGtm gtm, MessageType type) throws Exception {
    return gtm.metric(timed(type));
  }

  @Test
  void healthIsUpAndOnlyGetIsAnswered() throws Exception {
    try (TestGtm gtm = TestGtm.in(folder).withMetrics().start()) {
      assertThat(gtm.get("/health", 200)).isEqualTo("{\"status\":\"up\"}\n");
      assertThat(gtm.http("POST", "/health").statusCode()).isEqualTo(405);
      assertThat(gtm.http("GET", "/nothing").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void statusTellsHowTheNodeStandsAndWhoIsRegistered() throws Exception {
    try (TestGtm gtm = TestGtm.in(folder).withMetrics().start()) {
      Await.until("the first tick", () -> gtm.http("GET", "/status").statusCode() == 200);
      assertThat(gtm.get("/status", 200))
          .contains("\"mode\":\"single\"", "\"role\":\"leader\"", "\"gateways\":[]", "\"nodes\":[");
    }
  }

  /** Requests that never end, in their head or in their body, keep nobody else waiting for long. */
  @Test
  void requestsThatNeverEndAreCutOff() throws Exception {
    try (TestGtm gtm = TestGtm.in(folder).withMetrics().start()) {
      int port = gtm.server().metricsAddress().getPort();
      List<Socket> stuck = new ArrayList<>();
      for (String text :
          List.of(
              "GET /hea",
              "GET /health HTTP/1.1\r\nHost: x\r\n",
              "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc",
              "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc")) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        stuck.add(socket);
      }
      assertThat(gtm.get("/health", 200)).contains("up");
      for (Socket socket : stuck) {
        socket.close();
      }
    }
  }
}
