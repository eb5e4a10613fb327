/** What operators ask of a node. */
package io.mgtm.gtm.node.admin;
