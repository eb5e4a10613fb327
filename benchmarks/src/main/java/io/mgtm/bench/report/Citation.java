package io.mgtm.bench.report;

/**
 * A figure that others have published, and that was not measured here.
 *
 * @param what it tells of
 * @param figure with its unit
 * @param source where it stands
 */
public record Citation(String what, String figure, String source) {}
