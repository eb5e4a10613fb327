package io.mgtm.query.scram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScramTest {
  private static final byte[] SALT = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] UNBOUND = {};

  private static Optional<ScramVerifier> verifier(String password, byte[] salt) {
    byte[] salted = Scram.saltedPassword(password, salt, 4096);
    return ScramVerifier.parse(
        "SCRAM-SHA-256$4096:%s$%s:%s"
            .formatted(
                Scram.base64(salt),
                Scram.base64(Scram.hash(Scram.hmac(salted, "Client Key"))),
                Scram.base64(Scram.hmac(salted, "Server Key"))));
  }

  private static ScramKeys exchange(ScramClient client, ScramServer server) throws ScramException {
    String last = client.answer(server.first(client.first(), UNBOUND, false));
    client.verify(server.last(last));
    return server.keys();
  }

  /** The example of RFC 7677, but for the user, whose name PostgreSQL leaves empty. */
  @Test
  void theProofIsThatOfTheRfc() throws Exception {
    byte[] salt = Scram.unbase64("W22ZaJ0SNY7soEsUEjb6gQ==");
    ScramKeys keys = ScramKeys.ofPassword("pencil", salt, 4096);
    String authMessage =
        "n=user,r=rOprNGfwEbeRWgbNEkqO,"
            + "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
            + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,"
            + "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    assertThat(Scram.base64(keys.proof(authMessage)))
        .isEqualTo("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
    assertThat(
            keys.isSignature(
                Scram.unbase64("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="), authMessage))
        .isTrue();
  }

  @Test
  void aProofGivesTheKeysThatEnterAServerWithTheSameVerifier() throws Exception {
    Optional<ScramVerifier> verifier = verifier("secret", SALT);
    ScramKeys keys =
        exchange(new ScramPassword("secret").client(), new ScramServer("alice", verifier));
    exchange(ScramClient.withKeys(keys), new ScramServer("alice", verifier));
    ScramServer other =
        new ScramServer(
            "alice", verifier("secret", "another salt 123".getBytes(StandardCharsets.US_ASCII)));
    ScramClient client = ScramClient.withKeys(keys);
    assertThatThrownBy(() -> client.answer(other.first(client.first(), UNBOUND, false)))
        .hasMessageContaining("another on this server");
  }

  @Test
  void aWrongPasswordAndAnUnknownRoleFailAlikeAtTheEnd() throws Exception {
    for (ScramServer server :
        new ScramServer[] {
          new ScramServer("alice", verifier("secret", SALT)),
          new ScramServer("zoe", Optional.empty())
        }) {
      ScramClient client = new ScramPassword("guess").client();
      String last = client.answer(server.first(client.first(), UNBOUND, false));
      assertThatThrownBy(() -> server.last(last))
          .isInstanceOfSatisfying(
              ScramException.class,
              e -> assertThat(e.reason()).isEqualTo(ScramException.Reason.REFUSED));
      assertThat(server.keys()).isNull();
    }
    assertThat(ScramVerifier.mock(SALT, "zoe").salt())
        .isEqualTo(ScramVerifier.mock(SALT, "zoe").salt())
        .isNotEqualTo(ScramVerifier.mock(SALT, "bob").salt());
  }

  @Test
  void aServerThatDoesNotKnowTheVerifierIsNotBelieved() throws Exception {
    ScramClient client = new ScramPassword("secret").client();
    ScramServer server = new ScramServer("alice", verifier("secret", SALT));
    client.answer(server.first(client.first(), UNBOUND, false));
    assertThatThrownBy(() -> client.verify("v=" + Scram.base64(new byte[32])))
        .hasMessageContaining("signature is wrong");
    assertThatThrownBy(() -> new ScramPassword("secret").client().verify("v=AAAA"))
        .hasMessageContaining("signature is wrong");
  }

  @Test
  void theOfferOfChannelBindingCannotBeTakenAway() {
    ScramServer server = new ScramServer("alice", verifier("secret", SALT));
    assertThatThrownBy(() -> server.first("y,,n=,r=abc", UNBOUND, true))
        .hasMessageContaining("channel binding negotiation");
    assertThatThrownBy(() -> server.first("n,,n=,r=abc", SALT, true))
        .hasMessageContaining("does not fit");
    assertThatThrownBy(() -> server.first("p=tls-server-end-point,,n=,r=abc", UNBOUND, true))
        .hasMessageContaining("does not fit");
  }

  @Test
  void anotherChannelIsFound() throws Exception {
    ScramServer server = new ScramServer("alice", verifier("secret", SALT));
    server.first("p=tls-server-end-point,,n=,r=abc", SALT, true);
    assertThatThrownBy(
            () ->
                server.last(
                    "c="
                        + Scram.base64(
                            "p=tls-server-end-point,,x".getBytes(StandardCharsets.US_ASCII))
                        + ",r=x,p=AAAA"))
        .hasMessageContaining("channel binding check failed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "n",
        "n,,",
        "n,,n=",
        "n,,n=,r=",
        "n,a=x,n=,r=abc",
        "n,,m=1,n=,r=abc",
        "z,,n=,r=a"
      })
  void malformedBeginningsAreRefused(String message) {
    ScramServer server = new ScramServer("alice", verifier("secret", SALT));
    assertThatThrownBy(() -> server.first(message, UNBOUND, false))
        .isInstanceOf(ScramException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "c=biws", "c=!!,r=x,p=x", "c=biws,r=wrong,p=AAAA", "c=biws,r=,x", "p=x"})
  void malformedEndsAreRefused(String message) throws Exception {
    ScramServer server = new ScramServer("alice", verifier("secret", SALT));
    server.first("n,,n=,r=abc", UNBOUND, false);
    assertThatThrownBy(() -> server.last(message)).isInstanceOf(ScramException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "md5abc",
        "SCRAM-SHA-256$0:AAAA$AAAA:AAAA",
        "SCRAM-SHA-256$4096:!$AAAA:AAAA",
        "SCRAM-SHA-256$99999999999:AAAA$AAAA:AAAA"
      })
  void whatIsNoVerifierIsNone(String text) {
    assertThat(ScramVerifier.parse(text)).isEmpty();
  }
}
