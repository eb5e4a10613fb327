/** Files and devices that hold a volume's bytes. */
package io.mgtm.block.store;
