/** Reads and checks the configuration of a cluster, and tells what a change of it would touch. */
package io.mgtm.ha.config;
