package io.mgtm.gtm.node.connection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.node.TestConfigs;
import io.mgtm.gtm.node.TestGtm;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkFrameType;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.testing.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only so many may connect at a time. */
class ConnectionLimitTest {
  private static final int MAX = 10;
  private static final String SECRET = "a-secret-of-a-test";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whoComesBeyondTheLimitIsToldAndTurnedAway(int ioThreads) throws IOException {
    try (TestGtm gtm = TestGtm.in(folder).ioThreads(ioThreads).connectionsMax(MAX).start()) {
      List<RawClient> admitted = new ArrayList<>();
      for (int i = 0; i < MAX; i++) {
        admitted.add(gtm.backend());
      }
      for (int i = 0; i < 3; i++) {
        RawClient turnedAway = gtm.connect();
        assertThat(turnedAway.read().error())
            .isEqualTo(
                "FATAL\nthe limit of 10 connections is reached\nRaise limits.connectionsMax.");
        assertThat(turnedAway.isClosedByServer()).isTrue();
      }
      for (RawClient client : admitted) {
        client.begin();
      }
      admitted.get(0).close();
      Await.until("there is room for one again", () -> isAdmitted(gtm));
    }
  }

  @Test
  void whoKeepsTooMuchOfAFrameIsToldAndClosed() {
    EmbeddedChannel channel =
        EmbeddedConnections.client(
            new EmbeddedChannel(), new PartialBudget(1), EmbeddedConnections::fails);
    channel.writeInbound(Unpooled.wrappedBuffer(RequestFrame.startup("n", 6, false)));
    assertThat(channel.isOpen()).isTrue();
    channel.writeInbound(Unpooled.buffer().writeByte('C').writeInt(60_000).writeZero(20_000));
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    channel.releaseOutbound();
  }

  /** A link that has shown a secret is one of the cluster, and its frames are its own. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLinkWithoutASecretThatKeepsTooMuchOfAFrameIsToldAndClosed(boolean secret)
      throws IOException {
    LinkKeys keys = secret ? withSecret() : LinkKeys.read(GtmConfig.DEFAULTS);
    EmbeddedChannel channel =
        EmbeddedConnections.link(
            new EmbeddedChannel(),
            null,
            null,
            keys,
            new PartialBudget(1),
            EmbeddedConnections::fails);
    ByteBuf out = Unpooled.buffer();
    LinkWriter.preface(out, LinkFormat.VERSION);
    LinkWriter.hello(out, "p1", GatewayKind.PROXY);
    channel.writeInbound(out);
    if (secret) {
      ByteBuf challenge = channel.readOutbound();
      byte[] nonce = ByteBufUtil.getBytes(challenge.skipBytes(LinkFormat.FRAME_HEAD_BYTES));
      challenge.release();
      ByteBuf answer = Unpooled.buffer();
      LinkWriter.auth(answer, new LinkSecret(SECRET).answer(nonce, "p1"));
      channel.writeInbound(answer);
    }
    channel.writeInbound(begun(20_000));
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isEqualTo(secret);
    StringBuilder said = new StringBuilder();
    for (ByteBuf frame = channel.readOutbound(); frame != null; frame = channel.readOutbound()) {
      said.append(frame.toString(UTF_8));
      frame.release();
    }
    assertThat(said.toString().contains("take too much memory together")).isEqualTo(!secret);
    channel.close();
  }

  private LinkKeys withSecret() throws IOException {
    Path file = Files.writeString(folder.resolve("secret"), SECRET + "\n");
    return LinkKeys.read(
        TestConfigs.with(
            folder,
            new LinksConfig(file, null, null, null, false, 10_000),
            GtmConfig.DEFAULTS.access()));
  }

  /** A frame of commands, of which so much has come. */
  private static ByteBuf begun(int bytes) {
    return Unpooled.buffer()
        .writeInt(60_000)
        .writeByte(LinkFrameType.COMMANDS.code())
        .writeZero(bytes);
  }

  private static boolean isAdmitted(TestGtm gtm) {
    try {
      RawClient client = gtm.connect();
      client.send(RequestFrame.startup("n", 3, false));
      return client.read().type() == 'R';
    } catch (IOException e) {
      return false; // It was turned away, and closed before it had sent its startup packet.
    }
  }
}
