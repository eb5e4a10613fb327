package io.mgtm.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.flash.AlignedBuffer;
import java.io.BufferedReader;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A peer that is killed; on a real device or Soft-RoCE, skipped where there is none. */
class PeerDeathTest {

  @Test
  void isHeardAndEndsWhatIsPosted() throws Exception {
    try (RdmaRig rig = new RdmaRig()) {
      String address = rig.domain.localAddress().getHostAddress();
      String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      Process peer =
          new ProcessBuilder(
                  List.of(
                      java,
                      "-XX:TieredStopAtLevel=1",
                      "-cp",
                      System.getProperty("java.class.path"),
                      PeerProcess.class.getName(),
                      address))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (BufferedReader output = peer.inputReader()) {
        int port = portFrom(output);
        rig.near =
            RdmaConnector.prepare(
                rig.domain,
                new InetSocketAddress(rig.domain.localAddress(), port),
                rig.options(rig.clientMemory),
                60_000);
        AlignedBuffer buffer = rig.clientBuffer(0);
        rig.near.receive(1, buffer);
        rig.near.receive(2, buffer);
        buffer.release();
        rig.near.establish(new byte[0], 60_000);
        peer.destroyForcibly().waitFor();
        var flushed = Outcomes.drain(rig.near);
        assertThat(flushed).hasSize(2).allMatch(it -> it.error() != null);
        assertThat(rig.near.state()).isEqualTo(RdmaState.DISCONNECTED);
      } finally {
        peer.destroyForcibly();
      }
    }
  }

  private static int portFrom(BufferedReader output) throws Exception {
    String line = output.readLine();
    while (line != null && !line.startsWith("PORT ")) {
      line = output.readLine();
    }
    assertThat(line).as("what the peer says").isNotNull();
    return Integer.parseInt(line.substring("PORT ".length()));
  }
}
