/**
 * Mode {@code total}: every member accepts proposals and applies them in one order, which the
 * leader of the group's log makes. {@link io.mgtm.group.total.OrderedLog} is what a service sees of
 * it; {@link io.mgtm.group.total.TotalOrder} decides, without clock, thread or socket.
 */
package io.mgtm.group.total;
