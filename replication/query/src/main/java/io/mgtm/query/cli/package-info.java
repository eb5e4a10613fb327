/** {@code mgtm query …}: the only place that wires things together. */
package io.mgtm.query.cli;
