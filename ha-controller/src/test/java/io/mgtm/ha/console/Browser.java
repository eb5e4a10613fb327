package io.mgtm.ha.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;

/** Debian's Chromium without a window, as an operator uses it. One thread. */
final class Browser implements AutoCloseable {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

  /** As java.util.logging has it. */
  private static final int WARNING = 900;

  private static final String FOCUS =
      "return [document.hasFocus(), document.activeElement && document.activeElement.outerHTML,"
          + " (document.querySelector('dialog') || {}).open, Object.keys(sessionStorage)]";

  /** Since the page began: what, when, how long, and with what status; 0 where none came. */
  private static final String ASKED =
      "return Math.round(performance.now()) + ' ms: ' + performance.getEntriesByType('resource')"
          + ".map(e => [e.name, Math.round(e.startTime), Math.round(e.duration),"
          + " e.responseStatus].join(' ')).join(', ')";

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Skips the test where there is none. */
  static Browser open(Path profile) {
    assumeTrue(
        Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER),
        "SKIPPED: chromium and chromium-driver are not installed");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM.toString());
    options.setCapability("goog:loggingPrefs", Map.of(LogType.BROWSER, "ALL"));
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--hide-scrollbars",
        "--lang=en-GB",
        "--user-data-dir=" + profile);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(DRIVER.toFile())
            .usingAnyFreePort()
            .build();
    Browser browser = new Browser(new ChromeDriver(service, options));
    browser.size(1280, 860);
    return browser;
  }

  /** In CSS pixels, also narrower than a window can be. */
  void size(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  void scheme(String lightOrDark) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", lightOrDark))));
  }

  /** Runs before all else in each page, whatever the page's policy. */
  void before(String script) {
    driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
  }

  void visit(String url) {
    driver.get(url);
  }

  Object run(String script, Object... arguments) {
    return ((JavascriptExecutor) driver).executeScript(script, arguments);
  }

  /** What a person reads there; empty while there is no such element. */
  String text(String css) {
    return String.valueOf(
        run("return (document.querySelector(arguments[0]) || {innerText: ''}).innerText", css));
  }

  void awaitText(String css, String text) {
    try {
      Await.untilAsserted(css + " shows " + text, () -> assertThat(text(css)).contains(text));
    } catch (RuntimeException | AssertionError e) {
      // Whether the page has not begun, or shows something else.
      e.addSuppressed(new AssertionError(told()));
      throw e;
    }
  }

  /** What the page shows, where the focus is, and what the server has answered it, for people. */
  private String told() {
    return "%s%nfocus: %s%nasked: %s%ncomplaints: %s"
        .formatted(text("body"), run(FOCUS), run(ASKED), complaints());
  }

  List<WebElement> all(String css) {
    return driver.findElements(By.cssSelector(css));
  }

  /** Presses keys where the focus is. */
  void press(CharSequence... keys) {
    new Actions(driver).sendKeys(keys).perform();
  }

  /** Tabs on until the element has the focus, as somebody without a mouse does. */
  void tabTo(String css) {
    for (int i = 0; i < 200; i++) {
      Object there =
          run(
              "return Boolean(document.activeElement && document.activeElement.matches(arguments[0]))",
              css);
      if (Boolean.TRUE.equals(there)) {
        return;
      }
      press(Keys.TAB);
    }
    throw new AssertionError("no way to %s by keyboard%n%s".formatted(css, told()));
  }

  /** What the page and the browser complain of since this was last asked. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= WARNING)
        .map(LogEntry::getMessage)
        .toList();
  }

  void picture(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
  }

  @Override
  public void close() {
    driver.quit();
  }
}
