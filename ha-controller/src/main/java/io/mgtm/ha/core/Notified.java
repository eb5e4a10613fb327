package io.mgtm.ha.core;

/**
 * Remembers up to which event somebody was told, so that the next leader goes on from there. Asked
 * by the leading controller itself.
 *
 * @param target the name of who was told
 * @param event the last event
 */
public record Notified(String target, long event) implements OperatorCommand {
  /** Nothing that people would want to be told of. */
  @Override
  public String what() {
    return "";
  }

  @Override
  public String applyTo(StateChange state) {
    return state.notified(this);
  }
}
