/**
 * An ordered log of opaque entries that survives the death of its members. It knows nothing of GTM:
 * entries are bytes, and a {@link io.mgtm.group.StateMachine} gives them meaning.
 */
package io.mgtm.group;
