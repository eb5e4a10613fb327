package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.group.LogException;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.client.GtmErrorException;
import io.mgtm.gtm.command.SequenceCommand.Restore;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.migration.ControlFile;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.gtm.node.backup.Takeover;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that begins with what another GTM left. */
class TakeoverTest {
  private static final Path CONTROL = Path.of("src/test/resources/control/stopped.control");

  @TempDir private Path scratch;

  private GtmConfig config(long firstGxid, int sequencesMax) {
    GtmConfig d = GtmConfig.DEFAULTS;
    GtmConfig.LimitsConfig l = d.limits();
    return new GtmConfig(
        scratch.resolve("data"),
        new HostPort("127.0.0.1", 0),
        null,
        d.durability(),
        d.ioThreads(),
        d.log(),
        new GtmConfig.Gxid(firstGxid, d.gxid().stopMargin(), d.gxid().warnMargin()),
        new GtmConfig.LimitsConfig(
            l.connectionsMax(),
            l.transactionsMax(),
            l.snapshotGxidsMax(),
            sequencesMax,
            l.nodesMax(),
            l.frameBytesMax(),
            l.outboundBytesMax()),
        d.timeouts(),
        d.group(),
        d.links(),
        d.access());
  }

  private GtmConfig config() {
    return config(10_000, 100_000);
  }

  private static Takeover control() throws Exception {
    ControlFile file = ControlFile.read(CONTROL);
    return new Takeover(file.nextGxid(), 3, file.sequences());
  }

  private static long next(GtmClient client, String name) throws IOException {
    return client.nextValue(GtmClient.sequenceKey(name));
  }

  @Test
  void everySequenceAndTheGxidsGoOnWhereTheyStood() throws Exception {
    try (GtmServer server = GtmServer.start(config(), control());
        GtmClient client = GtmClient.connect(server.address())) {
      assertThat(client.begin()).isEqualTo(10_001);
      assertThat(client.transactions().oldestGxid()).isEqualTo(3);
      assertThat(next(client, "db.public.orders_id_seq")).isEqualTo(18);
      assertThat(next(client, "db.public.untouched")).isEqualTo(100);
      assertThat(next(client, "db.public.down")).isEqualTo(-13);
      assertThat(next(client, "db.public.round")).isEqualTo(3);
      assertThat(next(client, "db.public.round")).isEqualTo(1);
      assertThatThrownBy(() -> next(client, "db.public.used up"))
          .isInstanceOf(GtmErrorException.class)
          .hasMessageContaining("reached maximum value");
      assertThat(next(client, "db.public.set")).isEqualTo(501);
      assertThat(next(client, "db.public.setnot")).isEqualTo(700);
      assertThat(next(client, "db.Größe.back\\slash tab\tü")).isEqualTo(3);
    }
  }

  @Test
  void whatWasTakenOverOutlivesARestart() throws Exception {
    GtmServer.start(config(), control()).close();
    try (GtmServer server = GtmServer.start(config());
        GtmClient client = GtmClient.connect(server.address())) {
      assertThat(client.sequences()).hasSize(8);
      assertThat(client.begin()).isEqualTo(10_001);
      assertThat(next(client, "db.public.setnot")).isEqualTo(700);
    }
  }

  @Test
  void manySequencesTakeManyEntries() throws Exception {
    List<Restore> sequences = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      sequences.add(new Restore("db.public.s" + i + "\0", 1, 1, 1_000_000, 1, i + 1, false, true));
    }
    try (GtmServer server = GtmServer.start(config(), new Takeover(500, 3, sequences));
        GtmClient client = GtmClient.connect(server.address())) {
      assertThat(client.sequences()).hasSize(20_000);
      assertThat(next(client, "db.public.s19999")).isEqualTo(20_001);
    }
  }

  @Test
  void aFolderThatIsNotNewIsLeftAlone() throws Exception {
    GtmServer.start(config()).close();
    assertThatThrownBy(() -> GtmServer.start(config(), control()))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("is not empty");
    try (GtmServer server = GtmServer.start(config());
        GtmClient client = GtmClient.connect(server.address())) {
      assertThat(client.sequences()).isEmpty();
      assertThat(client.nextGxid()).isEqualTo(10_000);
    }
  }

  @Test
  void whatCannotBeTakenOverIsRefusedBeforeAnythingIsWritten() throws Exception {
    Restore bad = new Restore("db.s.bad\0", 0, 1, 9, 1, 1, false, true);
    assertThatThrownBy(() -> GtmServer.start(config(), new Takeover(500, 3, List.of(bad))))
        .isInstanceOf(Takeover.RefusedException.class)
        .hasMessageContaining("sequence \"db.s.bad\": INCREMENT must not be zero");
    assertThatThrownBy(() -> GtmServer.start(config(10_000, 7), control()))
        .isInstanceOf(Takeover.RefusedException.class)
        .hasMessageContaining("the limit of 7 sequences is reached");
    Restore one = new Restore("db.s.one\0", 1, 1, 9, 1, 1, false, true);
    assertThatThrownBy(() -> GtmServer.start(config(), new Takeover(500, 3, List.of(one, one))))
        .isInstanceOf(Takeover.RefusedException.class)
        .hasMessageContaining("exists already");
    try (GtmServer server = GtmServer.start(config(), control())) {
      assertThat(server.address().getPort()).isPositive();
    }
  }

  @Test
  void theFirstGxidIsThatOfTheFirstStart() throws Exception {
    int given;
    try (GtmServer server = GtmServer.start(config(2_000_000, 10));
        GtmClient client = GtmClient.connect(server.address())) {
      given = client.begin();
      assertThat(given).isEqualTo(2_000_000);
    }
    try (GtmServer server = GtmServer.start(config());
        GtmClient client = GtmClient.connect(server.address())) {
      assertThat(client.begin()).isEqualTo(given + 1);
    }
  }
}
