package io.mgtm.query.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.EnumFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryConfigTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "query.md");
  private static final Pattern ROW =
      Pattern.compile("\\| `([A-Za-z.]+)` \\| (?:`([^`]*)`|none) \\| [^|]+ \\| [^|]+ \\|");

  @TempDir private Path scratch;

  private QueryConfig read(String text) throws IOException, ConfigException {
    return QueryConfig.read(Files.writeString(scratch.resolve("query.yaml"), text));
  }

  @Test
  void whatIsNotSetHasItsDefault() throws Exception {
    QueryConfig config =
        read("{servers: ['[::1]:5432'], role: {user: me}, limits: {connectionsMax: 7}}");
    assertThat(config.validated()).isEqualTo(config);
    assertThat(config.servers()).containsExactly(new HostPort("::1", 5432));
    assertThat(config.role()).isEqualTo(new QueryConfig.Role("me", "postgres", null));
    assertThat(config.limits().messageBytesMax()).isEqualTo(64 << 20);
    assertThat(read("")).isEqualTo(QueryConfig.DEFAULTS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          servers: []                    | servers: expected 1 to 16 addresses
          servers: ['g1:1', 'g2:1']      | data: expected a folder
          servers: ['g1:1', 'g1:1']      | servers: expected 1 to 16 addresses
          {servers: ['g1:1'], serversMin: 2} | serversMin: 2 is not allowed, expected 1 to 1
          servers: ['g1']                | "g1" is no address: expected HOST:PORT
          servers: ['::1:5432']          | "::1:5432" is no address
          servers: ['g1:65536']          | "g1:65536" is no address
          access: [everybody]            | access: "everybody" is no rule: expected host|hostssl
          access: ['host a b 1.2.3.4/33 trust'] | access: "host a b 1.2.3.4/33 trust" is no rule
          access: ['host a b name trust'] | access: "host a b name trust" is no rule
          access: ['host a b all md5']   | access: "host a b all md5" is no rule
          tls: {certificate: a.pem}      | tls.certificate: it needs tls.key
          threads: 0                     | threads: 0 is not allowed, expected 1 to 256
          threads: many                  | threads: "many" is not allowed
          limits: {messageBytesMax: 5}   | limits.messageBytesMax: 5 is not allowed, expected 65536
          timeouts: {connectMs: 1}       | timeouts.connectMs: 1 is not allowed
          role: {user: ''}               | role.user and role.database: expected names
          group: {members: 'q1=h:1'}     | data: expected a folder
          group: {secretFile: s}         | group.secretFile: s is not allowed, there is no group
          group: {keyStore: k}           | group.keyStore and group.passwordFile are set together
          server: x                      | unknown key server, expected one of: access, admin, data
          """)
  void aWrongFileIsRefusedWithKeyValueAndWhatIsAllowed(String text, String message) {
    String whole = text.contains("servers") ? text : text + "\nservers: ['g1:5432']";
    assertThatThrownBy(() -> read(whole).validated())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {name: q3, members: 'q1=h:1,q2=h:2'}    | group.name: q3 is not allowed, expected one of q1, q2
          {name: q1, members: 'q1=h:1,q2'}        | group: "q2" is no member: expected NAME=HOST:PORT
          {name: q1, members: 'q1=h:1,q1=h:2'}    | group: member q1 stands there twice
          {name: q1, members: 'q1=h:1,q2=h:0'}    | group: member q2 needs a port
          {name: q1, members: 'q1=h:1,q2=H:1'}    | group.members: two members would both listen on
          {name: q1, members: 'q1=127.0.0.1:6432,q2=h:1'} | listen: 127.0.0.1:6432 is taken
          {name: 'q 1', members: 'q1=h:1'}        | "q 1" is no name
          """)
  void aWrongGroupIsRefused(String group, String message) {
    String text = "{servers: ['g1:1', 'g2:1'], data: d, group: " + group + "}";
    assertThatThrownBy(() -> read(text).validated())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }

  @Test
  void clientsAreSentToTheHostAmongTheMembers() throws Exception {
    String group = "group: {name: q2, members: 'q1=h1:1, q2=h2:2'%s}";
    String servers = "{servers: ['g1:1', 'g2:1'], data: d, ";
    QueryConfig config = read(servers + group.formatted("") + "}").validated();
    assertThat(config.group().advertised(6432)).isEqualTo(new HostPort("h2", 6432));
    QueryConfig other = read(servers + group.formatted(", advertise: 'x:7'") + "}").validated();
    assertThat(other.group().advertised(6432)).isEqualTo(new HostPort("x", 7));
  }

  @ParameterizedTest
  @CsvSource({
    "host all all all trust,                1.2.3.4, true,  a, b, true",
    "host all all ::/0 trust,               1.2.3.4, true,  a, b, false",
    "host all all 1.2.3.0/24 trust,         1.2.3.4, false, a, b, true",
    "host all all 1.2.0.0/15 trust,         1.3.3.4, false, a, b, true",
    "host all all 1.2.0.0/15 trust,         1.4.3.4, false, a, b, false",
    "host all all 1.2.3.5 trust,            1.2.3.4, false, a, b, false",
    "hostssl all all all reject,            1.2.3.4, false, a, b, false",
    "hostssl all all all reject,            1.2.3.4, true,  a, b, true",
    "hostnossl all all all scram-sha-256,   1.2.3.4, true,  a, b, false",
    "hostnossl all all all scram-sha-256,   1.2.3.4, false, a, b, true",
    "host a b fd00::/8 scram-sha-256,       fd12::7, false, a, b, true",
    "host a b all scram-sha-256,            fd12::7, false, x, b, false",
    "host a b all scram-sha-256,            fd12::7, false, a, x, false",
  })
  void rulesFitAsInPgHba(
      String rule, String from, boolean tls, String database, String user, boolean fits)
      throws Exception {
    assertThat(new AccessRule(rule).fits(InetAddress.getByName(from), tls, database, user))
        .isEqualTo(fits);
  }

  @Test
  void thePageTellsOfEveryKeyAndItsDefault() throws IOException {
    Map<String, String> defaults = new LinkedHashMap<>();
    ObjectMapper mapper = JsonMapper.builder().enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE).build();
    flatten("", mapper.valueToTree(QueryConfig.DEFAULTS), defaults);
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
              } else if (value.isArray()) {
                into.put(prefix + entry.getKey(), value.isEmpty() ? "null" : value.get(0).asText());
              } else {
                into.put(prefix + entry.getKey(), value.isNull() ? "null" : value.asText());
              }
            });
  }
}
