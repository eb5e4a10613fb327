/** A running member of a group: the core, its disk, its state machine and its transport. */
package io.mgtm.group.member;
