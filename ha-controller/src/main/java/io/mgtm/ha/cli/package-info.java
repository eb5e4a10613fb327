/** The command line of the HA controller. */
package io.mgtm.ha.cli;
