/**
 * {@code mgtm bench volume}: volumes beside other NBD servers on the same files, by fio, each in a
 * process of its own.
 */
package io.mgtm.bench.volume;
