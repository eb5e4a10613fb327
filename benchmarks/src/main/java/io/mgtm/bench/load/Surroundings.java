package io.mgtm.bench.load;

import io.mgtm.bench.check.GivenOut;
import io.mgtm.gtm.client.ClientSettings;
import io.mgtm.gtm.client.GtmClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * What a run needs around it: sequences to draw from, transactions that stay open. Made before the
 * load, taken away after it.
 */
final class Surroundings implements AutoCloseable {
  private final LoadSettings settings;
  private final List<String> sequenceKeys = new ArrayList<>();
  private final List<Integer> open = new ArrayList<>();

  /** Holds the open transactions; null when there are none. */
  private GtmClient holder;

  private Surroundings(LoadSettings settings) {
    this.settings = settings;
  }

  /**
   * Makes them.
   *
   * @throws IOException also when the target cannot be reached, whatever the mix
   */
  static Surroundings make(LoadSettings settings, GivenOut givenOut) throws IOException {
    Surroundings made = new Surroundings(settings);
    try (GtmClient client = made.connect()) {
      if (settings.mix() == Mix.SEQ) {
        made.createSequences(client);
      }
    }
    if (settings.open() > 0) {
      made.begin(givenOut);
    }
    return made;
  }

  private GtmClient connect() throws IOException {
    IOException last = null;
    for (InetSocketAddress target : settings.targets()) {
      try {
        return GtmClient.connect(target, ClientSettings.named("bench"));
      } catch (IOException e) {
        last = e;
      }
    }
    throw last;
  }

  /** Names that no other run has: two may drive one GTM. */
  private void createSequences(GtmClient client) throws IOException {
    String run = Long.toHexString(System.nanoTime()) + ProcessHandle.current().pid();
    for (int i = 0; i < settings.sequences(); i++) {
      String key = GtmClient.sequenceKey("bench.s" + run + ".q" + i);
      client.createSequence(key);
      sequenceKeys.add(key);
    }
  }

  private void begin(GivenOut givenOut) throws IOException {
    holder = connect();
    try {
      for (int i = 0; i < settings.open(); i++) {
        int gxid = holder.begin();
        givenOut.addGxid(gxid);
        open.add(gxid);
      }
    } catch (IOException e) {
      holder.close();
      throw e;
    }
  }

  List<String> sequenceKeys() {
    return sequenceKeys;
  }

  int[] open() {
    return open.stream().mapToInt(Integer::intValue).toArray();
  }

  @Override
  public void close() throws IOException {
    if (holder != null) {
      try (GtmClient client = holder) {
        for (int gxid : open) {
          client.rollback(gxid);
        }
      }
    }
    if (!sequenceKeys.isEmpty()) {
      try (GtmClient client = connect()) {
        for (String key : sequenceKeys) {
          client.dropSequence(key);
        }
      }
    }
  }
}
