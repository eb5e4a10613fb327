package io.mgtm.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.report.Comparison.Better;
import io.mgtm.bench.report.Section.Outcome;
import java.util.List;
import java.util.Optional;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;

/** The page of planted results, as a browser reads it. */
class ReportPageTest {
  private static final Machine MACHINE =
      new Machine("Debian <12>", "Linux 6", "A & B CPU", 2, 25_000, "ext4", "/tmp", "JVM 17");

  private static final Comparison FIGURES =
      Comparison.of("Throughput & <more>", "operations a second", Better.HIGHER, "original")
          .with("8 connections", "original", Spread.of(1_000, 2_000, 4_000))
          .with("8 connections", "mgtm", Spread.of(2_000, 3_000, 4_000))
          .with("64 connections", "mgtm", Spread.of(12.345));

  private static Section ran(Measured measured) {
    return section(Outcome.RAN, "", measured);
  }

  private static Section section(Outcome outcome, String reason, Measured measured) {
    Part part = new TestPart("gtm", 600, Optional.empty(), measured, () -> {});
    return Section.of(part, outcome, reason, 12);
  }

  private static Measured measured(String... findings) {
    return new Measured(List.of(FIGURES, FIGURES), List.of("a note"), List.of(findings));
  }

  private static Report report(Section... sections) {
    return new Report(
        "mgtm 0.2.0",
        "./mgtm bench report",
        "2026-11-25T12:00:00Z",
        90,
        0.5,
        2,
        MACHINE,
        List.of(sections));
  }

  private static Document page(Section... sections) {
    return Jsoup.parse(ReportPage.html(report(sections)));
  }

  @Test
  void figuresStandWithTheirSpreadAndRatio() {
    Document page = page(ran(measured()));
    assertThat(page.select("#gtm table").get(0).select("tr").eachText())
        .containsExactly(
            "operations a second original mgtm to original",
            "8 connections 2,000 1,000 to 4,000 3,000 2,000 to 4,000 1.50 1.00 to 2.00",
            "64 connections not measured 12.3 not measured");
    assertThat(page.select("p.good").first().text()).contains("no checker found anything");
  }

  @Test
  void eachComparisonHasAChartOfItsOwn() {
    Document page = page(ran(measured()));
    assertThat(page.select("svg")).hasSize(2);
    assertThat(page.select("svg text").eachText()).contains("8 connections", "mgtm", "original");
    assertThat(page.select("svg [id]").eachAttr("id")).doesNotHaveDuplicates();
    assertThat(page.select("svg [fill=black]")).as("readable on black").isEmpty();
    assertThat(page.select("svg [fill=currentColor]")).isNotEmpty();
  }

  @Test
  void whatOthersWroteIsEscaped() {
    Document page = page(ran(measured("a <script>alert(1)</script>")));
    assertThat(page.select("script")).isEmpty();
    assertThat(page.select("h3").first().text()).isEqualTo("Throughput & <more>");
    assertThat(page.select("table").first().text()).contains("A & B CPU", "Debian <12>");
    assertThat(page.select("#gtm table").last().text()).contains("of <gtm>", "0.33", "a & b");
  }

  @Test
  void thePageNeedsNothingElse() {
    Document page = page(ran(measured()));
    assertThat(page.select("link, script, img, iframe, [src], [xlink:href^=http]")).isEmpty();
    assertThat(page.select("style").html()).doesNotContain("url(", "@import").contains("print");
  }

  @Test
  void aPartThatDidNotRunSaysWhy() {
    Section section = Section.notRun(TestPart.of("volume", () -> {}), "fio is not installed");
    Document page = page(section);
    assertThat(page.select("#volume > p").text()).isEqualTo("not run: fio is not installed");
    assertThat(page.select("nav li").text()).contains("Part volume", "not run");
    assertThat(page.select(".bad")).isEmpty();
    assertThat(report(section).clean()).isTrue();
  }

  @Test
  void aPartThatWasStoppedShowsWhatItHad() {
    Document page = page(section(Outcome.FAILED, "it took longer than 60 s", measured()));
    assertThat(page.select("#gtm > p").eachText())
        .startsWith("failed: it took longer than 60 s", "What it had measured until then:");
    assertThat(page.select("#gtm h3").eachText()).contains("Throughput & <more>");
    assertThat(page.select("p.bad").first().text()).startsWith("Something is wrong");
  }

  @Test
  void figuresThatAPartNeverHadAreLeftOut() {
    Comparison none = Comparison.of("Latency", "µs", Better.LOWER, "");
    Document page = page(ran(new Measured(List.of(none, FIGURES), List.of(), List.of())));
    assertThat(page.select("#gtm svg")).hasSize(1);
    assertThat(page.select("#gtm").text()).doesNotContain("Latency");
  }

  @Test
  void aFindingIsRed() {
    Section section = ran(measured("a gxid came twice"));
    Document page = page(section);
    assertThat(page.select("p.bad").first().text()).startsWith("Something is wrong");
    assertThat(page.select("#gtm ul.bad li").eachText()).containsExactly("a gxid came twice");
    assertThat(report(section).clean()).isFalse();
  }

  @Test
  void aMachineWithoutFontsGetsTheTables() {
    String html =
        ReportPage.html(
            report(ran(measured())),
            (document, of) -> {
              throw new InternalError("Fontconfig head is null");
            });
    Document page = Jsoup.parse(html);
    assertThat(page.select("svg")).isEmpty();
    assertThat(page.select("#gtm").text()).contains("no chart", "fonts-dejavu-core", "1.50");
  }

  @Test
  void numbersHaveThreeDigitsThatCount() {
    assertThat(List.of(0.456, 9.996, 99.96, 1234.5).stream().map(ReportPage::number))
        .containsExactly("0.46", "10.0", "100", "1,235");
  }
}
