package io.mgtm.gtm.state;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What has come of a backup that is being restored. Each piece is decoded as it comes, so that the
 * last one does not take longer than the others. Owner thread.
 */
public final class Restoring {
  private final List<byte[]> pieces;

  /** Null before anything has come. */
  private CheckpointDecoder decoder;

  private int bytes;

  /** Nothing has come. */
  public Restoring() {
    this(new ArrayList<>());
  }

  private Restoring(List<byte[]> pieces) {
    this.pieces = pieces;
  }

  /** As it is now, to be encoded: nothing can be added to it. */
  Restoring picture() {
    Restoring picture = new Restoring(List.copyOf(pieces));
    picture.bytes = bytes;
    return picture;
  }

  /**
   * Adds what follows.
   *
   * @throws CheckpointDecoder.UnknownVersionException when it is of a newer version
   * @throws CheckpointDecoder.CorruptCheckpointException when it is no state
   */
  public void add(byte[] piece) {
    if (decoder == null) {
      decoder = new CheckpointDecoder(true);
    }
    pieces.add(piece);
    bytes = Math.addExact(bytes, piece.length);
    decoder.add(ByteBuffer.wrap(piece));
  }

  /**
   * All has come; the answer is the state.
   *
   * @throws CheckpointDecoder.CorruptCheckpointException when something is missing
   */
  public GtmState end() {
    return (decoder == null ? new CheckpointDecoder(true) : decoder).end();
  }

  /** How much has come. */
  public int bytes() {
    return bytes;
  }

  List<byte[]> pieces() {
    return pieces;
  }
}
