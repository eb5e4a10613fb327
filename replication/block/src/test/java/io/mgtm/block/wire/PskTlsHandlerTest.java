package io.mgtm.block.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Vector;
import org.bouncycastle.tls.BasicTlsPSKExternal;
import org.bouncycastle.tls.CipherSuite;
import org.bouncycastle.tls.PSKTlsClient;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.TlsClientProtocol;
import org.bouncycastle.tls.TlsPSK;
import org.bouncycastle.tls.crypto.TlsCrypto;
import org.bouncycastle.tls.crypto.impl.bc.BcTlsCrypto;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The handler against Bouncy Castle's own client, byte streams exchanged by hand. */
class PskTlsHandlerTest {
  private static final String KEY = "00112233445566778899aabbccddeeff";

  @TempDir Path folder;

  /** A client of one version. */
  private static final class Client extends PSKTlsClient {
    private final ProtocolVersion version;
    private final byte[] identity;
    private final byte[] key;
    ProtocolVersion agreed;
    boolean selected;

    Client(TlsCrypto crypto, ProtocolVersion version, byte[] identity, byte[] key) {
      super(crypto, identity, key);
      this.version = version;
      this.identity = identity;
      this.key = key;
    }

    @Override
    protected ProtocolVersion[] getSupportedVersions() {
      return version.only();
    }

    @Override
    protected int[] getSupportedCipherSuites() {
      return version.equals(ProtocolVersion.TLSv13)
          ? new int[] {CipherSuite.TLS_AES_128_GCM_SHA256}
          : super.getSupportedCipherSuites();
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Vector getExternalPSKs() {
      return version.equals(ProtocolVersion.TLSv13)
          ? new Vector<>(List.of(new BasicTlsPSKExternal(identity, getCrypto().createSecret(key))))
          : null;
    }

    @Override
    public void notifySelectedPSK(TlsPSK psk) {
      selected = psk != null;
    }

    @Override
    public void notifyServerVersion(ProtocolVersion server) throws IOException {
      super.notifyServerVersion(server);
      agreed = server;
    }
  }

  private static ProtocolVersion version(String name) {
    return name.equals("1.3") ? ProtocolVersion.TLSv13 : ProtocolVersion.TLSv12;
  }

  private EmbeddedChannel server() throws IOException {
    Path file = folder.resolve("keys");
    Files.writeString(file, "alice:" + KEY + "\n");
    return new EmbeddedChannel(new PskTlsHandler(PskKeys.read(file)));
  }

  private static Client client(String version, String identity, String key) {
    return new Client(
        new BcTlsCrypto(new SecureRandom()),
        version(version),
        identity.getBytes(StandardCharsets.UTF_8),
        HexFormat.of().parseHex(key));
  }

  /** Carries bytes to and fro until both have nothing more to say. */
  private static void exchange(TlsClientProtocol client, EmbeddedChannel server)
      throws IOException {
    boolean moved = true;
    while (moved) {
      moved = false;
      int ready = client.getAvailableOutputBytes();
      if (ready > 0) {
        byte[] out = new byte[ready];
        client.readOutput(out, 0, ready);
        var unused = server.writeInbound(Unpooled.wrappedBuffer(out));
        moved = true;
      }
      for (ByteBuf in = server.readOutbound(); in != null; in = server.readOutbound()) {
        byte[] bytes = new byte[in.readableBytes()];
        in.readBytes(bytes);
        in.release();
        client.offerInput(bytes);
        moved = true;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.3", "1.2"})
  void bytesPassOnceTheKeyIsProven(String version) throws Exception {
    EmbeddedChannel server = server();
    TlsClientProtocol protocol = new TlsClientProtocol();
    Client client = client(version, "alice", KEY);
    protocol.connect(client);
    exchange(protocol, server);
    assertThat(protocol.isConnected()).isTrue();
    assertThat(client.agreed).isEqualTo(version(version));
    assertThat(client.selected).isEqualTo(version.equals("1.3"));

    byte[] there = new byte[40_000];
    new SecureRandom().nextBytes(there);
    protocol.writeApplicationData(there, 0, there.length);
    exchange(protocol, server);
    ByteBuf received = Unpooled.buffer();
    for (ByteBuf in = server.readInbound(); in != null; in = server.readInbound()) {
      received.writeBytes(in);
      in.release();
    }
    assertThat(received).isEqualTo(Unpooled.wrappedBuffer(there));

    assertThat(server.writeOutbound(Unpooled.wrappedBuffer(there))).isTrue();
    exchange(protocol, server);
    byte[] back = new byte[there.length];
    assertThat(protocol.getAvailableInputBytes()).isEqualTo(back.length);
    protocol.readInput(back, 0, back.length);
    assertThat(back).isEqualTo(there);
    assertThat(server.finish()).isTrue();
    server.releaseOutbound();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.3", "1.2"})
  void anotherKeyAndAnUnknownIdentityAreRefused(String version) throws Exception {
    for (Client client :
        List.of(client(version, "alice", KEY.replace('0', '1')), client(version, "mallory", KEY))) {
      EmbeddedChannel server = server();
      TlsClientProtocol protocol = new TlsClientProtocol();
      protocol.connect(client);
      assertThatThrownBy(
              () -> {
                exchange(protocol, server);
                server.checkException();
              })
          .isInstanceOf(IOException.class);
      assertThat(protocol.isConnected()).isFalse();
      Object passed = server.readInbound();
      assertThat(passed).as("what was passed on").isNull();
      var unused = server.close();
    }
  }
}
