package io.mgtm.group.net;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Carries bytes between members that are known by name. Messages may be lost, late or repeated;
 * from one sender to one receiver they mostly come in order.
 */
public interface Transport extends AutoCloseable {

  /** What comes in. Called by the transport's threads, several at a time. */
  interface Receiver {
    /** A message; the buffer is the receiver's. */
    void received(ByteBuffer message);

    /** As {@link #received}, called by the thread that owns the log. */
    default void receivedByOwner(ByteBuffer message) {
      received(message);
    }

    /** A member's connection broke, or it does not answer. It may be wrong. */
    void down(String name);

    /**
     * The connection over which a member sends has ended, and all that came over it was received.
     * Only a hint, which is wrong when it is not the process that has ended. Called by the thread
     * that owns the log.
     */
    void broken(String name);

    /** A member is connected that was not, or is another process now. */
    default void up(String name) {}

    /**
     * Another process has this member's name, and the others hear only one of the two.
     *
     * @param place where that is; empty when it is gone
     */
    default void rival(String place) {}
  }

  /**
   * Connects to whom it can, and goes on trying with the others in the background.
   *
   * @throws io.mgtm.group.LogException with ACCESS when the own address cannot be used
   */
  void start(Receiver receiver);

  /**
   * Sends to members, never to this one. Does not wait for a slow member: its message is dropped.
   *
   * @param message not changed after the call
   */
  void send(List<String> to, byte[] message);

  /**
   * What was sent goes out at once, and not first when the owner's turn ends. Called by the owner
   * before it does what takes long.
   */
  void flush();

  /** The names of the members that are connected, this one's among them. Any thread. */
  List<String> connected();

  /** What an operator should know of now, a sentence each. Any thread. */
  default List<String> warnings() {
    return List.of();
  }

  /**
   * Why one that connects is no member, where that is TLS or a certificate: a clause. Any thread.
   */
  default Optional<String> refusedCertificate() {
    return Optional.empty();
  }

  @Override
  void close();
}
