package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.ContextInitializer;
import ch.qos.logback.core.ConsoleAppender;
import org.junit.jupiter.api.Test;

class LogConfigurationTest {
  @Test
  void isWhatLogbackTakes() throws Exception {
    LoggerContext context = new LoggerContext();
    new ContextInitializer(context).autoConfig();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    assertThat(root.getLevel())
        .isEqualTo(Level.toLevel(System.getenv(LogConfiguration.LEVEL), Level.INFO));
    assertThat(root.getAppender("STDERR"))
        .isInstanceOfSatisfying(
            ConsoleAppender.class,
            appender -> assertThat(appender.getTarget()).isEqualTo("System.err"));
    assertThat(context.getLogger("org.jgroups.JChannel").isInfoEnabled())
        .as("what JGroups says as it starts, unless more is asked for")
        .isEqualTo(root.isDebugEnabled());
    context.stop();
  }
}
