/** The command line; the only place that wires things together. */
package io.mgtm.gtm.cli;
