package io.mgtm.gtm.node;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.member.GroupAdmin;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What every member of a group has: operators' wishes go to its log, and what goes wrong ends the
 * node. Owner thread.
 */
abstract class MemberAdmin implements MemberNode {
  private final Consumer<Throwable> fatal;

  /**
   * For a member.
   *
   * @param fatal told when the node cannot go on
   */
  MemberAdmin(Consumer<Throwable> fatal) {
    this.fatal = fatal;
  }

  /** The member's log, once it is open. */
  abstract GroupAdmin admin();

  /** The log has failed. */
  public final void failed(LogException cause) {
    fatal.accept(cause);
  }

  /** What the engine throws must not be taken for a failure of the log. */
  final void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      fatal.accept(e);
    }
  }

  @Override
  public Optional<String> transfer(String member) {
    return admin().transfer(member);
  }

  @Override
  public Optional<String> add(String member) {
    return LinkFormat.isName(member)
        ? admin().add(member)
        : Optional.of("\"%s\" is no name of a member".formatted(member));
  }

  @Override
  public Optional<String> remove(String member) {
    return admin().remove(member);
  }

  @Override
  public Optional<String> durability(DurabilityMode mode) {
    return admin().durability(mode);
  }

  @Override
  public Optional<String> acceptLoss() {
    return admin().acceptLoss();
  }
}
