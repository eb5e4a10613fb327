package io.mgtm.group.total;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.core.MemberId;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ProposalEntryTest {
  private static final MemberId G1 = new MemberId("g1", new UUID(4, 5));

  @Test
  void anEntryOfAnotherModeIsToldFromAProposal() {
    ProposalEntry entry = new ProposalEntry(G1, 3, 17, ByteBuffer.wrap(new byte[] {9}));
    assertThat(ProposalEntry.decode(entry.encoded())).isEqualTo(entry);
    assertThatThrownBy(() -> ProposalEntry.decode(ByteBuffer.wrap(new byte[] {1, 0, 0})))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("another mode");
  }
}
