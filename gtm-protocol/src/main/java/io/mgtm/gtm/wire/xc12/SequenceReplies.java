package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.wire.WireException;
import java.util.ArrayList;
import java.util.List;

/** The bodies of replies to sequence commands (gtm_seq.c). */
final class SequenceReplies {
  static final ReplyBody<SequenceReply.SequenceList> LIST =
      ReplyBody.counted(
          SequenceReplies::sequences,
          SequenceReply.SequenceList::sequences,
          r ->
              r.sequences().size() * (long) (Integer.BYTES + Serialized.SEQUENCE_BYTES)
                  + r.keyBytes(),
          Serialized::putSequence);

  private SequenceReplies() {}

  static ReplyBody<SequenceReply.Done> done(CommandType of) {
    return new ReplyBody<>(
        in -> new SequenceReply.Done(of, key(in)), (out, r) -> out.putString(r.key()));
  }

  static ReplyBody<SequenceReply.Value> value(CommandType of) {
    return new ReplyBody<>(
        in -> new SequenceReply.Value(of, key(in), in.readHostLong()),
        (out, r) -> out.putString(r.key()).putHostLong(r.value()));
  }

  private static String key(FrameReader in) throws WireException {
    return in.readString("sequence key", FrameLimits.SEQUENCE_KEY_BYTES_MAX);
  }

  private static SequenceReply.SequenceList sequences(FrameReader in) throws WireException {
    int count = in.readListCount(Integer.BYTES + Serialized.SEQUENCE_BYTES);
    List<SequenceReply.SequenceInfo> sequences = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      sequences.add(Serialized.readSequence(in));
    }
    return new SequenceReply.SequenceList(sequences);
  }
}
