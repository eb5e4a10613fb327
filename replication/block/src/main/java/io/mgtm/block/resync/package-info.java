/** Pure parts of a resync and a verify: the walk over chunks, rates and progress. */
package io.mgtm.block.resync;
