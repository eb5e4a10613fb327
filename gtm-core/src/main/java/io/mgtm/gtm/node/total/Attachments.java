package io.mgtm.gtm.node.total;

import io.mgtm.gtm.command.FieldReader;
import io.mgtm.gtm.command.FieldWriter;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * At which member each session of a gateway has its link: part of the replicated state in mode
 * {@code total}, where gateways attach to any member. Owner thread.
 *
 * <pre>
 * | sessions:i32 | session… |   session: | id:i64 | attachment:i64 | member | detachedAt:i64 |
 * </pre>
 */
final class Attachments {
  private static final Attachment NEVER = new Attachment(0, "", 0);

  private final Map<Long, Attachment> bySession = new TreeMap<>();

  /**
   * A session's attachment.
   *
   * @param attachment 0 when it has no link
   * @param member empty when it has none
   * @param detachedAt the index of the entry that took its link away
   */
  record Attachment(long attachment, String member, long detachedAt) {
    boolean attached() {
      return attachment != 0;
    }
  }

  /** Where a session is; one that was never heard of has no link. */
  Attachment of(long session) {
    return bySession.getOrDefault(session, NEVER);
  }

  void attach(long session, long attachment, String member) {
    bySession.put(session, new Attachment(attachment, member, 0));
  }

  /** Takes a link away, if it is still the session's; false when it is not. */
  boolean detach(long session, long attachment, long index) {
    if (of(session).attachment() != attachment || attachment == 0) {
      return false;
    }
    bySession.put(session, new Attachment(0, "", index));
    return true;
  }

  /** Told of an attachment that a session had. */
  interface Former {
    void lost(long session, long attachment);
  }

  /** Takes all links to a member away. */
  void detachAll(String member, long index, Former former) {
    bySession.replaceAll(
        (session, attachment) -> {
          if (!attachment.member().equals(member)) {
            return attachment;
          }
          former.lost(session, attachment.attachment());
          return new Attachment(0, "", index);
        });
  }

  void forget(long session) {
    bySession.remove(session);
  }

  void clear() {
    bySession.clear();
  }

  /** The members that have links, by name. */
  Set<String> members() {
    Set<String> members = new HashSet<>();
    bySession.values().stream().filter(Attachment::attached).forEach(p -> members.add(p.member()));
    return members;
  }

  int attachedTo(String member) {
    return (int) bySession.values().stream().filter(p -> p.member().equals(member)).count();
  }

  byte[] encoded() {
    int bytes = Integer.BYTES;
    for (Attachment attachment : bySession.values()) {
      bytes += 3 * Long.BYTES + FieldWriter.sizeOf(attachment.member());
    }
    ByteBuffer to = ByteBuffer.allocate(bytes);
    to.putInt(bySession.size());
    bySession.forEach(
        (session, attachment) -> {
          to.putLong(session).putLong(attachment.attachment());
          FieldWriter.putString(to, attachment.member());
          to.putLong(attachment.detachedAt());
        });
    return to.array();
  }

  /** Becomes what another one is. */
  void become(Attachments other) {
    bySession.clear();
    bySession.putAll(other.bySession);
  }

  /** Becomes what {@link #encoded} wrote; the position moves behind it. */
  void restore(ByteBuffer from) {
    bySession.clear();
    for (int left = from.getInt(); left > 0; left--) {
      long session = from.getLong();
      long attachment = from.getLong();
      String member = FieldReader.getString(from);
      bySession.put(session, new Attachment(attachment, member, from.getLong()));
    }
  }
}
