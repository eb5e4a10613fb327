package io.mgtm.group.net;

import io.mgtm.common.Rarely;
import io.mgtm.common.RarelyEach;
import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.jgroups.logging.Slf4jLogImpl;

/**
 * The log of those parts of JGroups that strangers reach: each kind of warning now and then only,
 * in one line. Any thread.
 */
final class QuietLog extends Slf4jLogImpl {
  private static final String PROTOCOLS = "org.jgroups.protocols.";

  private final RarelyEach<String> kinds = new RarelyEach<>(Rarely::new);
  private final Rarely others = new Rarely();

  private QuietLog(Class<?> of) {
    super(of);
  }

  /** Chosen for protocols, here and of JGroups, as they are made; all others have JGroups' own. */
  static void install() {
    LogFactory.setCustomLogFactory(
        new CustomLogFactory() {
          @Override
          public Log getLog(Class<?> of) {
            boolean reached =
                of.getPackage().equals(QuietLog.class.getPackage())
                    || of.getName().startsWith(PROTOCOLS);
            return reached ? new QuietLog(of) : new Slf4jLogImpl(of);
          }

          @Override
          public Log getLog(String category) {
            return new Slf4jLogImpl(category);
          }
        });
  }

  @Override
  public void warn(String format, Object... args) {
    kinds.run(format, more -> super.warn(format + more, args));
  }

  @Override
  public void warn(String message, Throwable cause) {
    others.run(more -> super.warn(message + ": " + cause + more));
  }

  @Override
  public void error(String format, Object... args) {
    kinds.run(format, more -> super.error(format + more, args));
  }

  @Override
  public void error(String message, Throwable cause) {
    others.run(more -> super.error(message + ": " + cause + more));
  }
}
