package io.mgtm.gtm.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.group.GroupMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The sections on groups and links. */
class GroupConfigTest {
  @TempDir private Path scratch;

  private GtmConfig read(String text) throws IOException, ConfigException {
    return GtmConfig.read(Files.writeString(scratch.resolve("gtm.yaml"), text)).validated();
  }

  @Test
  void membersAreReadInTheirOrder() throws Exception {
    GroupConfig group =
        read("group: {name: g2, members: 'g2=h2:7666, g1=[::1]:7667', mode: fifo}").group();
    assertThat(group.exists()).isTrue();
    assertThat(group.memberAddresses().keySet()).containsExactly("g2", "g1");
    assertThat(group.memberAddresses()).containsEntry("g1", new HostPort("::1", 7_667));
    assertThat(read("links: {graceMs: 100}").group().exists()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(GroupMode.class)
  void everyModeOfTheGroupsCanBeChosenAlsoByTwo(GroupMode mode) throws Exception {
    GroupConfig group =
        read("group: {name: g1, members: 'g1=h:1,g2=h:2', mode: " + mode.label() + "}").group();
    assertThat(group.mode()).isEqualTo(mode);
  }

  @Test
  void oneOfThreeMayBeTheWitness() throws Exception {
    String text = "group: {name: %s, members: 'a=h:1,b=h:2,c=h:3', witness: c}";
    assertThat(read(text.formatted("c")).group().isWitness()).isTrue();
    assertThat(read(text.formatted("a")).group().isWitness()).isFalse();
    String lazy = "group: {name: a, members: 'a=h:1,b=h:2,c=h:3', witness: c, mode: lazy}";
    assertThat(read(lazy).group().witness()).isEqualTo("c");
    assertThat(read("group: {name: a}").group().witness()).isNull();
  }

  @Test
  void membersOfOneHostMayLieCloseTogether() throws Exception {
    String text = "{listen: '%s', group: {name: a, members: 'a=h:7666,b=h:7667,c=i:7766'%s}}";
    assertThat(read(text.formatted("i:7666", "")).group().exists()).isTrue();
    assertThat(read(text.formatted("h:7665", "")).group().exists()).isTrue();
    String ofAStackFile = text.replace("h:7667", "h:7666");
    assertThat(read(ofAStackFile.formatted("h:1", ", stackFile: s.xml")).group().exists()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          group: {name: g1, members: g1}             | group.members: "g1" is no member: expected NAME=HOST:PORT
          group: {name: g1, members: 'g1=h'}         | group.members: "h" is no address: expected HOST:PORT
          group: {name: g1, members: 'g1=h:0'}       | group.members: member g1 needs a port
          group: {name: g1, members: 'g1=h:1,g1=h:2'} | group.members: member g1 stands there twice
          group: {name: g1, members: 'g 1=h:1'}      | group.members: "g 1" is no name
          group: {name: g9, members: 'g1=h:1'}       | group.name: g9 is not allowed, expected one of g1
          group: {name: 'g/1'}                       | group: "g/1" is no name
          group: {mode: some}                        | group.mode: mode is "some"; fifo, causal, lazy, total are allowed
          group: {mode: RAFT}                        | group.mode: mode is "RAFT", which this version does not have: mode fifo with durability all promises the same
          group: {witness: g3}                       | group.witness: g3 is not allowed, there is no group
          group: {mode: lazy}                        | group.mode: lazy is not allowed, there is no group; set group.members
          group: {queryLeaseMs: 100}                 | group.queryLeaseMs: 100 is not allowed, there is no group; set group.members
          group: {secretFile: s}                     | group.secretFile: s is not allowed, there is no group
          group: {stackFile: t.xml}                  | group.stackFile: t.xml is not allowed, there is no group
          group: {name: a, members: 'a=h:1,b=h:2', queryLeaseMs: 19} | group.queryLeaseMs: 19 is not allowed, expected 0, or 20 and more
          group: {name: a, members: 'a=h:1,b=h:2', queryLeaseMs: 351} | group.queryLeaseMs: 351
          group: {name: a, members: 'a=h:1,b=h:2', queryLeaseMs: 100, mode: lazy} | group.queryLeaseMs: 100 is not allowed, in mode lazy no leader asks others before it answers queries
          group: {keyStore: k.p12, passwordFile: p}  | group.keyStore: k.p12 is not allowed, there is no group
          access: {members: [10.0.0.0/8]}            | access.members is set, and there is no group; set group.members
          {listen: 'h:1', metrics: 'h:1'}            | metrics: h:1 is taken: clients connect there, as listen says
          group: {name: a, members: 'a=h:1,b=h:2,c=h:3', witness: d} | group.witness: d is not allowed, expected one of the members a, b, c
          group: {name: a, members: 'a=h:1,b=h:2,c=h:3', witness: c, mode: total} | group.witness: c is not allowed, in mode total all members keep data; a group of mode fifo or lazy can have a witness
          group: {name: a, members: 'a=h:1,b=h:2,c=h:3,d=h:4', witness: c} | group.witness: c is not allowed, a witness goes with two members that keep data, and group.members names a, b, c, d
          group: {name: a, members: 'a=h:1,b=h:2', witness: b} | a witness goes with two members that keep data
          group: {keyStore: k.p12}                   | group.keyStore and group.passwordFile are set together
          group: {secretFile: s, stackFile: t.xml}   | group.secretFile is set beside group.stackFile
          links: {certificate: c.pem}                | links.certificate and links.key are set together
          links: {tlsOnly: true}                     | links.trust and links.tlsOnly need links.certificate
          group: {name: a, members: 'a=h:1,b=h:1,c=h:1,d=h:1,e=h:1,f=h:1,g=h:1,i=h:1'} | 8 members are not allowed, expected up to 7
          group: {name: a, members: 'a=h:7666,b=h:7666'}   | group.members: a and b would both listen on h:7666; give one of them another port
          group: {name: a, members: 'a=h:7666,b=i:7666,c=H:7666'} | group.members: a and c would both listen on H:7666
          {listen: 'h:7666', group: {name: a, members: 'a=h:7666'}} | listen: h:7666 is taken: this member listens there for the others, as group.members says; choose another port
          {listen: '0.0.0.0:7666', group: {name: a, members: 'a=h:7666'}} | listen: 0.0.0.0:7666 is taken
          {metrics: 'h:7666', group: {name: a, members: 'a=h:7666'}} | metrics: h:7666 is taken
          """)
  void aWrongGroupIsRefused(String text, String message) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }
}
