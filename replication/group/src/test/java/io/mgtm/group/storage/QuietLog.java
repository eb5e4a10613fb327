package io.mgtm.group.storage;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Keeps tests that provoke thousands of warnings from printing them. */
public final class QuietLog implements BeforeAllCallback, AfterAllCallback {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.mgtm.group");

  @Override
  public void beforeAll(ExtensionContext context) {
    LOGGER.setLevel(Level.OFF);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    LOGGER.setLevel(null);
  }
}
