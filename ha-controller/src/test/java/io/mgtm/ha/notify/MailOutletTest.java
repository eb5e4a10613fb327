package io.mgtm.ha.notify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.common.TlsFiles;
import io.mgtm.ha.config.NotifyConfig;
import io.mgtm.ha.model.EventKind;
import io.mgtm.testing.TestKeys;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.subethamail.smtp.auth.EasyAuthenticationHandlerFactory;
import org.subethamail.smtp.auth.LoginFailedException;
import org.subethamail.smtp.server.SMTPServer;

/** Before a small mail server. */
class MailOutletTest {
  private static final String PASSWORD = "sesame";

  @TempDir private static Path folder;
  private static TestKeys keys;
  private static SSLContext tls;

  private final List<byte[]> taken = new CopyOnWriteArrayList<>();
  private SMTPServer server;

  @BeforeAll
  static void makeKeys() throws Exception {
    keys = TestKeys.make(folder, "mail", "127.0.0.1");
    tls =
        new TlsFiles("", keys.certificate(), keys.key(), null)
            .server("TLSv1.3", "TLSv1.2")
            .context();
  }

  private SMTPServer.Builder open() {
    return SMTPServer.port(0)
        .bindAddress(InetAddress.getLoopbackAddress())
        .messageHandler((context, from, to, data) -> taken.add(data));
  }

  private SMTPServer.Builder closed() {
    return open()
        .startTlsSocketFactory(tls)
        .requireTLS()
        .requireAuth()
        .authenticationHandlerFactory(
            new EasyAuthenticationHandlerFactory(
                (user, password, context) -> {
                  if (!user.equals("mgtm") || !password.equals(PASSWORD)) {
                    throw new LoginFailedException();
                  }
                }));
  }

  private MailOutlet outlet(SMTPServer.Builder builder, boolean startTls, String password)
      throws IOException {
    server = builder.build();
    server.start();
    boolean user = !password.isEmpty();
    return new MailOutlet(
        "orders",
        new NotifyConfig.Mail(
            new HostPort("127.0.0.1", server.getPortAllocated()),
            startTls,
            startTls ? Optional.of(keys.certificate()) : Optional.empty(),
            user ? Optional.of("mgtm") : Optional.empty(),
            user
                ? Optional.of(Files.writeString(folder.resolve("password"), password))
                : Optional.empty(),
            "ha@example.org",
            List.of("ops@example.org", "night@example.org"),
            Set.of()));
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  @Test
  void eventsAreMailedToAll() throws Exception {
    outlet(open(), false, "")
        .send(List.of(States.event(7, EventKind.NODE), States.event(8, EventKind.FAILURE)), 2);

    assertThat(taken).hasSize(1);
    MimeMessage mail =
        new MimeMessage(
            Session.getInstance(new Properties()), new ByteArrayInputStream(taken.get(0)));
    assertThat(mail.getAllRecipients())
        .extracting(Object::toString)
        .containsExactly("ops@example.org", "night@example.org");
    assertThat(mail.getSubject()).isEqualTo("[orders] db: has failed (and 1 more)");
    assertThat((String) mail.getContent())
        .contains("2 events before these are not kept any more")
        .contains("db  has failed")
        .contains("by controller: because");
  }

  @Test
  void overStartTlsWithAPassword() throws Exception {
    outlet(closed(), true, PASSWORD).send(List.of(States.event(7, EventKind.NODE)), 0);

    assertThat(taken).hasSize(1);
    assertThat(new String(taken.get(0), UTF_8)).contains("Subject: [orders] db: has failed");
  }

  @Test
  void aWrongPasswordIsSaidSo() throws Exception {
    MailOutlet outlet = outlet(closed(), true, "guess");

    assertThatThrownBy(() -> outlet.send(List.of(States.event(7, EventKind.NODE)), 0))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the mail server 127.0.0.1:");
    assertThat(taken).isEmpty();
  }

  @Test
  void withoutStartTlsNothingIsSentWhereItIsWanted() throws Exception {
    MailOutlet outlet = outlet(open(), true, "");

    assertThatThrownBy(() -> outlet.send(List.of(States.event(7, EventKind.NODE)), 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("STARTTLS");
    assertThat(taken).isEmpty();
  }
}
