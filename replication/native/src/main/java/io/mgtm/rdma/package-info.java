/**
 * RDMA by librdmacm and libibverbs through JNI: reliable connections, memory that is registered
 * once, send and receive, RDMA write with immediate data, and flow control by credits.
 *
 * <p>A {@link io.mgtm.rdma.RdmaDomain} stands for a device; {@link io.mgtm.rdma.RegisteredPool}s
 * are the memory it may touch; {@link io.mgtm.rdma.RdmaConnector} and {@link
 * io.mgtm.rdma.RdmaListener} make {@link io.mgtm.rdma.RdmaConnection}s, and a {@link
 * io.mgtm.rdma.RdmaChannel} carries messages with flow control on one of them.
 */
package io.mgtm.rdma;
