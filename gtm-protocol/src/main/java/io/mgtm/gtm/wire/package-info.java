/**
 * Bytes to commands and replies to bytes. No state but a partial frame; every length is checked
 * against a limit before anything is allocated. One sub-package a dialect.
 */
package io.mgtm.gtm.wire;
