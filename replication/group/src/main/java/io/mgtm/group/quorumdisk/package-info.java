/**
 * A witness without a machine. Its memory lies on a disk that both members of a pair reach, a
 * quorum disk: each member answers for the witness what it asks it itself, and writes down what
 * that binds the witness to, where the other reads it. See
 * docs/adr/0029-a-quorum-disk-is-a-witness.md.
 */
package io.mgtm.group.quorumdisk;
