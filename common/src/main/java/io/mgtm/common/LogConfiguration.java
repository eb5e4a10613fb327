package io.mgtm.common;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * How all programs log, where no file of logback's says otherwise: to standard error, from the
 * level on that MGTM_LOG_LEVEL names. Logback finds it as a service. The same as a file of XML
 * would take a tenth of the time in which a program starts.
 */
@ConfiguratorRank(LogConfiguration.RANK)
public final class LogConfiguration extends ContextAwareBase implements Configurator {
  /** After files, before logback's own which writes to standard output. */
  static final int RANK = ConfiguratorRank.NOMINAL - 1;

  /** The variable of the environment that names the level. */
  static final String LEVEL = "MGTM_LOG_LEVEL";

  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0} %msg%n";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setName("STDERR");
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.toLevel(System.getenv(LEVEL), Level.INFO));
    root.addAppender(appender);
    if (root.getLevel() == Level.INFO) {
      // As a member starts it tells of addresses and views, as the member does in words of its own.
      context.getLogger("org.jgroups").setLevel(Level.WARN);
    }
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
