package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.jgroups.Address;
import org.junit.jupiter.api.Test;

class NameHoldersTest {
  private final Address self = process("g1", 1);
  private final Address real = process("g3", 3);
  private final Address impostor = process("g3", 4);

  private static Address process(String name, int port) {
    return MemberAddress.of(name, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  private NameHolders first(Address... view) {
    return NameHolders.NONE.in(List.of(view), self);
  }

  @Test
  void processThatIsThereKeepsItsName() {
    NameHolders now = first(self, real).in(List.of(self, real, impostor), self);
    assertThat(now.byName()).containsOnly(Map.entry("g3", real));
    assertThat(now.rivals())
        .singleElement()
        .asString()
        .contains("127.0.0.1:3 is heard")
        .contains("127.0.0.1:4 is not");
  }

  /** As after a merge, in which JGroups sorts the members anew. */
  @Test
  void processThatWasHeardStaysSoWhereverItStandsInTheView() {
    NameHolders now = first(self, real).in(List.of(impostor, real, self), self);
    assertThat(now.byName()).containsEntry("g3", real);
  }

  @Test
  void whoHasBeenThereLongestIsHeardByOneThatIsNew() {
    assertThat(first(real, impostor, self).byName()).containsEntry("g3", real);
  }

  @Test
  void nameIsFreeWhenItsProcessIsGone() {
    NameHolders both = first(self, real).in(List.of(self, real, impostor), self);
    NameHolders now = both.in(List.of(self, impostor), self);
    assertThat(now.byName()).containsEntry("g3", impostor);
    assertThat(now.rivals()).isEmpty();
  }

  @Test
  void newProcessAtTheSameAddressReplacesTheFormerAtOnce() {
    Address again = process("g3", 3);
    NameHolders now = first(self, real).in(List.of(self, real, again), self);
    assertThat(now.byName()).containsEntry("g3", again);
    assertThat(now.rivals()).isEmpty();
  }

  @Test
  void processLearnsThatAnotherHasItsName() {
    NameHolders atImpostor = NameHolders.NONE.in(List.of(self, real, impostor), impostor);
    assertThat(atImpostor.byName()).containsOnly(Map.entry("g1", self));
    assertThat(atImpostor.rivals()).singleElement().asString().contains("at 127.0.0.1:3, while");
    NameHolders atReal = NameHolders.NONE.in(List.of(self, real, impostor), real);
    assertThat(atReal.rivals()).singleElement().asString().contains("at 127.0.0.1:4, while");
    assertThat(atReal.ownRival()).isEqualTo("127.0.0.1:4");
    assertThat(atReal.in(List.of(self, real), real).ownRival()).isEmpty();
    assertThat(first(self, real, impostor).ownRival()).as("that of another name").isEmpty();
  }

  @Test
  void formerProcessOfOneselfIsNoRival() {
    assertThat(NameHolders.NONE.in(List.of(process("g1", 1), self), self).rivals()).isEmpty();
  }
}
