package io.mgtm.common;

/**
 * An exception whose message tells an operator, in one sentence, what is wrong, where, and what to
 * do. A command shows the sentence alone.
 */
public interface OperatorError {
  String getMessage();
}
