package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.KeyGenerator;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.conf.ConfiguratorFactory;
import org.jgroups.conf.ProtocolConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The stacks in docs/stacks, which docs/operating-a-group.md tells of. */
class StackExamplesTest {
  private static final Path EXAMPLES = Path.of("../../docs/stacks");

  @TempDir Path folder;
  private final Map<String, String> before = new TreeMap<>();

  static List<Path> examples() throws Exception {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return files.sorted().toList();
    }
  }

  private void set(String key, String value) {
    before.putIfAbsent(key, String.valueOf(System.getProperty(key)));
    System.setProperty(key, value);
  }

  @AfterEach
  void restoreProperties() {
    before.forEach(
        (key, value) -> {
          if (value.equals("null")) {
            System.clearProperty(key);
          } else {
            System.setProperty(key, value);
          }
        });
  }

  private void use(InetSocketAddress own, List<InetSocketAddress> all) {
    set("mgtm.group.address", OwnAddress.HOST);
    set("mgtm.group.port", String.valueOf(own.getPort()));
    set(
        "mgtm.group.hosts",
        all.stream()
            .map(host -> "%s[%d]".formatted(OwnAddress.HOST, host.getPort()))
            .collect(Collectors.joining(",")));
    set("mgtm.group.dns", "localhost");
  }

  private void makeKey() throws Exception {
    Path keys = folder.resolve("key.p12");
    set("mgtm.group.keys", keys.toString());
    set("mgtm.group.password", "change it");
    KeyGenerator aes = KeyGenerator.getInstance("AES");
    aes.init(256);
    char[] password = "change it".toCharArray();
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, password);
    store.setEntry(
        "group",
        new KeyStore.SecretKeyEntry(aes.generateKey()),
        new KeyStore.PasswordProtection(password));
    try (OutputStream out = Files.newOutputStream(keys)) {
      store.store(out, password);
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void exampleHasTheProtocolsOfAGroupInTheirOrder(Path example) throws Exception {
    makeKey();
    List<String> names =
        ConfiguratorFactory.getStackConfigurator(example.toFile()).getProtocolStack().stream()
            .map(ProtocolConfiguration::getProtocolName)
            .toList();
    assertThat(names)
        .startsWith("TCP")
        .containsSubsequence(
            "MERGE3", "FD_SOCK2", "FD_ALL3", GroupVerify.class.getName(), "NAKACK4", "UNICAST4")
        .endsWith("pbcast.GMS", "FRAG4");
    assertThat(names.get(1)).endsWith("PING");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void exampleStartsWhereItsJarIsThere(Path example) throws Exception {
    makeKey();
    List<InetSocketAddress> one = OwnAddress.addresses(1);
    use(one.get(0), one);
    if (example.endsWith("kubernetes.xml")) {
      assertThatThrownBy(() -> new JChannel(example.toString()))
          .as("jgroups-kubernetes is the operator's to add")
          .hasStackTraceContaining("org.jgroups.protocols.kubernetes.KUBE_PING");
      return;
    }
    try (JChannel channel = new JChannel(example.toString())) {
      channel.connect("examples");
      assertThat(channel.getView().size()).isEqualTo(1);
    }
  }

  @Test
  void membersWithTheSameKeyHearEachOther() throws Exception {
    makeKey();
    List<InetSocketAddress> two = OwnAddress.addresses(2);
    String example = EXAMPLES.resolve("encrypted.xml").toString();
    List<String> heard = new CopyOnWriteArrayList<>();
    use(two.get(0), two);
    try (JChannel a = new JChannel(example).connect("examples")) {
      use(two.get(1), two);
      try (JChannel b = new JChannel(example)) {
        b.setReceiver(
            new Receiver() {
              @Override
              public void receive(Message message) {
                heard.add(
                    new String(
                        message.getArray(), message.getOffset(), message.getLength(), UTF_8));
              }
            });
        b.connect("examples");
        Await.until("a view of two", () -> a.getView().size() == 2);
        a.send(new BytesMessage(null, "hello".getBytes(UTF_8)));
        Await.until("the word", () -> heard.contains("hello"));
      }
    }
  }
}
