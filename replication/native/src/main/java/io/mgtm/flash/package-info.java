/**
 * Reading and writing of flash, by io_uring through JNI or by the JDK alone, behind one interface.
 *
 * <p>{@link io.mgtm.flash.Flash} opens {@link io.mgtm.flash.FlashFile}s and, for each thread that
 * does I/O, a {@link io.mgtm.flash.FlashQueue}; memory comes from a {@link
 * io.mgtm.flash.BufferPool}.
 */
package io.mgtm.flash;
