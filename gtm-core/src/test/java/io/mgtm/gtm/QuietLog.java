package io.mgtm.gtm;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Keeps tests that run thousands of schedules from printing what each logs. */
public final class QuietLog implements BeforeAllCallback, AfterAllCallback {
  private final Logger logger;
  private Level before;

  /** For the loggers below a package. */
  public QuietLog(String below) {
    logger = (Logger) LoggerFactory.getLogger(below);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    before = logger.getLevel();
    logger.setLevel(Level.OFF);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    logger.setLevel(before);
  }
}
