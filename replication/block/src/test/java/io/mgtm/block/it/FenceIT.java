package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A primary that goes on without its replica only once a command has ended well. */
class FenceIT {
  /** Does what the file {@code mode} says, and notes for what it was run. */
  private static final String SCRIPT =
      """
      cd '%s'
      echo "$MGTM_VOLUME $MGTM_GENERATION $MGTM_LOST $MGTM_IN_SYNC" >> runs
      case $(cat mode) in
        grant) exit 0 ;;
        hang) echo $$ >> pids; exec sleep 100000 ;;
        much) yes | head -c 3000000; exit 0 ;;
        *) echo no quorum >&2; exit 3 ;;
      esac
      """;

  @TempDir Path folder;
  private VolumeProcess a;
  private VolumeProcess b;

  @BeforeEach
  void prepare() throws Exception {
    Files.writeString(folder.resolve("fence.sh"), SCRIPT.formatted(folder));
    mode("fail");
    a = copy("a").with("--fence-command", "sh '" + folder.resolve("fence.sh") + "'");
    a.with("--fence-timeout-ms", "3000", "--serve-alone", "--peer-wait-ms", "100");
    b = copy("b");
    a.replica(b, "sync");
    b.replica(a, "sync");
  }

  private VolumeProcess copy(String name) throws IOException {
    return new VolumeProcess(folder, name, OwnAddress.port())
        .listening()
        .receiving()
        .with("--size", "8M", "--path-timeout-ms", "20000");
  }

  @AfterEach
  void close() throws Exception {
    for (VolumeProcess copy : Arrays.asList(a, b)) {
      copy.close();
    }
    Path pids = folder.resolve("pids");
    for (String pid : Files.exists(pids) ? Files.readAllLines(pids) : Arrays.<String>asList()) {
      ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  private void mode(String mode) throws IOException {
    Files.writeString(folder.resolve("mode"), mode);
  }

  private void started() throws Exception {
    b.start();
    a.start();
    assertThat(a.ask("promote").path("error").asText()).isEmpty();
    a.awaitUpToDate();
    assertThat(a.link(0).path("inSync").asBoolean()).isTrue();
  }

  private static byte[] bytes(int fill) {
    byte[] data = new byte[4096];
    Arrays.fill(data, (byte) fill);
    return data;
  }

  /** Writes without waiting for the answer: the error's number, or -1 when the agent died. */
  private static CompletableFuture<Integer> writing(VolumeProcess volume, int fill) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
            return client.write(0, bytes(fill), true);
          } catch (IOException e) {
            return -1;
          }
        });
  }

  private static int read(VolumeProcess volume) throws IOException {
    try (NbdClient client = new NbdClient(volume.socket(), VolumeProcess.VOLUME)) {
      return client.read(0, 1)[0];
    }
  }

  private JsonNode fencing() throws IOException {
    return a.status().path("fencing");
  }

  private void awaitReason(String reason) throws IOException {
    Await.until(
        "it waits because " + reason + "; " + a.tail(),
        () -> fencing().path("reason").asText().contains(reason));
  }

  private static String promotion(VolumeProcess copy, String... grounds) throws IOException {
    return grounds.length == 0
        ? copy.ask("promote").path("error").asText()
        : copy.ask("promote", grounds[0], true).path("error").asText();
  }

  @Test
  void writesWaitWhileTheCommandFailsAndReadsGoOn() throws Exception {
    started();
    assertThat(writing(a, 1).join()).isZero();
    b.kill();
    Await.until("the link is lost", () -> !a.linkState(0).equals("up-to-date"));
    assertThat(a.link(0).path("inSync").asBoolean()).isFalse();
    CompletableFuture<Integer> write = writing(a, 2);
    awaitReason("status 3: no quorum");
    assertThat(write.isDone()).isFalse();
    assertThat(read(a)).isIn(1, 2);
    String link = OwnAddress.HOST + ":" + b.receivePort;
    Tools.Result status = a.command("status", "--name", "v1");
    assertThat(status.succeeded().output())
        .startsWith("v1: primary, UpToDate, SUSPENDED: writes wait until " + link)
        .contains("status 3: no quorum");
    JsonNode json =
        new ObjectMapper()
            .readTree(a.command("status", "--name", "v1", "--json").succeeded().output());
    String token = json.path("fencing").path("token").asText();
    assertThat(json.path("fencing").path("lost").get(0).asText()).isEqualTo(link);
    assertThat(json.path("fencing").path("inSync")).isEmpty();
    assertThat(json.path("fencing").path("attempts").asInt()).isPositive();
    assertThat(Files.readAllLines(folder.resolve("runs")))
        .contains("v1 " + token + " " + link + " ");
    assertThat(write.isDone()).isFalse();
    mode("much");
    assertThat(write.join()).isZero();
    assertThat(a.status().path("generations").get(0).asText()).isEqualTo(token);
    assertThat(fencing().isNull()).isTrue();
    assertThat(Files.readAllLines(a.log()).stream().filter(l -> l.contains("are suspended")))
        .as("one line a minute")
        .hasSizeLessThan(4);

    b.start();
    a.awaitUpToDate();
    assertThat(a.link(0).path("inSync").asBoolean()).isTrue();
  }

  @Test
  @Tag("long")
  void theReplicaComesBackWhileTheCommandHangs() throws Exception {
    started();
    b.kill();
    mode("hang");
    CompletableFuture<Integer> write = writing(a, 1);
    awaitReason("did not end within 3000 ms");
    assertThat(write.isDone()).isFalse();
    b.start();
    assertThat(write.join()).isZero();
    assertThat(a.status().path("generations").size()).isOne();
    assertThat(fencing().isNull()).isTrue();
  }

  @Test
  @Tag("long")
  void theCommandIsMissingAndAnOperatorSaysThatTheCopyIsFenced() throws Exception {
    started();
    b.kill();
    Files.delete(folder.resolve("fence.sh"));
    CompletableFuture<Integer> write = writing(a, 1);
    awaitReason("fence.sh");
    Tools.Result wrong = a.command("fenced", "--name", "v1", "--token", "0123456789abcdef");
    assertThat(wrong.code()).isOne();
    assertThat(wrong.output())
        .startsWith("mgtm: token '0123456789abcdef' is not that of the fence");
    assertThat(write.isDone()).isFalse();
    String token = fencing().path("token").asText();
    a.command("fenced", "--name", "v1", "--token", token).succeeded();
    assertThat(write.join()).isZero();
    assertThat(a.command("fenced", "--name", "v1", "--token", token).output())
        .contains("waits for no fence");

    a.kill();
    a.start();
    Await.until("it serves alone", () -> a.status().path("serving").asBoolean());
    CompletableFuture<Integer> restarted = writing(a, 2);
    awaitReason("fence.sh");
    assertThat(restarted.isDone()).as("a restarted primary asks again").isFalse();
    String next = fencing().path("token").asText();
    assertThat(next).isNotEqualTo(token);
    a.command("fenced", "--name", "v1", "--token", next).succeeded();
    assertThat(restarted.join()).isZero();
  }

  /** The replica was never fenced: it has all that was answered, and the cluster vouches for it. */
  @Test
  @Tag("long")
  void thePrimaryIsKilledWhileItWaitsAndTheReplicaIsVouchedFor() throws Exception {
    started();
    assertThat(writing(a, 1).join()).isZero();
    b.kill();
    mode("hang");
    CompletableFuture<Integer> write = writing(a, 2);
    Await.until("it hangs", () -> Files.exists(folder.resolve("pids")));
    assertThat(write.isDone()).isFalse();
    a.kill();
    assertThat(write.join()).as("nobody was told that it is done").isEqualTo(-1);

    b.start();
    assertThat(promotion(b)).contains("nobody can vouch");
    Tools.Result promoted = b.command("promote", "--name", "v1", "--vouched");
    assertThat(promoted.succeeded().output()).contains("volume v1 is primary here");
    assertThat(read(b)).isOne();
    assertThat(writing(b, 3).join()).isZero();
    a.start();
    b.awaitUpToDate();
    assertThat(a.status().path("role").asText()).isEqualTo("secondary");
    assertThat(Files.mismatch(a.file(), b.file())).isEqualTo(-1);
    assertThat(promotion(a, "vouched")).contains("is primary and connected");
  }

  @Test
  @Tag("long")
  void aCopyThatWasLeftBehindIsNotVouchedForWhereTheOtherAnswers() throws Exception {
    started();
    b.kill();
    mode("grant");
    assertThat(writing(a, 1).join()).isZero();
    assertThat(a.ask("demote").path("error").asText()).isEmpty();
    b.start();
    assertThat(promotion(b, "vouched")).contains("is newer");
    assertThat(promotion(a)).isEmpty();
    a.awaitUpToDate();
  }
}
