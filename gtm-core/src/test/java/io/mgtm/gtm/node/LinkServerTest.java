package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.config.AccessConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.node.LinkClient.Event;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.testing.Await;
import io.mgtm.testing.TestKeys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links to a GTM of its own, whole, secured, and broken. */
class LinkServerTest {
  private static final String SECRET = "the secret of this test";
  private static final long SESSION = LinkFormat.SESSION_BIT | 1;

  @TempDir private Path folder;
  private TestGtm gtm;
  private final List<LinkClient> clients = new ArrayList<>();

  @AfterEach
  void stop() {
    clients.forEach(LinkClient::close);
    gtm.close();
  }

  private LinkClient keep(LinkClient client) {
    clients.add(client);
    return client;
  }

  private LinkClient link(String name) throws IOException {
    return keep(LinkClient.connect(gtm.server().address(), name));
  }

  /** Connects and says nothing. */
  private LinkClient silent() throws IOException {
    return keep(LinkClient.raw(gtm.server().address(), "raw", null, SocketFactory.getDefault()));
  }

  private static Command begin(long session) {
    return new TransactionCommand.Begin(
        session, (short) 5, Isolation.READ_COMMITTED, false, BeginKind.GXID);
  }

  private void serves(LinkClient link) throws Exception {
    Await.until("the node's leadership", () -> link.leadership() != null);
    link.attach(SESSION, true);
    assertThat(link.next(Event.Attached.class).last()).isZero();
    link.commands(SESSION, 0, 1, begin(SESSION));
    assertThat(link.reply()).isInstanceOf(TransactionReply.Began.class);
  }

  private void refused(LinkClient link, RefusalCode code) throws InterruptedException {
    assertThat(link.next(Event.Refused.class).code()).isEqualTo(code);
    link.next(Event.Closed.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void linksAndDirectClientsShareOneState(int ioThreads) throws Exception {
    gtm = TestGtm.in(folder).ioThreads(ioThreads).start();
    LinkClient link = link("p1");
    serves(link);
    RawClient direct = gtm.backend();
    int gxid = direct.begin();
    link.commands(SESSION, 1, 2, begin(SESSION), new TransactionCommand.ListTransactions());
    assertThat(((TransactionReply.Began) link.reply()).gxid()).isEqualTo(gxid + 1);
    assertThat(((TransactionReply.TransactionList) link.reply()).transactions()).hasSize(3);
    link.closeSession(SESSION);
    Await.until(
        "the session's transactions to end",
        () -> {
          try {
            return direct.openTransactions() == 1;
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  @Test
  void repliesInAProxysSessionCarryItsBackends() throws Exception {
    gtm = TestGtm.in(folder).start();
    LinkClient link = link("p1");
    link.attach(SESSION, true, true);
    link.next(Event.Attached.class);
    link.commands(SESSION, 0, 1, begin(SESSION));
    assertThat(link.next(Event.Replied.class).backend()).isEqualTo((short) 5);
  }

  @Test
  void aRestartOfAGtmOfItsOwnEndsTheSessions() throws Exception {
    gtm = TestGtm.in(folder).start();
    serves(link("p1"));
    gtm.restart();
    LinkClient link = link("p1");
    link.attach(SESSION, false);
    assertThat(link.next(Event.Refused.class).code()).isEqualTo(RefusalCode.SESSION_LOST);
    link.attach(SESSION + 1, true);
    link.next(Event.Attached.class);
  }

  private Path secret() throws IOException {
    return Files.writeString(folder.resolve("secret"), SECRET + "\n");
  }

  @Test
  void aGatewayMustKnowTheSecret() throws Exception {
    gtm =
        TestGtm.in(folder)
            .links(new LinksConfig(secret(), null, null, null, false, 10_000))
            .start();
    SocketFactory plain = SocketFactory.getDefault();
    serves(keep(LinkClient.connect(gtm.server().address(), "p1", new LinkSecret(SECRET), plain)));
    refused(
        keep(LinkClient.connect(gtm.server().address(), "p2", new LinkSecret("guess"), plain)),
        RefusalCode.AUTH);
    LinkClient mute = link("p3");
    mute.attach(SESSION, false);
    refused(mute, RefusalCode.PROTOCOL);
    assertThat(gtm.connect().startupError()).contains("takes no Postgres-XC client");
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.0/8", "10.0.0.0/8"})
  void anXcClientComesPastTheSecretFromListedNetworksOnly(String network) throws Exception {
    gtm =
        TestGtm.in(folder)
            .links(new LinksConfig(secret(), null, null, null, false, 10_000))
            .access(new AccessConfig(List.of(network)))
            .start();
    if (network.startsWith("127.")) {
      assertThat(gtm.backend().begin()).isPositive();
    } else {
      assertThat(gtm.connect().startupError()).contains("access.clients");
    }
  }

  @Test
  void linksMayBeEncryptedAndMustWhereTheConfigurationSaysSo() throws Exception {
    TestKeys keys = TestKeys.make(folder, "node", "127.0.0.1");
    gtm =
        TestGtm.in(folder)
            .links(
                new LinksConfig(
                    secret(), keys.certificate(), keys.key(), keys.certificate(), true, 10_000))
            .start();
    SocketFactory shown =
        ((JdkSslContext)
                SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .trustManager(keys.certificate().toFile())
                    .keyManager(keys.certificate().toFile(), keys.key().toFile())
                    .build())
            .context()
            .getSocketFactory();
    serves(keep(LinkClient.connect(gtm.server().address(), "p1", new LinkSecret(SECRET), shown)));
    assertThat(gtm.connect().startupError()).contains("takes no Postgres-XC client");
    LinkClient plain = link("p2");
    assertThat(plain.next(Event.Refused.class).message()).contains("over TLS only");
    plain.next(Event.Closed.class);
  }

  @Test
  void whatIsNoGatewaysToSendEndsTheLinkAlone() throws Exception {
    gtm = TestGtm.in(folder).start();
    for (Command command :
        List.of(
            new SessionCommand.Restart(false),
            new SessionCommand.CloseSession(SESSION),
            new SessionCommand.AnnounceMember("g1", "h:1"),
            new SessionCommand.Numbered(SESSION, 1, 0, begin(SESSION)),
            new TransactionCommand.StartGxids(3, 3),
            begin(SESSION + 1))) {
      LinkClient link = link("p1");
      link.commands(SESSION, 0, 1, command);
      refused(link, RefusalCode.PROTOCOL);
    }
    assertThat(gtm.backend().begin()).isPositive();
  }

  @Test
  void brokenBytesEndTheLinkAlone() throws Exception {
    gtm = TestGtm.in(folder).start();
    LinkClient good = link("good");
    LinkClient version = silent();
    version.send(Unpooled.buffer().writeInt(LinkFormat.MAGIC).writeShort(9).writeShort(0));
    refused(version, RefusalCode.PROTOCOL);
    LinkClient early = silent();
    ByteBuf out = Unpooled.buffer();
    LinkWriter.preface(out, LinkFormat.VERSION);
    LinkWriter.ping(out, 1);
    early.send(out);
    refused(early, RefusalCode.PROTOCOL);
    LinkClient twice = link("p1");
    ByteBuf hello = Unpooled.buffer();
    LinkWriter.hello(hello, "p1", GatewayKind.PROXY);
    twice.send(hello);
    refused(twice, RefusalCode.PROTOCOL);
    LinkClient tooLong = link("p1");
    tooLong.send(Unpooled.buffer().writeInt(LinkFormat.FRAME_BYTES_MAX + 1).writeByte(4));
    refused(tooLong, RefusalCode.PROTOCOL);
    serves(good);
  }

  @Test
  void onlyAGatewayThatIsKnownMaySendLongFrames() throws Exception {
    gtm =
        TestGtm.in(folder)
            .links(new LinksConfig(secret(), null, null, null, false, 10_000))
            .start();
    ByteBuf out = Unpooled.buffer();
    LinkWriter.preface(out, LinkFormat.VERSION);
    out.writeInt(LinkFormat.FIRST_FRAME_BYTES_MAX + 1).writeByte(1);
    LinkClient stranger = silent();
    stranger.send(out);
    assertThat(stranger.next(Event.Refused.class).message()).contains("allowed are 1 to 4096");
    stranger.next(Event.Closed.class);
    out.clear();
    LinkWriter.preface(out, LinkFormat.VERSION);
    LinkWriter.hello(out, "p1", GatewayKind.PROXY);
    out.writeInt(1 << 20).writeByte(4);
    LinkClient unproved = silent();
    unproved.send(out);
    assertThat(unproved.next(Event.Refused.class).message()).contains("allowed are 1 to 4096");
    serves(
        keep(
            LinkClient.connect(
                gtm.server().address(), "p1", new LinkSecret(SECRET), SocketFactory.getDefault())));
  }

  @Test
  void aTlsHandshakeHasToEndInTimeToo() throws Exception {
    TestKeys keys = TestKeys.make(folder, "node", "127.0.0.1");
    gtm =
        TestGtm.in(folder)
            .timeouts(300, 20_000, 60_000)
            .links(new LinksConfig(null, keys.certificate(), keys.key(), null, true, 10_000))
            .start();
    RawClient half = gtm.connect();
    half.send(new byte[] {0x16, 3, 1});
    assertThat(half.drain()).isZero();
  }

  @Test
  void aGatewayThatDoesNotSayInTimeWhoItIsIsRefused() throws Exception {
    gtm = TestGtm.in(folder).timeouts(300, 20_000, 60_000).start();
    LinkClient late = silent();
    ByteBuf preface = Unpooled.buffer();
    LinkWriter.preface(preface, LinkFormat.VERSION);
    late.send(preface);
    refused(late, RefusalCode.PROTOCOL);
  }

  @Test
  void aFrameThatIsStuckEndsTheLinkAlone() throws Exception {
    gtm = TestGtm.in(folder).timeouts(20_000, 300, 60_000).start();
    LinkClient good = link("good");
    LinkClient half = link("p1");
    half.send(Unpooled.buffer().writeInt(100).writeByte(4));
    refused(half, RefusalCode.PROTOCOL);
    serves(good);
  }

  @Test
  void aSessionOutlivesItsLinkForTheTimeOfGrace() throws Exception {
    gtm = TestGtm.in(folder).links(new LinksConfig(null, null, null, null, false, 100)).start();
    LinkClient link = link("p1");
    serves(link);
    RawClient direct = gtm.backend();
    assertThat(direct.openTransactions()).isEqualTo(1);
    link.close();
    Await.until(
        "the session to end",
        () -> {
          try {
            return direct.openTransactions() == 0;
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }
}
