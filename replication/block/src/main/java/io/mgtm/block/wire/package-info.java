/** What the NBD server and the links share: addresses, event loops, batched writing, TLS. */
package io.mgtm.block.wire;
