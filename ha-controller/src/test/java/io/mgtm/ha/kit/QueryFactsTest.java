package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QueryFactsTest {
  private static final String GROUP =
      """
      "group":{"name":"q1","role":"%s","term":4,"leader":"q1","leaderAddress":"10.0.0.1:6432",
      "trouble":"","unready":[],"forwarded":0,"held":0,"members":[
      {"name":"q1","address":"10.0.0.1:6434","voter":true,"connected":true,"behind":0},
      {"name":"q2","address":"10.0.0.2:6434","voter":true,"connected":false,"behind":12},
      {"name":"q3","address":"10.0.0.3:6434","voter":false,"connected":true,"behind":null}],
      "warnings":[]}
      """;

  private static final String SERVES =
      """
      "leader":"pg1:5432","serversIn":1,"serversMin":1,"sessions":7,"servers":[
      {"server":"pg1:5432","version":"15.14","state":"leader","running":3,"behind":1,"reads":811,
      "writes":5,"effects":0,"why":null},
      {"server":"pg2:5432","version":"","state":"out","running":0,"behind":null,"reads":9,
      "writes":0,"effects":5,"why":"cannot connect"}],"captures":["app: on"],"adding":""
      """;

  @Test
  void theServersAndTheGroupAreTold() {
    assertThat(QueryFacts.of("{" + GROUP.formatted("leader") + "," + SERVES + "}"))
        .containsEntry("name", "q1")
        .containsEntry("role", "leader")
        .containsEntry("term", "4")
        .containsEntry("leads", "q1")
        .containsEntry("leader", "pg1:5432")
        .containsEntry("serversIn", "1")
        .containsEntry("serversMin", "1")
        .containsEntry("sessions", "7")
        .containsEntry("server.pg1:5432", "leader 15.14 3 1 811")
        .containsEntry("server.pg2:5432", "out - 0 -1 9")
        .containsEntry("why.pg2:5432", "cannot connect")
        .containsEntry("member.q1", "voter connected 0")
        .containsEntry("member.q2", "voter away 12")
        .containsEntry("member.q3", "joining connected -1")
        .doesNotContainKeys("trouble", "adding", "why.pg1:5432");
  }

  @Test
  void oneThatFollowsKnowsItsGroupAndOneAloneItsServers() {
    assertThat(QueryFacts.of("{" + GROUP.formatted("follower") + "}"))
        .containsEntry("role", "follower")
        .doesNotContainKeys("leader", "sessions");
    assertThat(QueryFacts.of("{" + SERVES + "}"))
        .containsEntry("leader", "pg1:5432")
        .doesNotContainKeys("name", "leads");
  }

  @Test
  void theFirstWarningIsTheTroubleWhereThereIsNoOther() {
    String warnings = "\"warnings\":[\"no group is founded\",\"and more\"]";
    String two = "{\"group\":{\"name\":\"q1\",\"trouble\":\"%s\"," + warnings + "}}";
    assertThat(QueryFacts.of(two.formatted(""))).containsEntry("trouble", "no group is founded");
    assertThat(QueryFacts.of(two.formatted("other"))).containsEntry("trouble", "other");
  }

  @Test
  void whatIsNoStatusIsSaidSo() {
    assertThat(QueryFacts.of("<html>")).containsOnlyKeys("trouble");
    assertThat(QueryFacts.of("{}")).isEmpty();
  }
}
