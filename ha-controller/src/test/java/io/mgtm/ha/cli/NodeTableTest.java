package io.mgtm.ha.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeTableTest {
  /** Each without more than one blank in a row. */
  private static Stream<String> rows(String view) throws Exception {
    String table = NodeTable.of(new ObjectMapper().readTree(view));
    return Stream.of(table.split("\n")).map(line -> line.strip().replaceAll(" +", " "));
  }

  @ParameterizedTest
  @CsvSource({
    "'\"w\"', w yes yes log ok active",
    "'',       w SILENT yes log not connected active",
  })
  void aWitnessIsHeardByTheLog(String connected, String row) throws Exception {
    String view =
        """
        {"connected": [%s], "voters": ["a", "w", "z"], "nodes": {"a": {"silentMs": {"path1": 3, "path2": 9000}}},
         "state": {"config": {"nodes": {"a": {}, "w": {"witness": true}}}}}
        """
            .formatted(connected);
    assertThat(rows(view))
        .containsExactly(
            "NODE HEARD VOTES PATHS STATE",
            "a yes yes path1 ok, path2 silent for 9 s active",
            row,
            "z yes leaves when those that join have all");
  }

  @Test
  void aPathThatWasNeverHeardIsShown() throws Exception {
    String view =
        """
        {"node": "a", "runningMs": 40000, "connected": [], "voters": [],
         "nodes": {"a": {"silentMs": {"here": 3}}, "b": {"silentMs": {"path2": 3}}},
         "state": {"config": {"nodes": {"a": {"paths": ["x"]}, "b": {"paths": ["x", "y"]}, "c": {"paths": ["x"]}}}}}
        """;
    assertThat(rows(view))
        .containsExactly(
            "NODE HEARD VOTES PATHS STATE",
            "a yes no here ok active",
            "b yes no path2 ok, path1 never heard in 40 s active",
            "c SILENT no path1 never heard in 40 s active");
  }

  @ParameterizedTest
  @CsvSource({
    "'',                quorum-disk yes yes /dev/disk for a; for b",
    "it cannot be read, quorum-disk NO ANSWER yes /dev/disk NOT for a; for b",
  })
  void aQuorumDiskAnswersEachNode(String wrong, String row) throws Exception {
    String view =
        """
        {"node": "a", "connected": ["quorum-disk"], "voters": ["quorum-disk"],
         "nodes": {"a": {"silentMs": {"here": 3}, "disk": {"wrong": "%s"}},
                   "b": {"silentMs": {"path1": 3}, "disk": {"wrong": ""}},
                   "c": {"silentMs": {"path1": 9000}, "disk": {"wrong": "it was"}}},
         "state": {"config": {"quorumDisk": "/dev/disk", "nodes": {"a": {}, "b": {}, "c": {}}}}}
        """
            .formatted(wrong);
    assertThat(rows(view)).contains(row);
  }
}
