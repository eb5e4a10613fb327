/**
 * The GTM protocol of Postgres-XC 1.2, from its sources (src/gtm: main/*.c for what a server reads
 * and sends, client/fe-protocol.c for what a client expects).
 *
 * <p>A frame is one type byte, a big-endian length that counts itself but not the type byte, and a
 * body. Numbers sent as numbers are big-endian; what the original copies from memory (gxids,
 * handles, timestamps, sequence values, enums) is in the host's order, and taken to be
 * little-endian here.
 */
package io.mgtm.gtm.wire.xc12;
