/**
 * {@code mgtm bench report}: what all benchmarks found on one machine, as one page for people and
 * as JSON for programs. The benchmarks give {@link io.mgtm.bench.report.Part}s; nothing here knows
 * how any of them measures.
 */
package io.mgtm.bench.report;
