/**
 * What XC clients connect to: a proxy, or the gateway of a group's node. It numbers their commands
 * within sessions, sends them to the node that leads, and repeats after a failover what was not
 * answered (docs/link.md, docs/proxy.md). One event loop owns a gateway: all its clients, sessions
 * and links; unless said otherwise, everything here is called on it.
 */
package io.mgtm.gtm.gateway;
