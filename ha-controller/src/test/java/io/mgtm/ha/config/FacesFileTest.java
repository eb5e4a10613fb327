package io.mgtm.ha.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.model.EventKind;
import io.mgtm.ha.model.Role;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;

/** The keys that say how a controller is asked and whom it tells. */
class FacesFileTest {
  private static final String WHOLE =
      """
      cluster: orders
      nodes: {a: {addresses: [10.0.0.1]}}
      tls: {certificate: /c.crt, key: /c.key, trust: /ca.crt}
      access:
        tokenFile: /tokens
        certificates: {"CN=anna,O=orders": administrator}
      notify:
        webhooks:
          ops: {url: "https://example.org/x", secretFile: /hook}
        mail:
          server: mail.example.org:587
          user: mgtm
          passwordFile: /password
          from: ha@example.org
          to: [ops@example.org]
          events: [node, failure]
      """;

  private static ClusterFile parse(String text) throws ConfigException {
    return ClusterFile.parse("ha.yaml", text, ResourceCheck.NONE);
  }

  @Test
  void allOfThemAreRead() throws ConfigException {
    ClusterFile file = parse(WHOLE);

    assertThat(file.tls()).hasToString("tls.certificate /c.crt, tls.key /c.key, tls.trust /ca.crt");
    assertThat(file.access())
        .isEqualTo(
            new AccessConfig(
                Optional.of(Path.of("/tokens")),
                Map.of(new X500Principal("cn=anna, o=orders"), Role.ADMINISTRATOR)));
    NotifyConfig.Webhook webhook = file.tells().webhooks().get("ops");
    assertThat(webhook.url()).isEqualTo(URI.create("https://example.org/x"));
    assertThat(webhook.events()).contains(EventKind.SERVICE).doesNotContain(EventKind.COPY);
    NotifyConfig.Mail mail = file.tells().mail().orElseThrow();
    assertThat(mail.server()).isEqualTo(new HostPort("mail.example.org", 587));
    assertThat(mail.startTls()).isTrue();
    assertThat(mail.events()).isEqualTo(Set.of(EventKind.NODE, EventKind.FAILURE));
  }

  @Test
  void withoutThemThereIsNoTlsAndNobodyIsTold() throws ConfigException {
    ClusterFile file = parse("cluster: x\nnodes: {a: {addresses: [10.0.0.1]}}\n");

    assertThat(file.tls().certificate()).isNull();
    assertThat(file.access()).isEqualTo(AccessConfig.NONE);
    assertThat(file.tells()).isEqualTo(NotifyConfig.NONE);
  }

  @Test
  void everyErrorTellsWhereItStands() {
    String[][] cases = {
      {"key: /c.key, ", "", "line 3", "key"},
      {"key: /c.key", "keys: /c.key", "line 3", "did you mean \"key\"?"},
      {"/c.crt", "\"/a\\0b\"", "line 3", "pattern"},
      {", trust: /ca.crt", "", "line 6", "tls.trust"},
      {"\"CN=anna,O=orders\"", "anna", "line 6", "is no subject of a certificate"},
      {"administrator}", "root}", "line 6", "administrator"},
      {"https://example.org", "ftp://example.org", "line 9", "expected http:// or https://"},
      {"https://example.org", "https://me:secret@example.org", "line 9", "and no user"},
      {"https://example.org/x", "https://exa mple", "line 9", "is no URL"},
      {"mail.example.org:587", "mail.example.org", "line 11", "expected HOST:PORT"},
      {"    user: mgtm\n", "", "line 10", "user and passwordFile are set together"},
      {"user: mgtm", "user: mgtm\n    startTls: false", "line 13", "in the clear"},
      {"from: ha@example.org", "from: \"ha@x\\nBcc: y@z\"", "line 14", "pattern"},
      {"[node, failure]", "[nodes]", "line 16", "service"},
    };
    for (String[] c : cases) {
      assertThat(WHOLE).contains(c[0]);
      assertThatThrownBy(() -> parse(WHOLE.replace(c[0], c[1])))
          .as("%s", c[1])
          .isInstanceOf(ConfigException.class)
          .hasMessageStartingWith("ha.yaml: " + c[2] + ", column ")
          .hasMessageContaining(c[3]);
    }
  }
}
