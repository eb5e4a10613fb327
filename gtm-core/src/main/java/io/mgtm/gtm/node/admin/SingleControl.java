package io.mgtm.gtm.node.admin;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import java.util.List;
import java.util.Optional;

/** A node without a group. Owner thread. */
public final class SingleControl implements GroupControl {
  private static final String NO_GROUP = "this node is no member of a group";

  private final String member;
  private final DurabilityMode durability;
  private final ReplicatedLog log;
  private final GtmStateMachine machine;

  public SingleControl(
      String member, DurabilityMode durability, ReplicatedLog log, GtmStateMachine machine) {
    this.member = member;
    this.durability = durability;
    this.log = log;
    this.machine = machine;
  }

  @Override
  public NodeStatus status() {
    return new NodeStatus(
        member,
        "single",
        "leader",
        true,
        false,
        1,
        member,
        machine.state().memberAddresses().getOrDefault(member, ""),
        log.lastIndex(),
        log.committedIndex(),
        log.lastIndex(),
        durability.label(),
        machine.state().counts().sessions(),
        List.of(),
        List.of(),
        "");
  }

  @Override
  public boolean decides() {
    return true;
  }

  @Override
  public Optional<String> transfer(String to) {
    return Optional.of(NO_GROUP);
  }

  @Override
  public Optional<String> add(String name) {
    return Optional.of(NO_GROUP);
  }

  @Override
  public Optional<String> remove(String name) {
    return Optional.of(NO_GROUP);
  }

  @Override
  public Optional<String> durability(DurabilityMode mode) {
    return Optional.of(NO_GROUP + "; set durability in its configuration and restart it");
  }

  @Override
  public Optional<String> acceptLoss() {
    return Optional.of(NO_GROUP);
  }
}
