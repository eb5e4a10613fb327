package io.mgtm.ha.kit;

import java.util.List;
import java.util.Map;

/**
 * What knows one type of resource. Its methods block, on a thread of the kit runner, and end when
 * that thread is interrupted: the runner does so at the deadline, and a call that does not end has
 * failed. All of them may be called again after any of them was cut short, in whatever state that
 * has left the resource, and on a resource whose state is not known.
 */
public interface Kit {

  /** How it is called in the configuration. */
  String name();

  /** The parameters that it knows, each with a sentence; those that must be given first. */
  List<Parameter> parameters();

  /** Brings it in service; done already when it is in service. */
  void inService(KitContext context) throws KitException, InterruptedException;

  /** Takes it out of service, in order while there is time; done already when it is out. */
  void outOfService(KitContext context) throws KitException, InterruptedException;

  /** Whether it is in service, cheaply: a process, a mount, an address. */
  Health quickCheck(KitContext context) throws KitException, InterruptedException;

  /** Whether it does its work, by having it do some. */
  default Health deepCheck(KitContext context) throws KitException, InterruptedException {
    return quickCheck(context);
  }

  /**
   * Whether those that stand on it stay in service while it is repaired: they are only reached by
   * it, or ask it again when it is back.
   */
  default boolean isRepairedAlone() {
    return false;
  }

  /**
   * Repairs it where it is; those that stand on it are taken out of service before, unless it
   * {@link #isRepairedAlone}.
   */
  default void localRecover(KitContext context) throws KitException, InterruptedException {
    outOfService(context);
    inService(context);
  }

  /**
   * What ends it at once, whatever becomes of it, without this program: the watchdog does that when
   * the controller no longer feeds it. Called while it is in service, or about to be.
   */
  List<GuardStep> guard(KitContext context);

  /**
   * What a program that others have written takes, at most, among the steps of {@link #guard};
   * milliseconds, 0 where there is none.
   */
  default int guardMs(Map<String, String> parameters) {
    return 0;
  }

  /**
   * What is known of it on this node, for people to see; nothing of most kits. One with replicated
   * data says how its copy is. Asked after each call but out of service, within the call's time.
   */
  default Map<String, String> data(KitContext context) throws KitException, InterruptedException {
    return Map.of();
  }

  /** A parameter of a kit. */
  record Parameter(String name, boolean required, String defaultValue, String meaning) {}

  /** How a resource is. */
  record Health(State state, String detail) {
    /** The states of a resource. */
    public enum State {
      IN_SERVICE,
      OUT_OF_SERVICE,
      FAILED
    }

    public static Health in(String detail) {
      return new Health(State.IN_SERVICE, detail);
    }

    public static Health out(String detail) {
      return new Health(State.OUT_OF_SERVICE, detail);
    }

    public static Health failed(String detail) {
      return new Health(State.FAILED, detail);
    }
  }
}
