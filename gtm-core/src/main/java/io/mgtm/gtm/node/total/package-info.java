/**
 * The engine of mode {@code total}, where every member takes commands and the log gives them their
 * order. Owner thread.
 */
package io.mgtm.gtm.node.total;
