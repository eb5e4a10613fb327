/** A small blocking client of any GTM of the Postgres-XC 1.2 protocol, mgtm's or the original. */
package io.mgtm.gtm.client;
