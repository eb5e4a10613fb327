package io.mgtm.query.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerKindTest {
  private static final ServerKind OLD = kind("150018", "work_mem timezone");
  private static final ServerKind NEW = kind("180006", "work_mem timezone transaction_timeout");

  private static ServerKind kind(String number, String settings) {
    return ServerKind.of(List.of("f", number, settings));
  }

  private static Node node(ServerKind kind) {
    Node node = new Node(new HostPort("127.0.0.1", 5432));
    node.setKind(kind);
    return node;
  }

  @Test
  void versionsAreToldAsPeopleWriteThem() {
    assertThat(OLD.version()).isEqualTo("15.18");
    assertThat(NEW.version()).isEqualTo("18.6");
    assertThat(ServerKind.UNKNOWN.version()).isEmpty();
  }

  @Test
  void whatCannotBeServedIsRefused() {
    assertThat(ServerKind.refusal(14))
        .isEqualTo("it is PostgreSQL 14, and 15 and newer ones are served");
    assertThat(ServerKind.refusal(15)).isNull();
    assertThat(NEW.isUntried()).isFalse();
    assertThat(kind("190000", "a").isUntried()).isTrue();
  }

  @Test
  void aTransactionThatIsDecidedIsNotTimedOut() {
    Map<String, String> parameters = Map.of("user", "a");
    assertThat(OLD.begins(parameters)).isEqualTo(parameters);
    assertThat(NEW.begins(parameters))
        .containsEntry("transaction_timeout", "0")
        .containsEntry("user", "a");
  }

  @Test
  void theNewerOneMayLead() {
    Node older = node(OLD);
    Node newer = node(NEW);
    List<Node> both = List.of(older, newer);
    assertThat(ServerKind.leadsOlder(newer, both)).isTrue();
    assertThat(ServerKind.leadsOlder(older, both)).isFalse();
    assertThat(ServerKind.isMixed(both)).isTrue();
    assertThat(ServerKind.isMixed(List.of(newer, node(NEW)))).isFalse();
    // One that was never asked is of no version.
    List<Node> unasked = List.of(newer, node(ServerKind.UNKNOWN));
    assertThat(ServerKind.leadsOlder(newer, unasked)).isFalse();
    assertThat(ServerKind.isMixed(unasked)).isFalse();
  }
}
