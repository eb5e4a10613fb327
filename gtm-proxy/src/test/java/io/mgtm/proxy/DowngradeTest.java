package io.mgtm.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A proxy that finds out what its GTM speaks takes no node of a group for an original GTM. */
class DowngradeTest {
  private static final int ENOUGH = 6;

  @TempDir private Path folder;

  /** Answers the first byte of each connection, in the clear and once, and closes. */
  private static final class OneAnswer implements Closeable {
    private final ServerSocket listener;
    private final List<Character> asked = new CopyOnWriteArrayList<>();
    private final List<Integer> versions = new CopyOnWriteArrayList<>();
    private final IntFunction<ByteBuf> answer;
    private volatile IOException broken;

    /**
     * Answers.
     *
     * @param answer to a connection that is the n-th, from 1 on, to begin with {@code M}
     */
    OneAnswer(IntFunction<ByteBuf> answer) throws IOException {
      this(new HostPort("127.0.0.1", 0), answer);
    }

    OneAnswer(HostPort at, IntFunction<ByteBuf> answer) throws IOException {
      listener = new ServerSocket(at.port(), 50, InetAddress.getByName(at.host()));
      this.answer = answer;
      Thread thread = new Thread(this::serve, "one-answer");
      thread.setDaemon(true);
      thread.start();
    }

    private void serve() {
      int links = 0;
      while (!listener.isClosed()) {
        try (Socket client = listener.accept()) {
          char first = (char) client.getInputStream().read();
          asked.add(first);
          ByteBuf out;
          if (first == 'M') {
            ByteBuffer preface = ByteBuffer.wrap(client.getInputStream().readNBytes(7));
            versions.add((int) preface.getShort(3));
            links++;
            out = answer.apply(links);
          } else {
            out = Unpooled.buffer();
            new ReplyEncoder().startupAccepted(out);
          }
          client.getOutputStream().write(out.array(), 0, out.readableBytes());
          client.shutdownOutput();
          client.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException e) {
          broken = e; // The proxy has closed it, or the test has ended.
        }
      }
    }

    InetSocketAddress address() {
      return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }

  private static ByteBuf challenge() {
    ByteBuf out = Unpooled.buffer();
    LinkWriter.challenge(out, new byte[32]);
    return out;
  }

  private static ByteBuf tooNew() {
    ByteBuf out = Unpooled.buffer();
    String refusal = "a link of version 4 with flags 0; this node speaks versions 1 to 2";
    LinkWriter.refused(out, 0, RefusalCode.PROTOCOL, refusal, "");
    return out;
  }

  @Test
  void aNodeOfBeforeIsSpokenToInTheVersionThatItKnows() throws Exception {
    try (OneAnswer at = new OneAnswer(link -> tooNew());
        ProxyServer proxy =
            ProxyServer.start(TestProxy.config(UpstreamProtocol.AUTO, at.address()))) {
      Await.until("the version before", () -> at.versions.contains(LinkFormat.VERSION_ENTRIES));
      assertThat(at.versions.stream().distinct()).containsExactly(5, 4, 3, 2);
      assertThat(at.asked).as("it is a node all the same").containsOnly('M');
      assertThat(proxy.trouble()).isNotEmpty();
    }
  }

  private static ByteBuf tlsOnly() {
    ByteBuf out = Unpooled.buffer();
    LinkWriter.refused(out, 0, RefusalCode.AUTH, "over TLS only", "Set tls.trust.");
    return out;
  }

  private static ByteBuf noMore() {
    ByteBuf out = Unpooled.buffer();
    new ReplyEncoder().error(out, false, (short) -1, true, "the limit of 1 connections", "");
    return out;
  }

  private static void staysWithLinks(IntFunction<ByteBuf> node, String missing) throws IOException {
    try (OneAnswer at = new OneAnswer(node);
        ProxyServer proxy =
            ProxyServer.start(TestProxy.config(UpstreamProtocol.AUTO, at.address()))) {
      Await.until("some tries", () -> at.asked.size() >= ENOUGH);
      assertThat(at.asked).as("%s", at.broken).containsOnly('M');
      assertThat(proxy.trouble()).contains(missing);
    }
  }

  @Test
  void whoAsksForASecretIsANode() throws Exception {
    staysWithLinks(link -> challenge(), "set secretFile");
  }

  @Test
  void whoAsksForTlsIsANode() throws Exception {
    staysWithLinks(link -> tlsOnly(), "Set tls.trust.");
  }

  @Test
  void aNodeThatHadNoRoomAtFirstIsANode() throws Exception {
    try (OneAnswer at = new OneAnswer(link -> link == 1 ? noMore() : challenge());
        ProxyServer proxy =
            ProxyServer.start(TestProxy.config(UpstreamProtocol.AUTO, at.address()))) {
      Await.until("some tries", () -> at.asked.size() >= ENOUGH);
      assertThat(at.asked.subList(0, 3)).containsExactly('M', 'A', 'M');
      assertThat(at.asked.subList(2, ENOUGH)).containsOnly('M');
      assertThat(proxy.trouble()).contains("set secretFile");
    }
  }

  /** It is the address of a node for good, whoever answers there once that has died. */
  @Test
  void whoWasANodeOnceIsNoOriginal() throws Exception {
    HostPort at = new HostPort(OwnAddress.HOST, OwnAddress.port());
    GtmServer gtm = TestProxy.gtm(folder.resolve("data"), at, GtmConfig.DEFAULTS.links());
    try (ProxyServer proxy =
            ProxyServer.start(TestProxy.config(UpstreamProtocol.AUTO, gtm.address()));
        GtmClient client = GtmClient.connect(proxy.address())) {
      assertThat(client.commit(client.begin())).isTrue();
      gtm.close();
      try (OneAnswer other = new OneAnswer(at, link -> Unpooled.buffer())) {
        Await.until("some tries", () -> other.asked.size() >= ENOUGH);
        assertThat(other.asked).as("%s", other.broken).containsOnly('M');
        assertThat(proxy.trouble()).isNotEmpty();
      }
    } finally {
      gtm.close();
    }
  }

  @Test
  void aProxyWithoutTheSecretIsDownAndSaysWhatIsMissing() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "correct horse battery\n");
    LinksConfig d = GtmConfig.DEFAULTS.links();
    LinksConfig links = new LinksConfig(secret, null, null, null, false, d.graceMs());
    HostPort any = new HostPort("127.0.0.1", 0);
    try (GtmServer gtm = TestProxy.gtm(folder.resolve("data"), any, links);
        ProxyServer proxy =
            ProxyServer.start(TestProxy.config(UpstreamProtocol.AUTO, gtm.address()))) {
      Await.until("the reason", () -> proxy.trouble().contains("set secretFile"));
    }
  }
}
