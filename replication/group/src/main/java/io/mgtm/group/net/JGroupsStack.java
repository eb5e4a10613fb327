package io.mgtm.group.net;

import java.util.ArrayList;
import java.util.List;
import org.jgroups.protocols.AUTH;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.NAKACK4;
import org.jgroups.protocols.SYM_ENCRYPT;
import org.jgroups.protocols.UNICAST4;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.Protocol;

/**
 * The JGroups stack of a group, from the bottom: {@link NettyTransport}, a static list of members,
 * merging, failure detection by broken connections at once and by silence within the configured
 * time, FIFO reliable multicast and unicast for JGroups' own messages, and membership. The group's
 * messages take the order and reliability of their connection alone, in causal order with {@link
 * Causal} on top.
 *
 * <p>With TLS all messages are encrypted and both sides of a connection are authenticated.
 *
 * <p>With a shared secret, what messages carry is encrypted and protected against changes, and who
 * joins must show that it knows the secret. JGroups' headers are neither encrypted nor protected:
 * who can reach a member's port sees who talks to whom, and can disturb the group by messages that
 * carry nothing. TLS has no such gap.
 *
 * <p>There is no flow control: the core bounds what is in flight to each member, and a message that
 * would block is dropped.
 */
final class JGroupsStack {
  private static final String CIPHER = "ChaCha20-Poly1305";
  private static final int CIPHER_NONCE_BYTES = 12;

  /**
   * What was dropped, because a queue was full or its receiver had not joined yet, comes again
   * after that. JGroups' second would be as long as an election; and a shorter time would wake an
   * idle member more often than all else that it does.
   */
  private static final long RETRANSMIT_MS = 250;

  /**
   * One that hangs while others merge holds them up this long. JGroups' five seconds would be
   * longer than the time in which it is found out.
   */
  private static final long MERGE_MS = 1_000;

  /**
   * A member that joins, and whose request goes to a coordinator just as that one dies, asks again
   * this often, less one. One that gives up is a group of its own, and merging takes seconds, in
   * which the death of one more would leave no two together.
   */
  private static final int JOIN_ATTEMPTS = 8;

  /**
   * So many reliable messages wait at a sender for the others' word, and at a receiver for those
   * before them. Only JGroups' own are reliable, some for each view; it would keep thousands, of
   * whoever says that it is a member.
   */
  static final int WINDOW = 256;

  private JGroupsStack() {}

  /** A stack, from the bottom up. */
  static List<Protocol> of(JGroupsSettings settings, NettyTransport transport) {
    List<Protocol> stack = new ArrayList<>();
    stack.add(transport);
    stack.add(new GroupDiscovery().initialHosts(settings.hosts()));
    stack.add(new MERGE3().setMinInterval(300).setMaxInterval(1_000).setCheckInterval(1_500));
    stack.add(new FD_ALL3().setTimeout(settings.suspectMs()).setInterval(settings.suspectMs() / 5));
    stack.add(new GroupVerify().setTimeout(settings.suspectMs() / 10));
    settings.secret().ifPresent(secret -> stack.add(encryption(secret)));
    stack.add(new NAKACK4().capacity(WINDOW).setXmitInterval(RETRANSMIT_MS));
    stack.add(new UNICAST4().capacity(WINDOW).setXmitInterval(RETRANSMIT_MS));
    settings.secret().ifPresent(secret -> stack.add(admission(secret)));
    stack.add(membership());
    return stack;
  }

  /** Who is in the group's view. */
  static GMS membership() {
    return new GMS()
        .setJoinTimeout(500)
        .setMaxJoinAttempts(JOIN_ATTEMPTS)
        .setLeaveTimeout(500)
        .setMergeTimeout(MERGE_MS)
        .setViewAckCollectionTimeout(500)
        .printLocalAddress(false);
  }

  /** JGroups' own default, AES without a mode, neither hides repetitions nor notices changes. */
  private static Protocol encryption(GroupSecret secret) {
    SYM_ENCRYPT encryption = new SYM_ENCRYPT();
    encryption.symAlgorithm(CIPHER);
    encryption.symIvLength(CIPHER_NONCE_BYTES);
    return encryption.setSecretKey(secret.encryptionKey(CIPHER));
  }

  private static Protocol admission(GroupSecret secret) {
    AUTH admission = new AUTH();
    JoinToken token = new JoinToken(secret);
    token.setAuth(admission);
    return admission.setAuthToken(token);
  }
}
