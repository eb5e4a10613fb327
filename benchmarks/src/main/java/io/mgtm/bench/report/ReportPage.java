package io.mgtm.bench.report;

import io.mgtm.bench.report.Section.Outcome;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** A report as one page of HTML that needs nothing else: no script, no network. One thread. */
public final class ReportPage {
  /** Why there are no charts, where this program finds no font. */
  private static final String NO_CHART =
      "no chart: Java finds no font here; install fontconfig and a font (Debian: fontconfig"
          + " fonts-dejavu-core)";

  private static final String STYLE =
      """
      :root { color-scheme: light dark; --ink: #1c2129; --paper: #fff; --line: #cfd4dc; --soft: #5b6472; --bad: #b3261e; --good: #1f7a4d; }
      @media (prefers-color-scheme: dark) { :root { --ink: #e4e7ec; --paper: #14171c; --line: #3a414d; --soft: #9aa4b2; --bad: #ff8a80; --good: #6fcf97; } }
      @media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --line: #999; --soft: #444; --bad: #b3261e; --good: #1f7a4d; } section { break-inside: avoid-page; } nav { display: none; } }
      body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
      h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; } h3 { font-size: 1rem; margin-bottom: .3rem; }
      table { border-collapse: collapse; margin: .5rem 0 1rem; } th, td { border-bottom: 1px solid var(--line); padding: .2rem .7rem .2rem 0; text-align: left; vertical-align: top; }
      td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } td.n small { color: var(--soft); white-space: nowrap; }
      .wide, pre { overflow-x: auto; } svg { width: 100%; max-width: 48rem; height: auto; display: block; } .soft { color: var(--soft); } .bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); font-weight: 600; }
      """;

  private final Report report;
  private final BiFunction<Document, Comparison, Element> charts;
  private final Markup page = Markup.page();

  private ReportPage(Report report, BiFunction<Document, Comparison, Element> charts) {
    this.report = report;
    this.charts = charts;
  }

  /** The page. */
  public static String html(Report report) {
    int[] drawn = {0};
    return html(report, (document, of) -> BarChart.draw(document, ++drawn[0], of));
  }

  /**
   * The page with these charts.
   *
   * @param charts draws one; may end with what Java throws where it finds no font
   */
  static String html(Report report, BiFunction<Document, Comparison, Element> charts) {
    return new ReportPage(report, charts).write();
  }

  private String write() {
    page.attribute("lang", "en");
    Markup head = page.add("head");
    head.add("meta").attribute("charset", "utf-8");
    head.add("meta")
        .attribute("name", "viewport")
        .attribute("content", "width=device-width, initial-scale=1");
    head.add("title", "mgtm benchmark report, " + report.begun());
    head.add("style", STYLE);
    Markup body = page.add("body");
    body.add("h1", "mgtm benchmark report");
    verdict(body);
    machine(body);
    overview(body);
    report.sections().forEach(section -> section(body, section));
    body.add("h2", "To repeat it");
    body.add("pre").add("code", report.command());
    body.add("p")
        .attribute("class", "soft")
        .text(
            "Figures are medians over rounds; lowest and highest round stand below, and a dot in a chart"
                + " is a round. Systems that are compared took turns. A ratio is the median of the"
                + " ratios of rounds side by side.");
    return page.html();
  }

  private void verdict(Markup body) {
    Markup line = body.add("p");
    if (report.clean()) {
      line.attribute("class", "good").text("No request failed, and no checker found anything.");
    } else {
      line.attribute("class", "bad").text("Something is wrong: see what is red below.");
    }
  }

  private void machine(Markup body) {
    Machine machine = report.machine();
    Markup table = body.add("table");
    row(table, "Program", report.version());
    row(
        table,
        "Begun",
        report.begun()
            + String.format(Locale.ROOT, "; it took %.1f minutes", report.seconds() / 60));
    row(table, "Processor", machine.processor() + ", " + machine.processors() + " processors");
    row(table, "Memory", String.format(Locale.ROOT, "%,d MB", machine.memoryMb()));
    row(table, "Kernel", machine.kernel());
    row(table, "System", machine.system());
    row(table, "Disk", machine.temporaryFolder() + " on " + machine.disk());
    row(table, "JVM", machine.jvm());
    row(
        table,
        "Load average",
        String.format(
            Locale.ROOT,
            "%.2f before, %.2f at the end; what ran here before it began also took its part",
            report.loadBefore(),
            report.loadAfter()));
  }

  private static void row(Markup table, String name, String value) {
    table.add("tr").add("th", name).add("td", value);
  }

  private void overview(Markup body) {
    Markup list = body.add("nav").add("ul");
    for (Section section : report.sections()) {
      Markup item = list.add("li");
      item.add("a").attribute("href", "#" + section.id()).text(section.title());
      item.text(": ");
      item.add("span").attribute("class", colour(section)).text(state(section));
    }
  }

  private static String colour(Section section) {
    return !section.clean() ? "bad" : section.outcome() == Outcome.RAN ? "good" : "soft";
  }

  private static String state(Section section) {
    return switch (section.outcome()) {
      case NOT_RUN -> "not run: " + section.reason();
      case FAILED -> "failed: " + section.reason();
      case RAN ->
          section.clean()
              ? String.format(Locale.ROOT, "ran in %.0f s", section.seconds())
              : "something was found";
    };
  }

  private void section(Markup body, Section section) {
    Markup part = body.add("section").attribute("id", section.id());
    part.add("h2", section.title());
    part.add("p").attribute("class", colour(section)).text(state(section));
    if (!section.measured().findings().isEmpty()) {
      Markup found = part.add("ul").attribute("class", "bad");
      section.measured().findings().forEach(finding -> found.add("li", finding));
    }
    if (section.outcome() == Outcome.FAILED && !section.measured().comparisons().isEmpty()) {
      part.add("p", "What it had measured until then:");
    }
    section.measured().comparisons().forEach(of -> comparison(part, of));
    section.measured().notes().forEach(note -> part.add("p", note));
    citations(part, section.citations());
  }

  private void comparison(Markup part, Comparison of) {
    part.add("h3", of.title());
    try {
      part.add(charts.apply(part.document(), of));
    } catch (InternalError | LinkageError e) {
      // What Java's fonts throw on a machine without any.
      part.add("p").attribute("class", "soft").text(NO_CHART + " (" + e + ")");
    }
    Markup table = part.add("div").attribute("class", "wide").add("table");
    Markup head = table.add("tr");
    head.add("th", of.unit());
    boolean ratios = of.series().contains(of.reference());
    for (String series : of.series()) {
      head.add("th").attribute("class", "n").text(series);
      if (ratios && !series.equals(of.reference())) {
        head.add("th").attribute("class", "n").text("to " + of.reference());
      }
    }
    for (String load : of.loads()) {
      Markup row = table.add("tr");
      row.add("td", load);
      for (String series : of.series()) {
        figure(row, of.at(load, series));
        if (ratios && !series.equals(of.reference())) {
          figure(row, ratio(of.at(load, series), of.at(load, of.reference())));
        }
      }
    }
  }

  private static Spread ratio(Spread of, Spread to) {
    return of == null || to == null ? null : of.to(to);
  }

  private static void figure(Markup row, Spread figure) {
    Markup cell = row.add("td").attribute("class", "n");
    if (figure == null) {
      cell.text("not measured");
      return;
    }
    cell.text(number(figure.median()));
    if (figure.rounds().size() > 1) {
      cell.add("br");
      cell.add("small", number(figure.lowest()) + " to " + number(figure.highest()));
    }
  }

  /** With three digits that count. */
  static String number(double figure) {
    double size = Math.abs(figure);
    int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    return String.format(Locale.ROOT, "%,." + decimals + "f", figure);
  }

  private static void citations(Markup part, List<Citation> citations) {
    if (citations.isEmpty()) {
      return;
    }
    part.add("h3", "Figures of others, not measured here");
    Markup table = part.add("div").attribute("class", "wide").add("table");
    table.add("tr").add("th", "of").add("th", "figure").add("th", "source");
    for (Citation citation : citations) {
      table
          .add("tr")
          .add("td", citation.what())
          .add("td", citation.figure())
          .add("td", citation.source());
    }
  }
}
