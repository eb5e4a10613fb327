package io.mgtm.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code mgtm bench report}, with processes. */
@Tag("long")
class ReportCommandIT {
  @TempDir Path folder;

  @Test
  void aPageAndItsJsonTellOfTheSameParts() throws IOException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = BenchMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    Path page = folder.resolve("page.html");
    Path json = folder.resolve("page.json");
    int status =
        line.execute("report", "--quick", "--only=gtm,sql", "--out=" + page, "--json=" + json);
    assertThat(status).as(err.toString()).isZero();
    assertThat(out.toString()).isEqualTo(page + "\n");
    Document html = Jsoup.parse(Files.readString(page));
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertThat(report.get("sections").findValuesAsText("id"))
        .containsExactlyElementsOf(html.select("section").eachAttr("id"))
        .containsExactly("gtm", "sql");
    assertThat(html.select("#gtm svg")).hasSize(3);
    assertThat(report.at("/sections/0/measured/comparisons/0/bars/0/spread/median").asDouble())
        .isPositive();
    assertThat(html.select("pre").text()).startsWith("./mgtm bench report --quick");
  }
}
