/**
 * What can be asked of a GTM and what it answers, apart from any wire format: immutable values, and
 * the stable, versioned encoding in which commands stand in the log.
 */
package io.mgtm.gtm.command;
