package io.mgtm.group.net;

import java.util.List;

/** That of a node without a group, which has nobody to send to. Any thread. */
public final class NoTransport implements Transport {
  private final String self;

  /** For a member of a name. */
  public NoTransport(String self) {
    this.self = self;
  }

  @Override
  public void start(Receiver receiver) {}

  @Override
  public void send(List<String> to, byte[] message) {
    throw new IllegalStateException("a node without a group sends to " + to);
  }

  @Override
  public void flush() {}

  @Override
  public List<String> connected() {
    return List.of(self);
  }

  @Override
  public void close() {}
}
