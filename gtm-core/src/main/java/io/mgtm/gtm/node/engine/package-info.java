/**
 * Takes commands through the state and the log. A reply leaves only after its entry is committed.
 * Owner thread.
 */
package io.mgtm.gtm.node.engine;
