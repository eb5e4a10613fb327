package io.mgtm.gtm.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.GtmServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands that ask a GTM, against one in this process. */
class ClientCommandsTest {
  @TempDir private Path folder;
  private GtmServer server;
  private GtmClient client;

  private record Result(int status, String out, String err) {}

  @BeforeEach
  void start() throws IOException {
    server = GtmServer.start(GtmConfig.at(folder, new HostPort("127.0.0.1", 0)));
    client = GtmClient.connect(server.address());
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  private static Result run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = GtmMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int status = line.execute(arguments);
    return new Result(status, out.toString(), err.toString());
  }

  private Result ask(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--at", "127.0.0.1:" + server.address().getPort()));
    return run(all.toArray(String[]::new));
  }

  private JsonNode json(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    Result result = ask(all.toArray(String[]::new));
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isZero();
    assertThat(result.out()).endsWith("\n").doesNotContain("\n{");
    return new ObjectMapper().readTree(result.out());
  }

  @Test
  void statusShowsGxidsLimitsAndWhatIsOpen() throws IOException {
    int open = client.begin();
    int prepared = client.begin();
    client.startPrepare(prepared, "gid-1", "c1,d1");
    client.prepare(prepared);
    client.createSequence(GtmClient.sequenceKey("db.public.s"));
    client.register(new NodeAddress(NodeType.COORDINATOR, "c1", "", "10.0.0.1", 5432, "/d"));

    JsonNode status = json("status");
    assertThat(status.get("nextGxid").asLong()).isEqualTo(prepared + 1);
    assertThat(status.get("oldestGxid").asLong()).isEqualTo(open);
    assertThat(status.get("openTransactions").asInt()).isEqualTo(2);
    assertThat(status.get("preparedTransactions").asInt()).isOne();
    assertThat(status.get("sequences").asInt()).isOne();
    assertThat(status.get("answerMs").asDouble()).isPositive();
    JsonNode limits = status.get("limits");
    assertThat(limits.get("wrapGxid").asLong()).isEqualTo(open + (1L << 31));
    assertThat(limits.get("untilStop").asLong())
        .isEqualTo(limits.get("stopGxid").asLong() - prepared - 1);
    assertThat(limits.get("untilWarn").asLong()).isLessThan(limits.get("untilStop").asLong());
    assertThat(status.get("nodes").get(0).get("connected").asBoolean()).isTrue();

    assertThat(ask("status").out())
        .contains("next gxid       10002")
        .contains("transactions    2 open, 1 of them prepared")
        .contains("nodes           1 registered, 1 connected")
        .contains("coordinator c1 at 10.0.0.1:5432, connected");
  }

  @Test
  void aNewClusterIsHalfTheSpaceBeforeTheWrap() throws IOException {
    JsonNode limits = json("status").get("limits");
    assertThat(limits.get("untilWrap").asLong()).isEqualTo(1L << 31);
    assertThat(limits.get("untilStop").asLong()).isEqualTo((1L << 31) - 1_000_000);
    assertThat(ask("status").out()).contains("ids wrap at     2147493648, 2,147,483,648 from here");
  }

  @Test
  void transactionsAndPreparedOnesAreListed() throws IOException {
    assertThat(ask("txns").out()).isEqualTo("no open transactions\n");
    assertThat(ask("prepared").out()).isEqualTo("no prepared transactions\n");
    int open = client.begin();
    int prepared = client.begin();
    client.startPrepare(prepared, "gid 2", "c1,d1");
    client.prepare(prepared);

    JsonNode list = json("txns").get("transactions");
    assertThat(list).hasSize(2);
    assertThat(list.get(0).get("gxid").asLong()).isEqualTo(open);
    assertThat(list.get(0).get("state").asText()).isEqualTo("starting");
    assertThat(list.get(1).get("state").asText()).isEqualTo("prepared");
    JsonNode only = json("prepared").get("prepared");
    assertThat(only).hasSize(1);
    assertThat(only.get(0).get("gid").asText()).isEqualTo("gid 2");
    assertThat(only.get(0).get("nodes").asText()).isEqualTo("c1,d1");
    assertThat(ask("prepared").out()).isEqualTo("GXID   GID    NODES\n10001  gid 2  c1,d1\n");
  }

  @Test
  void sequencesAreListedAndDroppedByTheNamesThatPeopleWrite() throws IOException {
    String key = GtmClient.sequenceKey("db.public.größe");
    client.createSequence(key);
    client.nextValue(key);
    client.nextValue(key);
    JsonNode sequence = json("sequences").get("sequences").get(0);
    assertThat(sequence.get("name").asText()).isEqualTo("db.public.größe");
    assertThat(sequence.get("value").asLong()).isEqualTo(2);
    assertThat(sequence.get("called").asBoolean()).isTrue();

    assertThat(json("drop-sequence", "db.public.größe").get("dropped").asText())
        .isEqualTo("db.public.größe");
    assertThat(client.sequences()).isEmpty();
    Result again = ask("drop-sequence", "db.public.größe");
    assertThat(again.status()).isOne();
    assertThat(again.err())
        .isEqualTo("mgtm: sequence \"db.public.größe\" does not exist at the GTM\n");
  }

  @Test
  void nodesAreListedAndUnregistered() throws IOException {
    client.register(new NodeAddress(NodeType.DATANODE, "d1", "p1", "10.0.0.2", 5433, "/d1"));
    JsonNode node = json("nodes").get("nodes").get(0);
    assertThat(node.get("type").asText()).isEqualTo("datanode");
    assertThat(node.get("proxy").asText()).isEqualTo("p1");
    assertThat(ask("nodes").out()).contains("datanode  d1    10.0.0.2  5433  p1     yes");
    assertThat(ask("unregister-node", "--type", "datanode", "d1").status()).isZero();
    assertThat(client.nodes()).isEmpty();
    Result again = ask("unregister-node", "--type", "datanode", "d1");
    assertThat(again.err()).isEqualTo("mgtm: node \"d1\" is not registered\n");
    assertThat(again.status()).isOne();
  }

  @Test
  void barriersAreListed() throws IOException {
    client.barrier("before the change");
    JsonNode barrier = json("barriers").get("barriers").get(0);
    assertThat(barrier.get("id").asText()).isEqualTo("before the change");
    assertThat(barrier.get("nextGxid").asLong()).isEqualTo(10_000);
    assertThat(barrier.get("time").asText()).matches("20\\d\\d-.*Z");
    assertThat(ask("barriers").out()).contains("before the change  10000");
  }

  @Test
  void theOldestGxidMovesTheLimits() throws IOException {
    client.commit(client.begin());
    client.commit(client.begin());
    long before = json("status").get("limits").get("stopGxid").asLong();
    JsonNode moved = json("advance-oldest", "--gxid", "10001");
    assertThat(moved.get("oldestGxid").asLong()).isEqualTo(10_001);
    assertThat(moved.get("stopGxid").asLong()).isEqualTo(before + 1);
    Result back = ask("advance-oldest", "--gxid", "10000");
    assertThat(back.status()).isOne();
    assertThat(back.err()).startsWith("mgtm: the oldest gxid cannot become 10000: it must lie");
    assertThat(ask("advance-oldest", "--gxid", "4294967296").err())
        .startsWith("mgtm: --gxid: 4294967296 is not allowed");
  }

  @Test
  void aGtmThatIsNotThereIsToldInOneLine() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    Result result = run("status", "--at", "127.0.0.1:" + free);
    assertThat(result.status()).isOne();
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .isEqualTo(
            "mgtm: cannot connect to the GTM at 127.0.0.1:" + free + ": Connection refused\n");
    assertThat(run("status", "--at", "no.such.host.invalid:1").err())
        .isEqualTo(
            "mgtm: cannot connect to the GTM at no.such.host.invalid:1: the host name is not"
                + " known\n");
  }

  @Test
  void whatIsWrongWithTlsIsToldWithTheAddress() throws IOException {
    try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answers = new Thread(() -> answerInTheClear(plain));
      answers.start();
      String at = "127.0.0.1:" + plain.getLocalPort();
      assertThat(run("status", "--tls", "--at", at).err())
          .startsWith("mgtm: no TLS with the GTM at " + at + ": it speaks in the clear")
          .hasLineCount(1);
    }
  }

  private static void answerInTheClear(ServerSocket plain) {
    try (Socket client = plain.accept()) {
      client.getInputStream().read();
      client.getOutputStream().write("ERROR in the clear".getBytes(UTF_8));
      client.getInputStream().readAllBytes();
    } catch (IOException e) {
      // The test ends it.
    }
  }

  @Test
  void aServerThatNeverAnswersIsGivenUp() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Result result =
          run("status", "--timeout-ms", "200", "--at", "127.0.0.1:" + silent.getLocalPort());
      assertThat(result.status()).isOne();
      assertThat(result.err().lines()).hasSize(1);
      assertThat(result.err()).contains("did not answer").contains("200 ms");
    }
    assertThat(ask("status", "--timeout-ms", "0").err())
        .startsWith("mgtm: --timeout-ms: 0 is not allowed, expected 1 to 3600000; see mgtm gtm");
  }

  @Test
  void wrongArgumentsAreToldInOneLine() {
    assertThat(run("frobnicate").err())
        .isEqualTo("mgtm: unknown argument frobnicate; see mgtm gtm --help\n");
    assertThat(run("status", "--at", "6666").err())
        .startsWith("mgtm: Invalid value for option '--at': \"6666\" is no address")
        .endsWith("; see mgtm gtm status --help\n");
    assertThat(run("advance-oldest").status()).isOne();
    assertThat(run("status", "--help").status()).isZero();
  }
}
