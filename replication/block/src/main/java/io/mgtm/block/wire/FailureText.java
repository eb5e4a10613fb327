package io.mgtm.block.wire;

/** Why a connection failed, in the system's words. */
public final class FailureText {
  private FailureText() {}

  /** Without the name of the call that failed, and the address, which whoever says this names. */
  public static String of(Throwable cause) {
    return String.valueOf(cause.getMessage())
        .replaceFirst("^\\w+\\([^)]*\\) failed( with error\\(-?\\d+\\))?: ", "")
        .replaceFirst(": \\S*/[\\d.:a-f\\[\\]%]*:\\d+$", "");
  }
}
