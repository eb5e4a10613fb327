/** The sockets: XC clients, gateways and operators. */
package io.mgtm.gtm.node.connection;
