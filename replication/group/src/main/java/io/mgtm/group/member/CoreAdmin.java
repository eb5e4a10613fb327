package io.mgtm.group.member;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.core.GroupCore;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the core of an open log makes of operators' wishes. Owner thread. */
final class CoreAdmin implements GroupAdmin {
  private static final Logger log = LoggerFactory.getLogger(CoreAdmin.class);

  private final GroupCore core;
  private final OwnerTasks tasks;
  private final LongSupplier nowMs;

  CoreAdmin(GroupCore core, OwnerTasks tasks, LongSupplier nowMs) {
    this.core = core;
    this.tasks = tasks;
    this.nowMs = nowMs;
  }

  @Override
  public Optional<String> transfer(String name) {
    tasks.checkOpen();
    return core.transfer(nowMs.getAsLong(), name);
  }

  @Override
  public Optional<String> add(String name) {
    tasks.checkOpen();
    return core.add(name);
  }

  @Override
  public Optional<String> add(String name, boolean asWitness) {
    tasks.checkOpen();
    return core.add(name, asWitness);
  }

  @Override
  public Optional<String> remove(String name) {
    tasks.checkOpen();
    return core.remove(name);
  }

  @Override
  public Optional<String> durability(DurabilityMode mode) {
    tasks.checkOpen();
    return core.durability(mode);
  }

  @Override
  public Optional<String> acceptLoss() {
    tasks.checkOpen();
    Optional<String> refused = core.acceptLoss();
    if (refused.isEmpty()) {
      log.warn("An operator lets the group go on without the members that are missing");
    }
    return refused;
  }

  @Override
  public void excuse(Set<String> names) {
    core.excuse(names);
  }
}
