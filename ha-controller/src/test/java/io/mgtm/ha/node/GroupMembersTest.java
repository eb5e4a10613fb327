package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.Role;
import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GroupMembersTest {
  private final List<String> asked = new ArrayList<>();
  private List<String> members = List.of("a", "b", "c");

  /** How far d's log is, which learns. */
  private long has = 9;

  private Set<String> retired = Set.of();
  private Set<String> excused = Set.of("nobody yet");
  private Optional<String> answer = Optional.empty();
  private final GroupMembers group = new GroupMembers(new Group());

  /** That of a, which leads. */
  private final class Group implements GroupAdmin {
    private Optional<String> asked(String what) {
      asked.add(what);
      return answer;
    }

    @Override
    public Optional<String> transfer(String name) {
      return asked("transfer " + name);
    }

    @Override
    public Optional<String> add(String name) {
      return asked("add " + name);
    }

    @Override
    public Optional<String> add(String name, boolean asWitness) {
      return asked(asWitness ? "add witness " + name : "add " + name);
    }

    @Override
    public Optional<String> remove(String name) {
      return asked("remove " + name);
    }

    @Override
    public Optional<String> durability(DurabilityMode mode) {
      return asked("durability");
    }

    @Override
    public Optional<String> acceptLoss() {
      return asked("acceptLoss");
    }

    @Override
    public void excuse(Set<String> names) {
      excused = names;
    }
  }

  private GroupStatus status() {
    return new GroupStatus(
        "a",
        Role.LEADER,
        true,
        false,
        3,
        "a",
        DurabilityState.INTACT,
        9,
        9,
        9,
        DurabilityMode.ALL,
        members.stream()
            .map(name -> new GroupStatus.Member(name, !name.equals("d"), true, has, name))
            .toList(),
        "",
        members,
        null,
        "",
        List.of());
  }

  private void follow(String... names) {
    Map<String, Boolean> wanted = new LinkedHashMap<>();
    for (String name : names) {
      wanted.put(name, name.equals("w"));
    }
    group.follow(status(), wanted, retired);
  }

  @Test
  void nothingIsAskedWhileMembersAndNodesAreTheSame() {
    follow("a", "b", "c");
    assertThat(asked).isEmpty();
  }

  @Test
  void whoIsRetiredOrLeavesMayBeAway() {
    retired = Set.of("b");
    follow("a", "b");
    assertThat(excused).containsExactlyInAnyOrder("b", "c");
    retired = Set.of();
    follow("a", "b", "c");
    assertThat(excused).isEmpty();
  }

  @Test
  void whoIsGoneLeavesWhenTheOtherHasAll() {
    follow("a", "b", "d");
    follow("a", "b", "d");
    assertThat(asked).containsExactly("add d");
    members = List.of("a", "b", "c", "d");
    has = 8;
    follow("a", "b", "d");
    assertThat(asked).containsExactly("add d");
    has = 9;
    follow("a", "b", "d");
    assertThat(asked).containsExactly("add d", "remove c");
  }

  @Test
  void aWitnessIsAddedAsOne() {
    follow("a", "b", "w");
    assertThat(asked).containsExactly("add witness w");
  }

  @Test
  void leaderThatLeavesHandsOver() {
    follow("b", "c", "d");
    assertThat(asked).containsExactly("transfer b");
  }

  @Test
  void whatIsRefusedIsAskedAgain() {
    answer = Optional.of("Another change of the group is under way; try again");
    follow("a", "b", "c", "d");
    follow("a", "b", "c", "d");
    assertThat(asked).containsExactly("add d", "add d");
  }

  @Test
  void whoWasToJoinAndIsNotInTheConfigurationAnyMoreDoesNotJoin() {
    follow("a", "b", "c", "d");
    follow("a", "b", "c");
    follow("a", "b", "c");
    assertThat(asked).containsExactly("add d", "remove d");
  }

  @Test
  void nextTermAsksAnew() {
    follow("a", "b", "c", "d");
    group.following();
    follow("a", "b", "c", "d");
    assertThat(asked).containsExactly("add d", "add d");
  }
}
