/**
 * The frames between gateways and nodes, see docs/link.md: a codec without state beyond a frame
 * that has not come whole. {@link io.mgtm.gtm.wire.link.LinkWriter} and {@link
 * io.mgtm.gtm.wire.link.RepliesWriter} write, {@link io.mgtm.gtm.wire.link.GatewayFrameDecoder}
 * reads what gateways send, {@link io.mgtm.gtm.wire.link.NodeFrameDecoder} what nodes send.
 */
package io.mgtm.gtm.wire.link;
