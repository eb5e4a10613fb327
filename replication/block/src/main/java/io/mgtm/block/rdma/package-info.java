/**
 * Links over RDMA: Netty channels whose bytes go by send and receive of a reliable connection, so
 * that the frames, their handlers and TLS are the same as over TCP.
 */
package io.mgtm.block.rdma;
