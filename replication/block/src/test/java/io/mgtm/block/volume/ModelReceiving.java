package io.mgtm.block.volume;

import java.util.Arrays;

/** What a model's target sends back to its source. */
final class ModelReceiving implements ReceiverEffects {
  private final ModelNode target;
  private final ModelConnection connection;

  ModelReceiving(ModelNode target, ModelConnection connection) {
    this.target = target;
    this.connection = connection;
  }

  private void send(Runnable message) {
    if (connection.open) {
      connection.toSource.add(message);
    }
  }

  @Override
  public void acknowledge() {
    Receiver receiver = target.core.receiver();
    boolean early = target.world.fault == ModelFault.ACKNOWLEDGED_IN_BACKLOG;
    long received = early ? receiver.arrived() : receiver.received();
    long written =
        target.world.fault == ModelFault.ACKNOWLEDGED_BEFORE_WRITTEN
            ? received
            : receiver.written();
    long durable =
        target.world.fault == ModelFault.BIT_CLEARED_BEFORE_TARGET_IS_DURABLE
            ? written
            : receiver.durable();
    send(
        () ->
            connection.source.core.linkAcked(
                connection.link, received, written, Math.min(written, durable)));
  }

  @Override
  public void sendChecksum(long seq, Change read) {
    String checksum = Arrays.toString((long[]) read.context());
    send(() -> connection.source.core.linkChecksum(connection.link, seq, checksum));
  }

  @Override
  public void sendBytes(long seq, Change read) {
    long[] bytes = (long[]) read.context();
    send(() -> connection.source.core.linkRead(connection.link, seq, bytes, bytes.length));
  }

  @Override
  public boolean isAlive() {
    return connection.open;
  }

  @Override
  public void close(String reason) {
    connection.receiving = null;
    connection.cut(reason);
  }
}
