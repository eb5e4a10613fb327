/**
 * Drives a volume's core: one event loop owns it, and this package gives it disks, links, clients,
 * time and operators.
 */
package io.mgtm.block.agent;
