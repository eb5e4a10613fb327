package io.mgtm.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.check.Finding;
import io.mgtm.bench.check.Finding.Kind;
import io.mgtm.bench.check.GivenOut;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole runs: against a right GTM nothing is found, and every planted fault is. */
class LoadRunTest {
  private static final int CONNECTIONS = 4;
  private static final int RUN_MS = 60_000;
  private static final long ENOUGH = 3_000;

  /** More than the requests of a transaction of any mix. */
  private static final long ENOUGH_EACH = 10;

  /**
   * Runs until the GTM has been asked often enough, by each client too, as nothing counts before
   * the last of them was accepted; or the run has ended by itself.
   */
  private static LoadResult run(LoadSettings settings, GivenOut givenOut)
      throws IOException, InterruptedException {
    try (LoadRun run = LoadRun.start(settings, givenOut)) {
      Await.until(
          "enough",
          () -> (run.served() >= ENOUGH && leastServed(run) >= ENOUGH_EACH) || run.failed() > 0);
      run.stop();
      return run.finish();
    }
  }

  private static long leastServed(LoadRun run) {
    return LongStream.of(run.servedEach()).min().orElseThrow();
  }

  private static LoadSettings settings(FakeGtm gtm, Mix mix) {
    return LoadSettings.of(gtm.address(), CONNECTIONS, mix, RUN_MS);
  }

  @ParameterizedTest
  @EnumSource(Mix.class)
  void nothingIsFoundAtARightGtm(Mix mix) throws Exception {
    try (FakeGtm gtm = new FakeGtm(PlantedFaults.none())) {
      LoadResult result = run(settings(gtm, mix), new GivenOut());
      assertThat(result.firstErrors()).isEmpty();
      assertThat(result.firstFindings()).isEmpty();
      assertThat(result.clean()).isTrue();
      assertThat(result.latencyByOperation().keySet())
          .isEqualTo(
              switch (mix) {
                case TXN, STATEMENTS ->
                    java.util.EnumSet.of(Operation.BEGIN, Operation.SNAPSHOT, Operation.COMMIT);
                case BEGIN -> java.util.EnumSet.of(Operation.BEGIN, Operation.ROLLBACK);
                case SEQ -> java.util.EnumSet.of(Operation.NEXT_VALUE);
              });
    }
  }

  @Test
  void nothingIsFoundBesideOpenTransactionsAndWithTwoThreads() throws Exception {
    try (FakeGtm gtm = new FakeGtm(PlantedFaults.none())) {
      LoadSettings settings = settings(gtm, Mix.TXN).withOpen(300).withThreads(2);
      LoadResult result = run(settings, new GivenOut());
      assertThat(result.firstErrors()).isEmpty();
      assertThat(result.firstFindings()).isEmpty();
    }
  }

  @Test
  void everyClientHasItsOwnLongestWait() throws Exception {
    try (FakeGtm gtm = new FakeGtm(PlantedFaults.none());
        LoadRun run = LoadRun.start(settings(gtm, Mix.TXN).withThreads(2), new GivenOut())) {
      Await.until("enough", () -> leastServed(run) >= ENOUGH_EACH);
      run.stop();
      run.finish();
      assertThat(run.servedEach()).hasSize(CONNECTIONS);
      assertThat(LongStream.of(run.servedEach()).sum()).isEqualTo(run.served());
      assertThat(run.takeLongestNanosEach()).hasSize(CONNECTIONS).doesNotContain(0);
      assertThat(run.takeLongestNanosEach()).as("taken already").containsOnly(0);
    }
  }

  static List<Arguments> faults() {
    return List.of(
        Arguments.of("repeated gxid", PlantedFaults.repeatedGxid(), Mix.TXN, Kind.GXID_TWICE),
        Arguments.of("older gxid", PlantedFaults.olderGxid(), Mix.BEGIN, Kind.GXID_WENT_BACK),
        Arguments.of(
            "hidden transaction", PlantedFaults.hiddenTransaction(), Mix.TXN, Kind.RUNNING_HIDDEN),
        Arguments.of("xmax too high", PlantedFaults.xmaxTooHigh(), Mix.TXN, Kind.RUNNING_HIDDEN),
        Arguments.of(
            "ended transaction", PlantedFaults.endedTransaction(), Mix.TXN, Kind.ENDED_SHOWN),
        Arguments.of("stale snapshot", PlantedFaults.staleSnapshot(), Mix.TXN, Kind.ENDED_SHOWN),
        Arguments.of("wrong xmin", PlantedFaults.wrongXmin(), Mix.TXN, Kind.SNAPSHOT_INCONSISTENT),
        Arguments.of(
            "wrong global xmin",
            PlantedFaults.wrongGlobalXmin(),
            Mix.TXN,
            Kind.SNAPSHOT_INCONSISTENT),
        Arguments.of("repeated value", PlantedFaults.repeatedValue(), Mix.SEQ, Kind.VALUE_TWICE),
        Arguments.of(
            "value that went back",
            PlantedFaults.valueThatWentBack(),
            Mix.SEQ,
            Kind.VALUE_WENT_BACK));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void aPlantedFaultIsFound(String name, FakeGtm.Fault fault, Mix mix, Kind kind) throws Exception {
    try (FakeGtm gtm = new FakeGtm(fault)) {
      LoadResult result = run(settings(gtm, mix), new GivenOut());
      assertThat(result.firstFindings()).extracting(Finding::kind).contains(kind);
      assertThat(result.clean()).isFalse();
    }
  }

  static List<Arguments> failures() {
    return List.of(
        Arguments.of(PlantedFaults.error(), "planted"),
        Arguments.of(PlantedFaults.unknownTransaction(), "knows no such transaction"),
        Arguments.of(PlantedFaults.otherReply(), "is of another type"),
        Arguments.of(PlantedFaults.closedConnections(), "closed the connection"));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("failures")
  void aRequestThatFailsEndsTheRunAndIsTold(FakeGtm.Fault fault, String text) throws Exception {
    try (FakeGtm gtm = new FakeGtm(fault)) {
      LoadResult result = run(settings(gtm, Mix.TXN), new GivenOut());
      assertThat(result.firstErrors()).anySatisfy(e -> assertThat(e).contains(text));
      assertThat(result.firstFindings()).isEmpty();
      assertThat(result.clean()).isFalse();
    }
  }

  @Test
  void aRunThatReconnectsGoesOnWhenConnectionsBreakAndFindsNothing() throws Exception {
    try (FakeGtm gtm = new FakeGtm(PlantedFaults.closedConnections())) {
      LoadSettings settings = settings(gtm, Mix.TXN).withReconnect(List.of(gtm.address()));
      try (LoadRun run = LoadRun.start(settings, new GivenOut())) {
        Await.until("enough", () -> run.served() >= ENOUGH && run.failed() >= 10);
        run.stop();
        assertThat(run.finish().firstFindings()).isEmpty();
      }
    }
  }

  @Test
  void aRestartedGtmGivesNothingOutAgain(@TempDir Path data) throws Exception {
    GivenOut givenOut = new GivenOut();
    InetSocketAddress address;
    long servedBefore;
    GtmServer first = server(data, 0);
    address = first.address();
    LoadSettings settings =
        LoadSettings.of(address, CONNECTIONS, Mix.TXN, RUN_MS).withReconnect(List.of(address));
    try (LoadRun run = LoadRun.start(settings, givenOut)) {
      Await.until("enough", () -> run.served() >= ENOUGH);
      first.close();
      servedBefore = run.served();
      try (GtmServer second = server(data, address.getPort())) {
        assertThat(second.address()).isEqualTo(address);
        Await.until("enough", () -> run.served() >= servedBefore + ENOUGH);
        run.stop();
        LoadResult result = run.finish();
        assertThat(result.errors()).isPositive();
        assertThat(result.firstFindings()).isEmpty();
      }
    }
    assertThat(givenOut.gxidCount()).isGreaterThan(ENOUGH / 3);
  }

  private static GtmServer server(Path data, int port) throws IOException {
    return GtmServer.start(GtmConfig.at(data, new HostPort(OwnAddress.HOST, port)));
  }
}
