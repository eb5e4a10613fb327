package io.mgtm.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyConfigTest {
  private static final Path PAGE = Path.of("..", "docs", "proxy.md");
  private static final Pattern ROW =
      Pattern.compile("\\| `([A-Za-z.]+)` \\| (?:`([^`]*)`|none) \\| ([^|]+) \\| [^|]+ \\|");

  @TempDir private Path scratch;

  private ProxyConfig read(String text) throws IOException, ConfigException {
    Path file = Files.writeString(scratch.resolve("proxy.yaml"), text);
    return ProxyConfig.read(file);
  }

  @Test
  void whatIsNotSetHasItsDefault() throws Exception {
    ProxyConfig config =
        read("{name: p7, gtm: ['g1:6666', '[::1]:7000'], protocol: mgtm, allow: [10.0.0.0/8]}");
    assertThat(config.validated()).isEqualTo(config);
    assertThat(config.name()).isEqualTo("p7");
    assertThat(config.gtm()).containsExactly(new HostPort("g1", 6666), new HostPort("::1", 7000));
    assertThat(config.protocol()).isEqualTo(UpstreamProtocol.MGTM);
    assertThat(config.allow()).isEqualTo(List.of("10.0.0.0/8"));
    assertThat(config.limits()).isEqualTo(ProxyConfig.DEFAULTS.limits());
    assertThat(config.tls().trust()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          gtm: []                        | gtm: expected 1 to 64 addresses HOST:PORT; set them with --gtm
          gtm: ['g1']                    | "g1" is no address: expected HOST:PORT
          gtm: 5                         | gtm: 5 is not allowed, expected a list
          name: a b                      | name: "a b" is not allowed, expected 1 to 63 of letters
          allow: [10.0.0.0/99]           | allow: "10.0.0.0/99" is no network: expected ADDRESS/BITS
          protocol: http                 | protocol: "http" is not allowed, expected auto or mgtm or xc
          {protocol: xc, secretFile: s, gtm: ['g1:6666']} | protocol: xc is not allowed with secretFile
          {listen: 'g1:6666', gtm: ['g1:6666']} | gtm: g1:6666 is where this proxy itself listens
          drainMs: -1                    | drainMs: -1 is not allowed, expected 0 to 3600000
          limits: {connectionsMax: 40000} | limits.connectionsMax: 40000 is not allowed, expected 1 to 30000
          tls: {certificate: a.pem}      | tls.certificate: it needs tls.trust
          tls: {trust: ca.pem, key: k}   | tls.certificate: it needs tls.key
          connections: 5                 | unknown key connections, expected one of: allow, drainMs
          """)
  void aWrongFileIsRefusedWithKeyValueAndWhatIsAllowed(String text, String message) {
    String whole = text.contains("gtm") ? text : text + "\ngtm: ['g1:6666']";
    assertThatThrownBy(() -> read(whole).validated())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }

  @Test
  void thePageTellsOfEveryKeyAndItsDefault() throws IOException {
    Map<String, String> defaults = new LinkedHashMap<>();
    flatten("", new ObjectMapper().valueToTree(ProxyConfig.DEFAULTS), defaults);
    defaults.replace("protocol", "auto");
    Map<String, String> documented = new LinkedHashMap<>();
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        documented.put(row.group(1), String.valueOf(row.group(2)));
      }
    }
    assertThat(documented).isEqualTo(defaults);
  }

  private static void flatten(String prefix, JsonNode node, Map<String, String> into) {
    node.properties()
        .forEach(
            entry -> {
              JsonNode value = entry.getValue();
              if (value.isObject()) {
                flatten(prefix + entry.getKey() + ".", value, into);
              } else {
                into.put(prefix + entry.getKey(), value.isArray() ? "null" : value.asText());
              }
            });
  }
}
