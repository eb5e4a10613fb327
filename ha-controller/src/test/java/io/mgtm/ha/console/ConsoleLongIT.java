package io.mgtm.ha.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/**
 * The console with all that it can show. Its pictures go to {@code target/console}; for those of
 * the documentation: {@code ./mgtm test ConsoleLongIT -Dmgtm.pictures=../docs/images}.
 */
@Tag("long")
class ConsoleLongIT {
  private static final Path PICTURES =
      Path.of(System.getProperty("mgtm.pictures", "target/console"));

  private static final String HIERARCHIES =
      """
      hierarchies:
        orders:
          nodes: [db1, db2]
          resources:
            disk: {kit: volume, parameters: {volume: v1, copies: "db1=10.0.0.1:7800,db2=10.0.0.2:7800"}}
            data: {kit: filesystem, on: [disk]}
            address: {kit: ip}
            database: {kit: postgresql, on: [data, address]}
        billing:
          nodes: [db2, db1]
          policy: {failover: manual_first, betweenSitesWaitMs: 600000, localRecoveries: 1}
          resources:
            web: {kit: script}
        gtm1:
          nodes: [db1]
          resources:
            gtm: {kit: gtm}
        gtm2:
          nodes: [db2]
          resources:
            gtm: {kit: gtm}
      """;

  @TempDir private static Path folder;
  private static ConsoleRig rig;
  private static int profiles;
  private Browser browser;

  @BeforeAll
  static void start() throws Exception {
    rig = ConsoleRig.start(folder, List.of("db1", "db2", "w"), HIERARCHIES);
    Await.until("in service", () -> rig.cluster.where("orders").isPresent());
    Await.until("in service", () -> rig.cluster.where("billing").isPresent());
    String here = rig.cluster.awaitWhere("orders");
    String there = here.equals("db1") ? "db2" : "db1";
    Map<String, String> primary = new LinkedHashMap<>();
    primary.put("role", "primary");
    primary.put("copy", "UpToDate");
    primary.put("serving", "true");
    primary.put("sizeBytes", "214748364800");
    primary.put("inSync", "");
    primary.put("token", "t1");
    String link = there.equals("db2") ? "10.0.0.2:7800" : "10.0.0.1:7800";
    primary.put("link." + link, "syncing");
    primary.put("resync." + link, "5690831667 8589934592 4100 707788800");
    primary.put("behind." + link, "2899102925");
    primary.put("warning", "NOT PROTECTED: no other copy is up to date");
    rig.cluster.knows(here, "disk", primary);
    rig.cluster.knows(
        there,
        "disk",
        Map.of("role", "secondary", "copy", "Inconsistent", "sizeBytes", "214748364800"));
    rig.cluster.knows("db1", "gtm", gtm("g1", "leader"));
    rig.cluster.knows("db2", "gtm", gtm("g2", "follower"));
    rig.cluster.breaks(
        rig.cluster.awaitWhere("billing"), "web", "exit status 1: cannot bind 10.0.0.101:8080");
    Await.until(
        "a failover waits",
        () -> rig.cluster.node("db1").view().state().placements().get("billing").pending() != null);
  }

  private static Map<String, String> gtm(String member, String role) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("member", member);
    facts.put("mode", "fifo");
    facts.put("role", role);
    facts.put("leader", "g1");
    facts.put("term", "4");
    facts.put("durability", "critical");
    facts.put("sessions", "12");
    facts.put("committed", "1203388");
    facts.put("member.g1", "voter connected 0");
    facts.put("member.g2", "voter connected 3");
    facts.put("member.g3", "voter away 812");
    facts.put("gateway.1", "gateway \"p1\" from /10.0.0.9:41730");
    facts.put("node.coordinator.c1", "connected");
    facts.put("node.datanode.d1", "connected");
    facts.put("node.datanode.d2", "away");
    return facts;
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void open() {
    browser = Browser.open(folder.resolve("profile" + profiles++));
  }

  @AfterEach
  void close() {
    if (browser != null) {
      browser.close();
    }
  }

  private void visit() {
    browser.visit(rig.url("db1") + "/");
    browser.awaitText("#attention", "Move billing to ");
    browser.awaitText("#volumes", "66 %");
    browser.awaitText("#gtm", "812 entries");
    browser.awaitText("#top", "live");
  }

  /** As somebody whom the controller lets act. */
  private void visitToAct() {
    visit();
    browser.awaitText("#attention", "Move now");
  }

  private void isNotWiderThanTheWindow() {
    assertThat(
            browser.run(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
        .isEqualTo(0L);
  }

  @Test
  void allThereIsIsShownInLightAndDark() throws Exception {
    browser.size(1280, 1040);
    browser.scheme("light");
    visitToAct();
    assertThat(browser.text("#volumes")).contains("5.3 GiB of 8.0 GiB", "675 MiB/s", "4.1 s left");
    assertThat(browser.text("#gtm"))
        .contains("fifo group", "g1", "leads", "1 gateway, 2 of 3 nodes");
    assertThat(browser.text("#attention")).contains("By itself in", "NOT PROTECTED");
    assertThat(browser.text("#hierarchies")).contains("cannot bind 10.0.0.101:8080");
    isNotWiderThanTheWindow();
    Object light = browser.run("return getComputedStyle(document.body).backgroundColor");
    browser.picture(PICTURES.resolve("console.png"));

    browser.scheme("dark");
    Await.until(
        "dark",
        () -> !light.equals(browser.run("return getComputedStyle(document.body).backgroundColor")));
    browser.picture(PICTURES.resolve("console-dark.png"));
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void aPhoneShowsAllWithoutScrollingSideways() throws Exception {
    browser.size(360, 780);
    visitToAct();
    isNotWiderThanTheWindow();
    browser.picture(PICTURES.resolve("console-phone.png"));

    browser.tabTo("[data-act=switchover][data-of=orders]");
    browser.press(Keys.ENTER);
    browser.awaitText("dialog", "What will happen");
    isNotWiderThanTheWindow();
    browser.press(Keys.ESCAPE);
    Await.until("closed", () -> browser.all("dialog[open]").isEmpty());
  }

  @Test
  void aMoveThatLosesDataMustBeAcceptedByName() throws Exception {
    browser.size(1000, 860);
    visitToAct();
    browser.tabTo("[data-act=switchover][data-of=orders]");
    browser.press(Keys.ENTER);
    browser.awaitText("dialog", "Accept the loss");
    browser.picture(PICTURES.resolve("console-switchover.png"));

    browser.tabTo("dialog button[type=submit]");
    browser.press(Keys.ENTER);
    browser.awaitText("dialog .error", "is Outdated");
    assertThat(browser.all("dialog[open]")).hasSize(1);
  }

  @Test
  void aNodeIsRetiredAndTakenBack() throws Exception {
    visitToAct();
    // What another test does with billing shall not matter.
    String billing = rig.cluster.node("db1").view().state().placements().get("billing").node();
    String node = billing.equals("db1") ? "db2" : "db1";
    browser.tabTo("[data-act=retire-node][data-of=" + node + "]");
    browser.press(Keys.ENTER);
    browser.awaitText("dialog", "stays on " + node + " until another node can have it");
    browser.tabTo("dialog button[type=submit]");
    browser.press(Keys.ENTER);
    browser.awaitText("#nodes", "retires");

    browser.tabTo("[data-act=activate-node][data-of=" + node + "]");
    browser.press(Keys.ENTER);
    browser.awaitText("dialog", "may have services again");
    browser.tabTo("dialog button[type=submit]");
    browser.press(Keys.ENTER);
    Await.until("active", () -> !browser.text("#nodes").contains("retires"));
  }

  @Test
  void aGuestIsOfferedNothing() {
    browser.before(
        """
        const real = window.fetch;
        window.fetch = (path, ...rest) => path === '/v1/whoami'
          ? Promise.resolve(new Response('{"role":"guest"}', {status: 200}))
          : real(path, ...rest);
        """);
    visit();

    browser.awaitText("#top", "guest: looks only");
    assertThat(browser.all("[data-act]"))
        .extracting(button -> button.getAttribute("data-act"))
        .isSubsetOf("sign-in", "sign-out", "all-events");
  }

  @Test
  void whoseRoleWasNotHeardAtOnceIsOfferedWhatItMayDo() {
    browser.before(
        """
        const real = window.fetch;
        let lost = false;
        window.fetch = (path, ...rest) => {
          const loses = path === '/v1/whoami' && !lost;
          lost = lost || loses;
          return loses ? Promise.reject(new TypeError('lost')) : real(path, ...rest);
        };
        """);
    visitToAct();
  }

  @Test
  void whoIsNotSignedInIsAskedTo() {
    browser.before(
        """
        const real = window.fetch;
        window.fetch = (path, options) => {
          const {Authorization, ...headers} = options.headers || {};
          return Authorization === 'Bearer right'
            ? real(path, {...options, headers})
            : Promise.resolve(new Response('{"error":"a token is needed"}', {status: 401}));
        };
        """);
    browser.visit(rig.url("db1") + "/");
    browser.awaitText("#banner", "Sign in to see the cluster: a token is needed");

    browser.tabTo("[data-act=sign-in]");
    browser.press(Keys.ENTER);
    browser.awaitText("dialog", "Sign in");
    browser.press("right", Keys.ENTER);
    browser.awaitText("#top", "live");
    browser.awaitText("#hierarchies", "orders");
    assertThat(browser.run("return [localStorage.length, sessionStorage.length, document.cookie]"))
        .isEqualTo(List.of(0L, 2L, ""));
  }

  @Test
  void textIsNeverMarkup() throws Exception {
    String evil = "<img src=x onerror=document.title=1><script>alert(1)</script>\"'&amp;";
    rig.cluster
        .node(rig.cluster.awaitLeader())
        .ask(evil, new OperatorCommand.Maintain(OperatorCommand.Scope.NODE, "db2", false))
        .join();
    Map<String, String> facts = new LinkedHashMap<>(gtm("g1", "leader"));
    facts.put("trouble", evil);
    facts.put("gateway.1", evil);
    rig.cluster.knows("db1", "gtm", facts);
    try {
      visit();
      browser.awaitText("#events", evil);
      browser.awaitText("#gtm", evil);
      assertThat(browser.all("img")).isEmpty();
      assertThat(browser.all("body script")).isEmpty();
      assertThat(browser.complaints()).isEmpty();
    } finally {
      rig.cluster.knows("db1", "gtm", gtm("g1", "leader"));
    }
  }

  @Test
  void aControllerThatIsLostIsSaidSoUntilItIsBack() throws Exception {
    visit();
    rig.silence("db1");
    browser.awaitText("#banner", "No answer from the controller of db1");
    assertThat(browser.text("#banner")).contains("What is shown is old", "db2");
    assertThat(browser.all("#banner a"))
        .extracting(link -> link.getAttribute("href"))
        .contains(rig.url("db2") + "/");

    rig.serve("db1");
    browser.awaitText("#top", "live");
    Await.until("said no more", () -> browser.text("#banner").isEmpty());
  }

  @Test
  void withoutAStreamThePageAsksNowAndThen() {
    browser.before(
        """
        const real = window.fetch;
        window.fetch = (path, ...rest) => path.startsWith('/v1/events/stream')
          ? Promise.resolve(new Response('{"error":"no"}', {status: 503}))
          : real(path, ...rest);
        """);
    browser.visit(rig.url("db1") + "/");
    browser.awaitText("#top", "polling");

    rig.cluster.ask(new OperatorCommand.Maintain(OperatorCommand.Scope.NODE, "db1", true));
    browser.awaitText("#nodes", "maintenance");
    rig.cluster.ask(new OperatorCommand.Maintain(OperatorCommand.Scope.NODE, "db1", false));
    Await.until("ended", () -> !browser.text("#nodes").contains("\nmaintenance"));
  }
}
