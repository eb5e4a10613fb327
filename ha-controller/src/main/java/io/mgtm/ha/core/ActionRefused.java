package io.mgtm.ha.core;

/**
 * Remembers that an operator has asked for something that was refused. Nothing is changed; the same
 * twice in a row is remembered once, so that a program that tries again and again leaves the other
 * events to be read.
 *
 * @param subject of the command that was refused
 * @param asked what it would have done
 * @param why it was refused
 */
public record ActionRefused(String subject, String asked, String why) implements OperatorCommand {
  private static final int TEXT_MAX = 200;

  /** Keeps the texts short: an operator's program has written parts of them. */
  public ActionRefused {
    subject = cut(subject);
    asked = cut(asked);
    why = cut(why);
  }

  /** Of a command. */
  public static ActionRefused of(OperatorCommand command, String why) {
    String asked =
        command instanceof Configure configure
            ? "use configuration " + (configure.version() + 1)
            : command.what();
    return new ActionRefused(command.subject(), asked, why);
  }

  private static String cut(String text) {
    return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX);
  }

  @Override
  public String what() {
    return "refused: \"" + asked + "\": " + why;
  }

  @Override
  public String applyTo(StateChange state) {
    return state.refused(this);
  }
}
