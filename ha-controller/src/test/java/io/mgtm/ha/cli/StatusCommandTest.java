package io.mgtm.ha.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.ha.core.Report;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusCommandTest {
  @ParameterizedTest
  @CsvSource({
    "HELD, IN, 9, all of it, 'a IN all of it'",
    "HELD, IN, 9000, all of it, 'a IN when last heard all of it'",
    "HELD, IN, 9, x LEFT, 'a IN, has failed x LEFT'",
    "LEAVING, IN, 9, all of it, 'a LEAVING all of it'",
    "REVOKED, IN, 9000, all of it, 'a REVOKED it was last heard that all of it'",
  })
  void aStateIsToldAsFarAsItIsKnown(
      String stage, String said, int silentMs, String detail, String row) throws Exception {
    String view =
        """
        {"leader": "b", "nodes": {"a": {"silentMs": {"path1": %d},
           "reports": {"orders": {"state": "%s", "detail": "%s"}}}},
         "state": {"placements": {"orders": {"stage": "%s", "node": "a", "wanted": true}}}}
        """
            .formatted(silentMs, said, detail.replace("LEFT", Report.LEFT_ALONE), stage);
    StringWriter out = new StringWriter();
    PrintWriter printer = new PrintWriter(out);
    new StatusCommand().print(new ObjectMapper().readTree(view), printer);
    printer.flush();
    assertThat(out.toString().replaceAll(" +", " "))
        .contains("orders " + row.replace("LEFT", Report.LEFT_ALONE));
  }
}
