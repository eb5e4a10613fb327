package io.mgtm.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** What is logged during a test, in order, by whatever thread. Any thread may read it. */
public final class LogLines implements BeforeEachCallback, AfterEachCallback {
  private final Logger log;
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  /** Of a logger and those below it, named as a class or package. */
  public LogLines(String logger) {
    log = (Logger) LoggerFactory.getLogger(logger);
    lines.list = new CopyOnWriteArrayList<>();
  }

  /** Of all. */
  public LogLines() {
    this(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    lines.start();
    log.addAppender(lines);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    log.detachAppender(lines);
  }

  /** As it grows. */
  public List<ILoggingEvent> list() {
    return lines.list;
  }
}
