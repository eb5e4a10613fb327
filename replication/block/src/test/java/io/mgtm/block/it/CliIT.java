package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands as an operator types them. */
class CliIT {
  @TempDir Path folder;
  private VolumeProcess left;
  private VolumeProcess right;
  private int http;

  @BeforeEach
  void prepare() throws Exception {
    http = OwnAddress.port();
    right =
        new VolumeProcess(folder, "right", OwnAddress.port())
            .listening()
            .receiving()
            .with("--size", "8M");
    left =
        new VolumeProcess(folder, "left", 0)
            .listening()
            .with("--size", "8M", "--metrics", OwnAddress.HOST + ":" + http)
            .replica(right, "sync");
  }

  @AfterEach
  void close() {
    for (VolumeProcess volume : Arrays.asList(left, right)) {
      volume.close();
    }
  }

  private static Tools.Result on(VolumeProcess volume, String... command) {
    return volume.command(command);
  }

  private HttpResponse<String> get(String path) throws Exception {
    return VolumeProcess.get(OwnAddress.HOST + ":" + http, path);
  }

  @Test
  void aVolumeIsCreatedListedAndStarted() throws Exception {
    left.withoutKey();
    Tools.Result created =
        left.commandInAProcess(
            "create", "--name", "v1", "--file", left.file().toString(), "--size", "8M");
    assertThat(created.succeeded().output())
        .contains("volume v1 created in " + left.file())
        .containsPattern("link key, shown once: [0-9a-f]{64}");
    assertThat(Files.size(left.file())).isEqualTo(8 << 20);
    assertThat(left.commandInAProcess("list").succeeded().output()).contains("v1: not running");
    assertThat(on(left, "status", "--name", "v1").output()).contains("no agent answers");
    Tools.Result again =
        on(left, "create", "--name", "v1", "--file", left.file().toString(), "--size", "8M");
    assertThat(again.code()).isEqualTo(1);
    assertThat(again.output()).contains("exists already");
    for (String[] other : new String[][] {{"--size", "4M"}, {"--chunk-size", "128K"}}) {
      String socket = "unix:" + left.socket();
      Tools.Result refused =
          left.commandInAProcess(
              "start",
              "--name",
              "v1",
              "--file",
              left.file().toString(),
              "--listen",
              socket,
              other[0],
              other[1]);
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.output()).contains("start it without " + other[0]);
    }
    left.start();
    assertThat(on(left, "list").succeeded().output())
        .contains("v1: primary, UpToDate, NOT PROTECTED: no other copy is up to date, serving");
  }

  @Test
  void aVolumeThatCannotListenIsListedAllTheSame() throws Exception {
    try (ServerSocket taken = new ServerSocket(0)) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      String file = left.file().toString();
      Tools.Result refused =
          left.commandInAProcess(
              "start", "--name", "v1", "--file", file, "--size", "8M", "--listen", address);
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.output())
          .contains("mgtm: cannot listen on " + address, "choose another port with --listen");
    }
    assertThat(on(left, "list").succeeded().output()).contains("v1: not running");
  }

  @Test
  @Tag("long")
  void linksArePausedResumedComparedAndGrown() throws Exception {
    right.start();
    left.start();
    left.awaitUpToDate();
    String link = OwnAddress.HOST + ":" + right.receivePort;
    assertThat(on(left, "status", "--name", "v1").succeeded().output())
        .contains("v1: primary, UpToDate, serving, 8388608 bytes")
        .contains("link " + link + " (sync): Established, peer UpToDate");
    assertThat(on(left, "pause", "--name", "v1", "--replica", link).succeeded().output())
        .contains("replication is suspended");
    assertThat(left.linkState(0)).isEqualTo("paused");
    assertThat(on(left, "status", "--meta", left.file() + ".meta").succeeded().output())
        .startsWith("v1: primary, UpToDate, NOT PROTECTED")
        .contains("StandAlone, peer Unknown");
    Tools.Result misled = on(left, "resume", "--name", "v2", "--meta", left.file() + ".meta");
    assertThat(misled.output()).contains("serves volume v1, not v2");
    assertThat(on(left, "resume", "--name", "v1").succeeded().output()).contains("is resumed");
    left.awaitUpToDate();

    Files.write(right.file(), new byte[] {1}, StandardOpenOption.WRITE);
    on(left, "verify", "--name", "v1").succeeded();
    Await.until("verify ends", () -> !left.link(0).path("verify").path("running").asBoolean(true));
    assertThat(left.link(0).path("verify").path("mismatches").asInt()).isEqualTo(1);
    assertThat(on(left, "status", "--name", "v1").succeeded().output())
        .contains("verify: 1 chunk differs")
        .contains("UpToDate, VERIFY FOUND DIFFERENCES")
        .contains("65536 bytes at 0");
    on(left, "resync", "--name", "v1").succeeded();
    Await.until("equal again", () -> Files.mismatch(left.file(), right.file()) == -1);
    left.awaitUpToDate();
    assertThat(on(left, "status", "--name", "v1").succeeded().output())
        .doesNotContain("VERIFY FOUND")
        .contains("they were sent from here since");

    assertThat(on(left, "resize", "--name", "v1", "--size", "16M").succeeded().output())
        .contains("has 16777216 bytes");
    Await.until(
        "the replica has grown", () -> right.status().path("sizeBytes").asLong() == 16 << 20);
  }

  @Test
  void rolesChangeByCommand() throws Exception {
    right.start();
    left.start();
    left.awaitUpToDate();
    Tools.Result refused = on(right, "promote", "--name", "v1");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.output()).contains("is primary and connected");
    Tools.Result smaller = on(left, "resize", "--name", "v1", "--size", "4M");
    assertThat(smaller.code()).isEqualTo(1);
    assertThat(smaller.output()).contains("a volume of 8M cannot have 4M: it only grows");
    assertThat(on(left, "demote", "--name", "v1").succeeded().output())
        .contains("volume v1 is secondary here");
    assertThat(on(right, "promote", "--name", "v1").succeeded().output())
        .contains("volume v1 is primary here");
    JsonNode status =
        new ObjectMapper()
            .readTree(on(right, "status", "--name", "v1", "--json").succeeded().output());
    assertThat(status.path("role").asText()).isEqualTo("primary");
    assertThat(status.path("generations").size()).isEqualTo(2);
  }

  /** Each copy has links to the other: the replica's own says what is known of the primary. */
  @Test
  @Tag("long")
  void aReplicaTellsOfItsSourceByDrbdsWords() throws Exception {
    VolumeProcess b = right;
    VolumeProcess a = new VolumeProcess(folder, "left", OwnAddress.port()).listening().receiving();
    left = a.with("--size", "8M").replica(b, "sync");
    b.replica(a, "sync").start();
    a.start();
    a.ask("promote", "force", true);
    a.awaitUpToDate();
    Await.until(
        "its link says so",
        () ->
            on(b, "status", "--name", "v1")
                .succeeded()
                .output()
                .contains("Established, peer UpToDate (this side follows it)"));
    String host = b.status().path("nodeId").asText();
    assertThat(host).matches("[a-z][a-z0-9-]*-[0-9a-f]{16}");
    Files.writeString(
        b.known().resolve("v1"),
        b.file() + ".meta\n" + a.file() + ".meta\n" + folder.resolve("gone") + "\n");
    assertThat(on(b, "list").succeeded().output())
        .contains("v1: primary, UpToDate", "v1: secondary, UpToDate")
        .contains("its metadata directory " + folder.resolve("gone") + " is gone");
    Tools.Result which = on(b, "status", "--name", "v1");
    assertThat(which.code()).isEqualTo(1);
    assertThat(which.output()).contains("there are 2 copies of volume v1 here; give --meta");
  }

  @Test
  @Tag("long")
  void soManyClientsAndNoMore() throws Exception {
    VolumeProcess alone = new VolumeProcess(folder, "left", 0).listening();
    left = alone.with("--size", "8M", "--clients-max", "2").start();
    try (NbdClient first = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      NbdClient second = new NbdClient(left.socket(), VolumeProcess.VOLUME);
      assertThatThrownBy(() -> new NbdClient(left.socket(), VolumeProcess.VOLUME))
          .isInstanceOf(IOException.class);
      assertThat(left.tail())
          .contains("NBD client at " + left.socket())
          .contains("2 clients, as many as --clients-max lets in");
      assertThat(left.status().path("serving").asBoolean()).isTrue();
      second.close();
      Await.until("it is gone", () -> left.status().path("clients").asInt() == 1);
      try (NbdClient third = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
        assertThat(third.write(0, new byte[512], true)).isZero();
      }
      assertThat(first.read(0, 512)).hasSize(512);
    }
  }

  @Test
  void metricsAndHealthTellOfTheLink() throws Exception {
    right.start();
    left.start();
    left.awaitUpToDate();
    try (NbdClient client = new NbdClient(left.socket(), VolumeProcess.VOLUME)) {
      assertThat(client.write(0, new byte[4096], true)).isZero();
      on(left, "promote", "--name", "v1").succeeded();
      assertThat(client.read(0, 1)).as("who is primary keeps its clients").hasSize(1);
    }
    Await.until("health", () -> get("/health").statusCode() == 200);
    assertThat(get("/health").body()).isEqualTo("{\"status\":\"up\"}\n");
    Await.until("the write counts", () -> get("/metrics").body().contains("mgtm_volume_b"));
    assertThat(get("/metrics").body())
        .contains("mgtm_volume_requests_total{kind=\"write\",volume=\"v1\"} 1.0")
        .contains("mgtm_volume_bytes_total{kind=\"write\",volume=\"v1\"} 4096.0")
        .contains("mgtm_volume_primary{volume=\"v1\"} 1.0")
        .contains("mgtm_volume_link_up_to_date{link=\"0\",volume=\"v1\"} 1.0")
        .contains("mgtm_volume_link_queued_bytes")
        .contains("mgtm_volume_link_resync_remaining_seconds");
    on(left, "pause", "--name", "v1").succeeded();
    Await.until("health tells", () -> get("/health").statusCode() == 503);
    assertThat(get("/health").body()).startsWith("{\"status\":\"down\"").contains("is PAUSED");
  }

  @ParameterizedTest
  @CsvSource({
    "'start --name v --file F', 'give --listen'",
    "'start --name v --file F --checksum-resync', 'is called --resync compare now'",
    "'start --name ../v --file F --size 1M --listen unix:S', 'letters, digits'",
    "'start --name v --file F --size 1X --listen unix:S', 'not a size'",
    "'start --name v --file F --listen unix:S', 'give --size to create it'",
    "'create --name v --file F --size 0', 'size 0: a positive multiple of 512'",
    "'create --name v --file F --size 1000', 'a positive multiple of 512'",
    "'start --name v --file F --size 1M --listen nowhere', 'nowhere'",
    "'start --name v --file F --size 1M --chunk-size 3K --listen unix:S', 'power of two'",
    "'start --name v --file F --size 1M --listen unix:S --mode often', 'often'",
    "'start --name v --file F --size 1M --listen unix:S --bit-cooling-ms 0', 'must be positive'",
    "'start --name v --file F --size 1M --listen unix:S --mode sync --mode semi', '2 --mode'",
    "'start --name v --file F --size 1M --listen unix:S --fence-command x', 'sync or semi'",
    "'start --name v --file F --size 1M --listen unix:S --fence --fence-command x', 'give one'",
    "'fenced --name v', '--token'",
    "'create --name v --file F --size 1M --colour red', 'colour'",
    "'create --name v --file F --size 1M --colour red', '--help'",
    "'status --name nobody', 'is not known here'",
    "'resync', 'give the volume'",
    "'resize --name v', '--size'",
    "'resize --name v --size', '--size'",
    "'pause --name v --replica nowhere', 'nowhere'",
    "'start --name v --file F --size 1M --listen unix:S --metrics nowhere', 'expected HOST:PORT'",
    "'start --name v --file F --size 1M --listen unix:S --high-water 1X', '--high-water'",
    "'start --name v --file F --size 1M --listen unix:S --chunk-size 8G', 'power of two'",
    "'create --name v --file F --size 1M --meta /tmp/LONG', 'has 1 to 107 bytes'",
    "'turn', 'unknown argument turn; see mgtm volume --help'",
    "'', 'Missing required subcommand; see mgtm volume --help'"
  })
  void wrongUseIsRefusedWithASentence(String line, String expected) throws Exception {
    String[] words = line.isEmpty() ? new String[0] : line.split(" ");
    for (int i = 0; i < words.length; i++) {
      words[i] = words[i].equals("F") ? folder.resolve("f").toString() : words[i];
      words[i] = words[i].replace("LONG", "x".repeat(100));
      words[i] = words[i].replace("unix:S", "unix:" + folder.resolve("s"));
    }
    Tools.Result result = Tools.volume(folder, words);
    assertThat(result.code()).isOne();
    assertThat(result.output())
        .startsWith("mgtm: ")
        .contains(expected)
        .doesNotContain("Exception")
        .hasLineCount(1);
  }
}
