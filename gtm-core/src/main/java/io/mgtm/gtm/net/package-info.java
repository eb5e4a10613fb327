/**
 * Sockets: event loops, buffers, deadlines, what listens and where; shared by servers and fronts.
 */
package io.mgtm.gtm.net;
