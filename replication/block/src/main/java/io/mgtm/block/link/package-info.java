/**
 * The wire between a source and a target: frames, compression, connections. A frame is
 *
 * <pre>
 * magic 4d564c31 | type 8 | flags 8 | 0 16 | payload length 32 | range length 32 | seq 64 | offset 64 | crc32c 32 | payload
 * </pre>
 *
 * <p>The checksum covers header and payload. A source sends HELLO; the target answers with BITS
 * frames, the chunks it changed by itself, and WELCOME, or with REFUSE. Then the source's frames
 * carry sequence numbers from 1 on, without gap, and the target answers by ACK and CHECKSUM. Both
 * send PING when they have nothing else to say.
 */
package io.mgtm.block.link;
