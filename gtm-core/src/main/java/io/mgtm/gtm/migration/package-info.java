/** Reading what the original GTM leaves behind, so that a cluster can move here. */
package io.mgtm.gtm.migration;
