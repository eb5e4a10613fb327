package io.mgtm.query.sql;

/**
 * A class and why.
 *
 * @param why in one line, for people
 */
public record Classification(StatementClass statementClass, String why) {}
