package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.local.ChildProcess;
import io.mgtm.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time of day of a member or the proxy is set or smeared, by libfaketime before its JVM, under
 * load through the proxy: no request fails, and no time stamp goes back. In mode lazy a jump ahead
 * looks like a machine that was suspended, and the member has to ask the others who leads before it
 * answers again.
 */
@Tag("long")
class ClockJumpIT {
  private static final Logger log = LoggerFactory.getLogger(ClockJumpIT.class);
  private static final Path LIBRARY =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);

  /** More than the time of day differs by while two are looked at, and less than any jump. */
  private static final Duration NEAR = Duration.ofMinutes(5);

  /** They last some seconds; a smeared clock is read again in each of them. */
  private static final int SMEARED_REQUESTS = 3_000;

  @TempDir Path folder;
  @TempDir Path scratch;

  /** The clock of a process: the file with what libfaketime adds to the time of day. */
  private Path clock(String process) {
    return scratch.resolve(process + "-clock");
  }

  private void setClock(String process, String offset) throws IOException {
    Files.writeString(clock(process), offset + "\n");
  }

  /** Lets the clock of a process jump, and waits until the process has seen it. */
  private void jump(ChildProcess process, String name, Duration offset) throws IOException {
    setClock(name, "%+d".formatted(offset.toSeconds()));
    Await.until(
        name + " sees that its clock jumped",
        () -> ahead(process).minus(offset).abs().compareTo(NEAR) < 0);
  }

  /** How far the time of day is ahead in a process: its JVM tells it above a list of threads. */
  private static Duration ahead(ChildProcess process) throws IOException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process asks =
        new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), "Thread.print")
            .redirectErrorStream(true)
            .start();
    List<String> said;
    try (BufferedReader lines = asks.inputReader()) {
      said = lines.lines().toList();
    }
    return said.stream()
        .filter(line -> line.matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d"))
        .map(line -> LocalDateTime.parse(line.replace(' ', 'T')))
        .map(shown -> Duration.between(LocalDateTime.now(ZoneId.systemDefault()), shown))
        .findFirst()
        .orElseThrow(() -> new IOException("jcmd said " + said));
  }

  private List<String> place(String name, List<String> command) {
    if (!Files.exists(clock(name))) {
      return command;
    }
    List<String> placed =
        new ArrayList<>(
            List.of(
                "env",
                "LD_PRELOAD=" + LIBRARY,
                "FAKETIME_TIMESTAMP_FILE=" + clock(name),
                "FAKETIME_CACHE_DURATION=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1",
                "DONT_FAKE_MONOTONIC=1"));
    placed.addAll(command);
    return placed;
  }

  private GroupUnderLoad start(String mode) throws Exception {
    return GroupUnderLoad.start(
        GroupUnderLoad.patient(GroupUnderLoad.settings(folder, 3, mode), scratch), this::place);
  }

  private static TransactionReply.Began begin(GtmClient client) throws IOException {
    TransactionReply.Began began = client.begin(BeginKind.GXID, Isolation.READ_COMMITTED, false);
    assertThat(client.commit(began.gxid())).isTrue();
    return began;
  }

  @ParameterizedTest
  @ValueSource(strings = {"fifo", "lazy"})
  void theLeadersClockMayJumpByAnHourEitherWay(String mode) throws Exception {
    Assumptions.assumeTrue(Files.exists(LIBRARY), "SKIPPED: libfaketime is not installed");
    setClock("g1", "+0");
    try (GroupUnderLoad running = start(mode)) {
      running.lead("g1");
      running.notePause();
      try (GtmClient client = GtmClient.connect(running.group().proxyAddress().resolve())) {
        long before = begin(client).timestampMicros();
        jump(running.group().node(0), "g1", HOUR);
        long jumped =
            awaitTimestamp(running, client, before + HOUR_MICROS - TimeUnit.MINUTES.toMicros(1));
        running.awaitProgress(2_000);
        jump(running.group().node(0), "g1", HOUR.negated());
        running.awaitProgress(2_000);
        assertThat(begin(client).timestampMicros()).isGreaterThanOrEqualTo(jumped);
        int hours = 2;
        while (!followsUnnoticed(running, client, hours)) {
          hours += 2;
          assertThat(hours).as("g1 leads again and again").isLessThan(12);
        }
      }
      log.info("clock jumped: longest request in ms {}", running.notePause());
      running.verify();
    }
  }

  /** A smear of a leap second is some ten parts in a million; this is a thousand times that. */
  @ParameterizedTest
  @ValueSource(strings = {"fifo", "lazy"})
  void theLeadersAndTheProxysClocksMayBeSmearedAndTheProxysMayJump(String mode) throws Exception {
    Assumptions.assumeTrue(Files.exists(LIBRARY), "SKIPPED: libfaketime is not installed");
    setClock("g1", "+0");
    setClock("proxy", "+0");
    try (GroupUnderLoad running = start(mode)) {
      running.lead("g1");
      running.notePause();
      for (String offset : List.of("+0 x1.05", "+0 x0.95", "+0")) {
        setClock("g1", offset);
        setClock("proxy", offset);
        running.awaitProgress(SMEARED_REQUESTS);
      }
      for (Duration offset : List.of(HOUR, HOUR.negated(), Duration.ZERO)) {
        jump(running.group().proxy(), "proxy", offset);
        running.awaitProgress(2_000);
      }
      log.info("clock smeared: longest request in ms {}", running.notePause());
      running.verify();
    }
  }

  /**
   * Lets the clock of g1 jump while it follows.
   *
   * @return false when another one came to lead meanwhile, which g1 may have been
   */
  private boolean followsUnnoticed(GroupUnderLoad running, GtmClient client, int hours)
      throws IOException, InterruptedException {
    running.lead("g2");
    GroupUnderLoad.Leadership leadership = running.leadership();
    long before = begin(client).timestampMicros();
    jump(running.group().node(0), "g1", Duration.ofHours(hours));
    running.awaitProgress(2_000);
    long after = begin(client).timestampMicros();
    assertThat(after).isGreaterThanOrEqualTo(before);
    if (!running.leadership().equals(leadership)) {
      return false;
    }
    assertThat(after - before).isLessThan(HOUR_MICROS / 2);
    return true;
  }

  /** Lets g1 lead meanwhile, should it not. */
  private static long awaitTimestamp(GroupUnderLoad running, GtmClient client, long atLeast) {
    AtomicLong seen = new AtomicLong();
    Await.until(
        "the member's clock to jump",
        () -> {
          running.lead("g1");
          seen.set(begin(client).timestampMicros());
          return seen.get() >= atLeast;
        });
    return seen.get();
  }
}
