package io.mgtm.gtm.node.connection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.testing.LogLines;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.security.cert.CertPathBuilderException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whoever reaches the port may say what it likes, and fills no disk with it. */
class StrangersTest {
  private static final int TIMES = 200;
  private static final int LINES_MAX = 40;

  @RegisterExtension private final LogLines lines = new LogLines();

  private long linesWith(String text) {
    return lines.list().stream()
        .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
        .filter(line -> line.getFormattedMessage().contains(text))
        .count();
  }

  private static EmbeddedChannel link() throws IOException {
    return EmbeddedConnections.link(
        new EmbeddedChannel(),
        null,
        null,
        LinkKeys.read(GtmConfig.DEFAULTS),
        new PartialBudget(1),
        EmbeddedConnections::fails);
  }

  private static void send(EmbeddedChannel channel, ByteBuf bytes) {
    channel.writeInbound(bytes);
    channel.runPendingTasks();
    channel.releaseOutbound();
  }

  @Test
  void garbageOnLinksIsSaidSomeTimesAMinute() throws IOException {
    for (int i = 0; i < TIMES; i++) {
      EmbeddedChannel channel = link();
      send(channel, Unpooled.copiedBuffer("MAKE me a sandwich", UTF_8));
      assertThat(channel.isOpen()).isFalse();
    }
    assertThat(linesWith("Closing")).isBetween(1L, (long) LINES_MAX);
  }

  @Test
  void aHandshakeOfTlsThatFailsIsSaidSomeTimesAMinuteWithTheSetting() throws IOException {
    SSLHandshakeException untrusted = new SSLHandshakeException("PKIX path building failed");
    untrusted.initCause(new CertPathBuilderException("unable to find valid path"));
    for (int i = 0; i < TIMES; i++) {
      EmbeddedChannel channel = link();
      channel.pipeline().fireExceptionCaught(new DecoderException(untrusted));
      channel.pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
      channel.close();
    }
    assertThat(linesWith("in links.trust")).isBetween(1L, (long) LINES_MAX);
    assertThat(linesWith("reset by peer")).isZero();
  }

  /** As a member with TLS does to the one that leads, again and again. */
  @Test
  void tlsWhereThereIsNoneIsSaidOnceAMinuteWithTheSetting() {
    for (int i = 0; i < TIMES; i++) {
      EmbeddedChannel channel =
          new EmbeddedChannel(
              new ProtocolChoice(
                  new ProtocolChoice.Choices(
                      null,
                      false,
                      () -> {
                        throw new AssertionError("a link");
                      },
                      client -> {
                        throw new AssertionError("a client");
                      },
                      10_000),
                  null));
      send(channel, Unpooled.wrappedBuffer(new byte[] {0x16, 3, 1, 2, 0, 1}));
      assertThat(channel.isOpen()).isFalse();
    }
    assertThat(linesWith("it begins TLS, and links.certificate is not set here")).isEqualTo(1);
  }

  @Test
  void garbageOfClientsIsSaidSomeTimesAMinute() {
    for (int i = 0; i < TIMES; i++) {
      EmbeddedChannel channel =
          EmbeddedConnections.client(
              new EmbeddedChannel(), new PartialBudget(1), EmbeddedConnections::fails);
      send(channel, Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", UTF_8));
      assertThat(channel.isOpen()).isFalse();
    }
    assertThat(linesWith("Closing")).isBetween(1L, (long) LINES_MAX);
  }

  /** Without a secret everybody may ask, and most of it is refused. */
  @Test
  void whatIsRefusedOverAndOverIsSaidSomeTimesAMinute() throws IOException {
    EmbeddedChannel channel = link();
    ByteBuf hello = Unpooled.buffer();
    LinkWriter.preface(hello, LinkFormat.VERSION);
    LinkWriter.hello(hello, "p1", GatewayKind.PROXY);
    send(channel, hello);
    for (int i = 0; i < TIMES; i++) {
      ByteBuf ask = Unpooled.buffer();
      LinkWriter.admin(ask, i + 1, "drop-everything", "");
      send(channel, ask);
    }
    assertThat(channel.isOpen()).isTrue();
    assertThat(linesWith("refused")).isBetween(1L, (long) LINES_MAX);
    channel.close();
  }
}
