package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.DurabilityMode;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MembershipTest {
  private static final MemberId G1 = new MemberId("g1", new UUID(1, 2));
  private static final MemberId G2 = new MemberId("g2", new UUID(3, 4));

  private static Membership again(Membership membership) {
    return Membership.decode(ByteBuffer.wrap(membership.encoded()));
  }

  @Test
  void isReadAsItWasWritten() {
    Membership silent = Membership.ofVoters(List.of(G1)).withLearner(G2);
    assertThat(again(silent)).isEqualTo(silent);
    for (DurabilityMode mode : DurabilityMode.values()) {
      Membership said = silent.withDurability(mode);
      assertThat(again(said)).isEqualTo(said).isNotEqualTo(silent);
    }
  }

  @Test
  void isToldByNames() {
    assertThat(Membership.NONE.inWords()).isEqualTo("no members known");
    assertThat(Membership.ofVoters(List.of(G1, G2)).inWords()).isEqualTo("members g1 g2");
    assertThat(Membership.ofVoters(List.of(G1)).withLearner(G2).withWitness("w").inWords())
        .isEqualTo("members g1, without a vote g2, witness w");
  }

  @Test
  void isWrittenAsBeforeWhereNobodySaidADurability() {
    assertThat(Membership.ofVoters(List.of(G1, G2)).encoded()).startsWith(2, 0);
    assertThat(Membership.NONE.forces()).isEqualTo(DurabilityMode.CRITICAL);
  }

  @Test
  void changesKeepTheDurability() {
    Membership said = Membership.ofVoters(List.of(G1, G2)).withDurability(DurabilityMode.ALL);
    assertThat(said.demoted(G2).promoted(G2).without(G1).withLearner(G1).forces())
        .isEqualTo(DurabilityMode.ALL);
  }

  @Test
  void witnessIsReadAsItWasWrittenAndVotesWithoutData() {
    Membership silent = Membership.ofVoters(List.of(G1, G2)).withWitness("g2");
    for (Membership group : List.of(silent, silent.withDurability(DurabilityMode.ALL))) {
      assertThat(again(group)).isEqualTo(group);
      assertThat(group.hasWitness()).isTrue();
      assertThat(group.dataVoters()).containsExactly(G1);
      assertThat(group.demoted(G2).hasWitness()).isFalse();
      assertThat(group.demoted(G1).promoted(G1)).isEqualTo(group);
    }
    assertThat(silent.founding()).isNotEqualTo(silent.withWitness("").founding());
  }
}
