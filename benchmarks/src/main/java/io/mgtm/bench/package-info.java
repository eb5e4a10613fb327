/** The command line of the load tool and the micro-benchmarks. */
package io.mgtm.bench;
