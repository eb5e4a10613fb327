package io.mgtm.group.member;

import io.mgtm.group.DurabilityMode;
import java.util.Optional;

/** What a member of a group of one answers to operators. Any thread. */
public final class NoGroup implements GroupAdmin {
  private static final String WHY = "this node is no member of a group";
  private static final Optional<String> REFUSED = Optional.of(WHY);

  @Override
  public Optional<String> transfer(String name) {
    return REFUSED;
  }

  @Override
  public Optional<String> add(String name) {
    return REFUSED;
  }

  @Override
  public Optional<String> add(String name, boolean asWitness) {
    return REFUSED;
  }

  @Override
  public Optional<String> remove(String name) {
    return REFUSED;
  }

  @Override
  public Optional<String> durability(DurabilityMode mode) {
    return Optional.of(WHY + "; set durability in its configuration and restart it");
  }

  @Override
  public Optional<String> acceptLoss() {
    return REFUSED;
  }
}
