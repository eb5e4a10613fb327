package io.mgtm.common;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A key of a configuration file: what it is for, and what is allowed beyond what its type says. It
 * stands at the component of the record that {@link ConfigFile} reads; {@link ConfigKeys} makes use
 * of it.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface Key {
  /** What it sets, for users; with {@code `code`}, and pages as {@code docs/ha.md}. */
  String value();

  /** The smallest number, when it is one. */
  long min() default Long.MIN_VALUE;

  /** The largest number. */
  long max() default Long.MAX_VALUE;

  /** How a text, or each of a list, is written, such as {@code ADDRESS/BITS}; empty for any. */
  String as() default "";
}
