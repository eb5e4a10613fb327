package io.mgtm.bench.report;

import java.util.List;

/**
 * All of a report, as it is written in JSON too.
 *
 * @param version of the program, with its commit and day where it was built from a repository
 * @param begun when it began, by ISO 8601
 * @param loadBefore the load average of a minute before it began
 * @param loadAfter the same after it, which its own work has raised
 */
public record Report(
    String version,
    String command,
    String begun,
    double seconds,
    double loadBefore,
    double loadAfter,
    Machine machine,
    List<Section> sections) {
  public Report {
    sections = List.copyOf(sections);
  }

  /** Whether nothing is wrong in any part. */
  public boolean clean() {
    return sections.stream().allMatch(Section::clean);
  }
}
