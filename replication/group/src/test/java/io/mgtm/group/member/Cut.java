package io.mgtm.group.member;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.protocols.DISCARD;

/** A protocol of a test's stack in XML that can cut its member off. */
public final class Cut extends DISCARD {
  private static final Map<String, Cut> RUNNING = new ConcurrentHashMap<>();

  /** Of the running member of a name. */
  static Cut of(String member) {
    return RUNNING.get(member);
  }

  @Override
  public void start() throws Exception {
    super.start();
    RUNNING.put(stack.getChannel().getName(), this);
  }

  @Override
  public void stop() {
    super.stop();
    RUNNING.values().remove(this);
  }

  /** Nothing comes in or goes out. */
  void cut() {
    discardAll(true);
  }

  void heal() {
    discardAll(false);
  }
}
