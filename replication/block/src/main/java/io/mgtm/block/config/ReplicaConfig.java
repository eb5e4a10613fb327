package io.mgtm.block.config;

import io.mgtm.block.link.Compression;
import io.mgtm.block.volume.LinkConfig;
import io.mgtm.block.wire.Endpoint;

/**
 * One replica.
 *
 * @param endpoint where its agent receives
 * @param link how the link behaves
 * @param compression how data is compressed on the wire
 */
public record ReplicaConfig(Endpoint endpoint, LinkConfig link, Compression compression) {}
