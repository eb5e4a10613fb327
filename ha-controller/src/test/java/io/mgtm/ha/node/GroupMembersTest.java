package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.Role;
import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GroupMembersTest {
  private final List<String> asked = new ArrayList<>();
  private List<String> members = List.of("a", "b", "c");
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
        members.stream().map(name -> new GroupStatus.Member(name, true, 9)).toList(),
        "",
        members,
        null,
        false,
        List.of());
  }

  @Test
  void nothingIsAskedWhileMembersAndNodesAreTheSame() {
    group.follow(status(), Set.of("a", "b", "c"), retired);
    assertThat(asked).isEmpty();
  }

  @Test
  void whoIsRetiredMayBeAway() {
    retired = Set.of("b");
    group.follow(status(), Set.of("a", "b", "c"), retired);
    assertThat(excused).containsExactly("b");
    retired = Set.of();
    group.follow(status(), Set.of("a", "b", "c"), retired);
    assertThat(excused).isEmpty();
    assertThat(asked).isEmpty();
  }

  @Test
  void whoIsGoneLeavesBeforeAnotherJoins() {
    group.follow(status(), Set.of("a", "b", "d"), retired);
    assertThat(asked).containsExactly("remove c");
    members = List.of("a", "b");
    group.follow(status(), Set.of("a", "b", "d"), retired);
    group.follow(status(), Set.of("a", "b", "d"), retired);
    assertThat(asked).containsExactly("remove c", "add d");
  }

  @Test
  void leaderThatLeavesHandsOver() {
    group.follow(status(), Set.of("b", "c", "d"), retired);
    assertThat(asked).containsExactly("transfer b");
  }

  @Test
  void whatIsRefusedIsAskedAgain() {
    answer = Optional.of("Another change of the group is under way; try again");
    group.follow(status(), Set.of("a", "b", "c", "d"), retired);
    group.follow(status(), Set.of("a", "b", "c", "d"), retired);
    assertThat(asked).containsExactly("add d", "add d");
  }

  @Test
  void whoWasToJoinAndIsNotInTheConfigurationAnyMoreDoesNotJoin() {
    group.follow(status(), Set.of("a", "b", "c", "d"), retired);
    group.follow(status(), Set.of("a", "b", "c"), retired);
    group.follow(status(), Set.of("a", "b", "c"), retired);
    assertThat(asked).containsExactly("add d", "remove d");
  }

  @Test
  void nextTermAsksAnew() {
    group.follow(status(), Set.of("a", "b", "c", "d"), retired);
    group.following();
    group.follow(status(), Set.of("a", "b", "c", "d"), retired);
    assertThat(asked).containsExactly("add d", "add d");
  }
}
