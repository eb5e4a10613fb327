package io.mgtm.gtm.node.total;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.StatePicture;
import io.mgtm.group.total.OrderedMachine;
import io.mgtm.gtm.command.UnknownCommandException;
import io.mgtm.gtm.node.backup.Restore;
import io.mgtm.gtm.node.engine.Engine;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** The GTM as what the proposals of a group in mode {@code total} mean. Owner thread. */
public final class TotalMachine implements OrderedMachine {

  /** Applies this process' own proposals from memory, and makes their replies. */
  interface OwnBatches {
    /** False when it is none of a batch: then it is applied as another member's. */
    boolean apply(long number, long index, OrderedGtm gtm);
  }

  private final OrderedGtm gtm;
  private OwnBatches batches = (number, index, of) -> false;

  public TotalMachine(OrderedGtm gtm) {
    this.gtm = gtm;
  }

  public void serve(OwnBatches of) {
    batches = of;
  }

  @Override
  public Durability apply(long index, long own, ByteBuffer payload) {
    ByteBuffer in = payload.duplicate();
    try {
      byte version = in.get();
      if (version == Restore.ENTRY_VERSION) {
        gtm.piece(index, payload.duplicate());
        return Engine.durability(gtm.effect());
      }
      if (version != MemberOpCodec.VERSION) {
        throw GtmStateMachine.newer("proposal " + index + " has format version " + version, null);
      }
      gtm.begin(MemberOpCodec.header(in));
      if (own == 0 || !batches.apply(own, index, gtm)) {
        while (in.hasRemaining()) {
          gtm.apply(index, MemberOpCodec.decode(in), OpResults.NONE);
        }
      }
      return Engine.durability(gtm.effect());
    } catch (UnknownCommandException e) {
      throw GtmStateMachine.newer("proposal " + index + ": " + e.getMessage(), e);
    } catch (BufferUnderflowException e) {
      throw LogException.damaged("Proposal %d of the log ends within an op".formatted(index), e);
    }
  }

  @Override
  public void entriesMayBeMissing(long index) {
    gtm.entriesMayBeMissing(index);
  }

  @Override
  public StatePicture picture() {
    return gtm.picture();
  }

  @Override
  public Runnable load(Pieces encoded) {
    return gtm.load(encoded);
  }
}
