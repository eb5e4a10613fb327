/**
 * Loading of the C libraries and the life of what they hand out. Used by {@code io.mgtm.flash} and
 * {@code io.mgtm.rdma}; nothing else needs it.
 */
package io.mgtm.jni;
