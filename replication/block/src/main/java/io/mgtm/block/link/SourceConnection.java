package io.mgtm.block.link;

import io.mgtm.block.volume.Change;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Identity;
import io.mgtm.block.volume.LinkMode;
import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.VolumeCore;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/** The source's end of one connection to a replica. */
public final class SourceConnection extends DiallingConnection {
  private final VolumeCore core;
  private final int link;
  private final int ordered;
  private final BiConsumer<SourceConnection, String> onGone;
  private IntStream.Builder peerChunks = IntStream.builder();
  private long peerChunkCount;
  private boolean met;

  /**
   * A connection for link number {@code link}.
   *
   * @param mode the link's mode: only in sync mode does this side itself wait for the replica's
   *     stable storage, in the others the replica keeps the order of what follows a FLUSH
   * @param timeoutMs after so long without a word the connection counts as lost
   * @param security how the replica is to prove that it is one
   * @param onGone told once when the connection is gone, and why
   */
  public SourceConnection(
      VolumeCore core,
      int link,
      LinkMode mode,
      Compression compression,
      long timeoutMs,
      LinkSecurity security,
      BiConsumer<SourceConnection, String> onGone) {
    super(compression, timeoutMs, security);
    this.core = core;
    this.link = link;
    this.ordered = mode == LinkMode.SYNC ? 0 : Frame.FLAG_ORDERED;
    this.onGone = onGone;
  }

  /** Whether the two sides agreed to go on. */
  public boolean hasMet() {
    return met;
  }

  @Override
  boolean isEstablished() {
    return met;
  }

  @Override
  void introduce() {
    writer().text(Frame.HELLO, Hello.write(core.identityFor("")));
  }

  @Override
  void gone(String why) {
    onGone.accept(this, why);
  }

  @Override
  public boolean isBlocked() {
    return isClosed();
  }

  @Override
  void proven(int type, long seq, ByteBuf payload) throws LinkException {
    switch (type) {
      case Frame.BITS -> bits(payload);
      case Frame.WELCOME -> welcome(Hello.read(bytes(payload)));
      case Frame.REFUSE -> {
        Hello.Refusal refusal = Hello.readRefusal(bytes(payload));
        core.linkRefused(link, refusal.outcome(), refusal.reason(), refusal.node());
        endedBecause(refusal.reason());
      }
      case Frame.ACK -> {
        if (!met || payload.readableBytes() != 24) {
          throw new LinkException("an acknowledgement came where none may");
        }
        int at = payload.readerIndex();
        core.linkAcked(
            link, payload.getLong(at), payload.getLong(at + 8), payload.getLong(at + 16));
      }
      case Frame.CHECKSUM -> {
        if (!met) {
          throw new LinkException("a checksum came where none may");
        }
        core.linkChecksum(link, seq, ByteBuffer.wrap(bytes(payload)));
      }
      case Frame.DATA -> {
        if (!met) {
          throw new LinkException("bytes came where none may");
        }
        core.linkRead(link, seq, payload, payload.readableBytes());
      }
      default -> throw new LinkException("a replica may not send frames of type " + type);
    }
  }

  private void bits(ByteBuf payload) throws LinkException {
    if (met || payload.readableBytes() % 8 != 0) {
      throw new LinkException("bits came where none may");
    }
    int chunks = core.state().chunks();
    while (payload.isReadable()) {
      int first = payload.readInt();
      int length = payload.readInt();
      peerChunkCount += length;
      if (first < 0 || length < 0 || length > chunks - first || peerChunkCount > chunks) {
        throw new LinkException("the replica's bits lie outside the volume");
      }
      for (int chunk = first; chunk < first + length; chunk++) {
        peerChunks.add(chunk);
      }
    }
  }

  private void welcome(Identity target) throws LinkException {
    if (met) {
      throw new LinkException("the replica welcomed twice");
    }
    met = true;
    Decision decision = core.linkMet(link, target, peerChunks.build().iterator());
    peerChunks = null;
    if (!decision.accepted()) {
      fail(decision.reason());
    }
  }

  // Frames out.

  /**
   * Sends a write, zeroing or flush; a write's data is a {@link ByteBuf} that stays the change's.
   */
  public void change(long seq, Change change) {
    int fua = change.isFua() ? Frame.FLAG_FUA | ordered : 0;
    switch (change.kind()) {
      case WRITE -> writer().data(Frame.WRITE, fua, seq, change.offset(), (ByteBuf) change.data());
      case ZERO -> {
        int unmap = change.mayUnmap() ? Frame.FLAG_UNMAP : 0;
        writer().bare(Frame.ZERO, fua | unmap, seq, change.offset(), change.length());
      }
      default ->
          throw new IllegalArgumentException("changes of kind " + change.kind() + " are not sent");
    }
  }

  /** Sends a chunk of a resync, all zeros when {@code data} is null; frees the data. */
  public void chunk(long seq, long offset, int length, ByteBuf data) {
    if (data == null) {
      writer().bare(Frame.ZERO, Frame.FLAG_UNMAP, seq, offset, length);
    } else {
      writer().data(Frame.WRITE, 0, seq, offset, data);
      data.release();
    }
  }

  /** Asks for bytes. */
  public void read(long seq, long offset, long length) {
    writer().bare(Frame.READ, 0, seq, offset, length);
  }

  /** Asks for a checksum. */
  public void checksumRequest(long seq, long offset, int length) {
    writer().bare(Frame.CHECKSUM_REQUEST, 0, seq, offset, length);
  }

  /** Asks for a flush. */
  public void flush(long seq) {
    writer().bare(Frame.FLUSH, ordered, seq, 0, 0);
  }

  /** Tells a newer history. */
  public void generations(long seq, Generations generations) {
    writer().generations(Frame.GENERATIONS, seq, 0, generations);
  }

  /** Names the replica the newest copy. */
  public void handover(long seq) {
    writer().bare(Frame.HANDOVER, 0, seq, 0, 0);
  }

  /** Tells the replica that this side goes on without it. */
  public void outdated() {
    writer().bare(Frame.OUTDATED, 0, 0, 0, 0);
  }

  /** Begins a resync. */
  public void syncStart(long seq, int chunks, Generations generations) {
    writer().generations(Frame.SYNC_START, seq, chunks, generations);
  }

  /** Ends a resync. */
  public void syncDone(long seq, Generations generations) {
    writer().generations(Frame.SYNC_DONE, seq, 0, generations);
  }

  /** Tells a new size. */
  public void resize(long seq, long sizeBytes) {
    writer().bare(Frame.RESIZE, 0, seq, sizeBytes, 0);
  }

  /** Ends the connection by this side's decision. */
  public void disconnect(String why) {
    fail(why);
  }
}
