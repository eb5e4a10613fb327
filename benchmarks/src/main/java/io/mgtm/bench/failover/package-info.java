/** How long clients wait while leaders die, hang, are cut off, hand over, and are restarted. */
package io.mgtm.bench.failover;
