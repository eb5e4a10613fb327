package io.mgtm.gtm.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.SequenceReply.SequenceInfo;
import java.io.IOException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The client against the original GTM that {@code -Dmgtm.reference=HOST:PORT} names. */
class ReferenceGtmIT {
  private static GtmClient connect() throws IOException {
    String reference = System.getProperty("mgtm.reference", "");
    Assumptions.assumeFalse(
        reference.isEmpty(), "SKIPPED: no original GTM, name one with -Dmgtm.reference=HOST:PORT");
    return GtmClient.connect(HostPort.parse(reference).resolve());
  }

  @Test
  void theOriginalServesTransactionsAndLists() throws IOException {
    try (GtmClient client = connect()) {
      int gxid = client.begin();
      assertThat(client.snapshot(gxid).gxid()).isEqualTo(gxid);
      assertThat(client.transactions().transactions()).isNotEmpty();
      assertThat(client.commit(gxid)).isTrue();
      int prepared = client.begin();
      client.startPrepare(prepared, "reference-it", "c1,d1");
      client.prepare(prepared);
      var ending = client.beginForPrepared("reference-it");
      assertThat(ending.preparedGxid()).isEqualTo(prepared);
      assertThat(ending.nodes()).isEqualTo("c1,d1");
      client.commitPrepared(prepared, ending.gxid());
      assertThat(client.nextGxid()).isGreaterThan(prepared);
    }
  }

  @Test
  void theOriginalServesSequencesAndNodes() throws IOException {
    try (GtmClient client = connect()) {
      String key = GtmClient.sequenceKey("reference.it.sequence");
      client.createSequence(key);
      assertThat(client.nextValue(key)).isOne();
      assertThat(client.nextValue(key)).isEqualTo(2);
      assertThat(client.sequences()).extracting(SequenceInfo::key).contains(key);
      client.dropSequence(key);
      assertThatThrownBy(() -> client.nextValue(key)).isInstanceOf(GtmErrorException.class);
      NodeAddress node = new NodeAddress(NodeType.DATANODE, "it9", "", "127.0.0.1", 5433, "/d9");
      client.register(node);
      assertThat(client.nodes()).anySatisfy(n -> assertThat(n.address()).isEqualTo(node));
      client.unregister(NodeType.DATANODE, "it9");
    }
  }
}
