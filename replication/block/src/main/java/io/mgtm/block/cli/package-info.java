/**
 * The command line: {@code mgtm volume
 * create|start|status|promote|demote|resync|verify|pause|resume|resize|list}.
 */
package io.mgtm.block.cli;
