package io.mgtm.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * One kind of figure of several systems under several loads: a chart and the table beside it.
 *
 * @param title what was measured, and of what
 * @param unit of all figures
 * @param better which of two figures is the better one
 * @param reference the series that the others are compared with; empty for none
 * @param bars in the order in which loads and series are shown
 */
public record Comparison(
    String title, String unit, Better better, String reference, List<Bar> bars) {
  /** Which of two figures is the better one. */
  public enum Better {
    HIGHER,
    LOWER
  }

  /**
   * What one system did under one load.
   *
   * @param load such as "8 connections"
   * @param series the system
   */
  public record Bar(String load, String series, Spread spread) {}

  public Comparison {
    bars = List.copyOf(bars);
  }

  /** One without bars. */
  public static Comparison of(String title, String unit, Better better, String reference) {
    return new Comparison(title, unit, better, reference, List.of());
  }

  /** The same with another bar. */
  public Comparison with(String load, String series, Spread spread) {
    List<Bar> all = new ArrayList<>(bars);
    all.add(new Bar(load, series, spread));
    return new Comparison(title, unit, better, reference, all);
  }

  /** The loads, in the order of their first bars. */
  public List<String> loads() {
    return bars.stream().map(Bar::load).distinct().toList();
  }

  /** The systems, in the order of their first bars. */
  public List<String> series() {
    return bars.stream().map(Bar::series).distinct().toList();
  }

  /** What a system did under a load; null when that was not measured. */
  public Spread at(String load, String of) {
    return bars.stream()
        .filter(bar -> bar.load().equals(load) && bar.series().equals(of))
        .map(Bar::spread)
        .findFirst()
        .orElse(null);
  }
}
