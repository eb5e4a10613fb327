package io.mgtm.bench.report;

import java.util.List;

/**
 * What a part of the report found.
 *
 * @param comparisons its figures; those without any are left out
 * @param notes sentences for people: what stands behind the figures, what was left out and why
 * @param findings what is wrong: a checker's findings, requests that failed; empty when nothing is
 */
public record Measured(List<Comparison> comparisons, List<String> notes, List<String> findings) {
  /** Nothing yet. */
  public static final Measured NOTHING = new Measured(List.of(), List.of(), List.of());

  public Measured {
    comparisons = comparisons.stream().filter(of -> !of.bars().isEmpty()).toList();
    notes = List.copyOf(notes);
    findings = List.copyOf(findings);
  }
}
