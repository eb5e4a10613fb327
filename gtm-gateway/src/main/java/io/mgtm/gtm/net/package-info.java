/**
 * Sockets: event loops, buffers, deadlines, what listens and where; shared by servers and gateways.
 */
package io.mgtm.gtm.net;
