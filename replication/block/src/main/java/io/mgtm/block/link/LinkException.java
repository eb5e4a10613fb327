package io.mgtm.block.link;

/** The other side of a link sent what it must not; the connection ends. */
public final class LinkException extends Exception {
  private static final long serialVersionUID = 1L;

  /** One sentence that says what was wrong. */
  public LinkException(String message) {
    super(message);
  }
}
