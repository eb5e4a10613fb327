package io.mgtm.gtm.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.member.NoGroup;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.config.AccessConfig;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.node.admin.AdminService;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.connection.EmbeddedConnections;
import io.mgtm.gtm.node.connection.LinkKeys;
import io.mgtm.gtm.node.engine.NoEngine;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.testing.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may ask a node for what. */
class AdminRolesTest {
  private static final int GRACE_MS = 10_000;
  private static final InetSocketAddress HERE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
  private static final InetSocketAddress ELSEWHERE = new InetSocketAddress("10.0.0.1", 1);

  @TempDir private Path folder;

  private Path secret(String of) throws IOException {
    return Files.writeString(folder.resolve(of), of + "-secret-of-a-test\n");
  }

  private static AdminClient client(TestGtm gtm, String secret) throws IOException {
    return AdminClient.connect(
        gtm.server().address(),
        new AdminClient.Settings(
            20_000, new LinkSecret(secret + "-secret-of-a-test"), SocketFactory.getDefault()));
  }

  private TestGtm withRoles() throws IOException {
    return TestGtm.in(folder)
        .links(new LinksConfig(secret("links"), null, null, null, false, GRACE_MS))
        .access(
            new AccessConfig(
                null, null, secret("monitor"), secret("operate"), secret("administer")))
        .start();
  }

  @ParameterizedTest
  @CsvSource({
    "links,      status,",
    "links,      transfer,    operate",
    "monitor,    status,",
    "monitor,    backup,      operate",
    "monitor,    remove,      administer",
    "operate,    status,",
    "operate,    transfer,",
    "operate,    add,         administer",
    "operate,    accept-loss, administer",
    "administer, remove,",
  })
  void aSecretGivesItsRole(String shown, String verb, String missing) throws Exception {
    try (TestGtm gtm = withRoles();
        AdminClient client = client(gtm, shown)) {
      String text = client.ask(verb, "g9").text();
      if (missing == null) {
        assertThat(text).doesNotContain("the role");
      } else {
        assertThat(text).contains(verb + " takes the role " + missing, "has shown the secret of ");
      }
    }
  }

  @Test
  void anOperatorsSecretOpensNoSession() throws Exception {
    try (TestGtm gtm = withRoles();
        LinkClient link =
            LinkClient.connect(
                gtm.server().address(),
                "p1",
                new LinkSecret("administer-secret-of-a-test"),
                SocketFactory.getDefault())) {
      Await.until("the node's leadership", () -> link.leadership() != null);
      link.attach(LinkFormat.SESSION_BIT | 1, true);
      LinkClient.Event.Refused refused = link.next(LinkClient.Event.Refused.class);
      assertThat(refused.code()).isEqualTo(RefusalCode.PROTOCOL);
      assertThat(refused.message())
          .startsWith(
              "ATTACH takes the secret of links.secretFile, and it has shown the secret of"
                  + " access.administerSecretFile");
    }
  }

  @Test
  void theLinksSecretAdministersWhereNoOtherDoes() throws Exception {
    try (TestGtm gtm =
            TestGtm.in(folder)
                .links(new LinksConfig(secret("links"), null, null, null, false, GRACE_MS))
                .access(new AccessConfig(null, null, secret("monitor"), null, null))
                .start();
        AdminClient links = client(gtm, "links");
        AdminClient monitor = client(gtm, "monitor")) {
      assertThat(links.ask("remove", "g9").text()).doesNotContain("the role");
      assertThat(monitor.ask("remove", "g9").text()).contains("takes the role administer");
    }
  }

  @Test
  void eachRoleHasItsOwnSecret() throws Exception {
    Path same = secret("links");
    AccessConfig alone = new AccessConfig(null, null, same, null, null);
    assertThatThrownBy(() -> with(GtmConfig.DEFAULTS.links(), alone).validated())
        .hasMessageContaining("need links.secretFile");
    GtmConfig both = with(new LinksConfig(same, null, null, null, false, GRACE_MS), alone);
    assertThatThrownBy(() -> LinkKeys.read(both)).hasMessageContaining("secret of another role");
  }

  private GtmConfig with(LinksConfig links, AccessConfig access) {
    return TestConfigs.with(folder, links, access);
  }

  /** A connection from an address. */
  private static final class From extends EmbeddedChannel {
    private SocketAddress from;

    From(SocketAddress from) {
      super(false, false);
      this.from = from;
      try {
        register();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    protected SocketAddress remoteAddress0() {
      return from;
    }

    /** What was written, as text. */
    String said() {
      StringBuilder text = new StringBuilder();
      for (ByteBuf frame = readOutbound(); frame != null; frame = readOutbound()) {
        text.append(frame.toString(UTF_8));
        frame.release();
      }
      return text.toString();
    }
  }

  /** What a node without a secret answers to somebody at an address. */
  private static String asked(SocketAddress from, String verb) throws IOException {
    NodeStatus status =
        new NodeStatus(
            "g",
            "single",
            "leader",
            true,
            false,
            1,
            "g",
            "",
            0,
            0,
            0,
            "critical",
            0,
            List.of(),
            List.of(),
            "");
    AdminService admin =
        new AdminService(new NoGroup(), () -> status, new NoEngine(), null, () -> 1, Runnable::run);
    From channel =
        EmbeddedConnections.link(
            new From(from),
            null,
            admin,
            LinkKeys.read(GtmConfig.DEFAULTS),
            new PartialBudget(1),
            EmbeddedConnections::fails);
    ByteBuf out = Unpooled.buffer();
    LinkWriter.preface(out, LinkFormat.VERSION);
    LinkWriter.hello(out, "admin", GatewayKind.PROXY);
    LinkWriter.admin(out, 1, verb, "g9");
    channel.writeInbound(out);
    return channel.said();
  }

  @ParameterizedTest
  @CsvSource({"transfer", "add", "remove", "durability", "accept-loss"})
  void withoutASecretOperatorsOfThisMachineAreHeard(String verb) throws Exception {
    assertThat(asked(HERE, verb)).isNotEmpty().doesNotContain("the role");
    assertThat(asked(ELSEWHERE, verb))
        .contains(verb + " takes the role", "from another machine", "set links.secretFile");
  }

  @Test
  void withoutASecretEverybodyMayLook() throws Exception {
    assertThat(asked(ELSEWHERE, "status")).contains("\"mode\"");
  }

  @Test
  void anAdvanceOfTheOldestGxidIsAnOperators() throws Exception {
    assertThat(advanced(HERE)).contains("the oldest gxid cannot become 7");
    assertThat(advanced(ELSEWHERE)).contains("is taken from the machine of the GTM");
  }

  private static String advanced(SocketAddress from) {
    From channel =
        EmbeddedConnections.client(
            new From(from), new PartialBudget(1), EmbeddedConnections::fails);
    RequestFrame advance = RequestFrame.command(MessageType.MGTM_ADVANCE_OLDEST_GXID).le32(7);
    channel.writeInbound(
        Unpooled.wrappedBuffer(RequestFrame.startup("n", 3, false), advance.bytes()));
    return channel.said();
  }
}
