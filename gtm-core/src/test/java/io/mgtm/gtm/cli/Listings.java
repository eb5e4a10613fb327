package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.client.ClientSettings;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.node.LargeState;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.Startup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;

/** What is to be had from a GTM with a large state. */
final class Listings {
  /** A client that waits as long as a busy machine takes. */
  private static final ClientSettings PATIENT =
      new ClientSettings(
          new Startup("patient", NodeType.DEFAULT, false),
          60_000,
          60_000,
          ReplyDecoder.FRAME_BYTES_MAX);

  private Listings() {}

  /** All is listed, while somebody who reads nothing has asked for a hundred lists. */
  static void listEverything(InetSocketAddress address, int sequences) throws IOException {
    try (RawClient deaf = new RawClient(address).startup("deaf", 6, false);
        GtmClient client = GtmClient.connect(address, PATIENT)) {
      for (int i = 0; i < 100; i++) {
        deaf.send(RequestFrame.command(MessageType.SEQUENCE_LIST).bytes());
      }
      assertThat(client.commit(client.begin())).isTrue();
      assertThat(client.transactions().transactions()).hasSize(LargeState.TRANSACTIONS);
      Set<String> keys = new HashSet<>();
      client.sequences().forEach(sequence -> keys.add(sequence.key()));
      assertThat(keys).hasSize(sequences);
      assertThat(client.commit(client.begin())).isTrue();
    }
  }
}
