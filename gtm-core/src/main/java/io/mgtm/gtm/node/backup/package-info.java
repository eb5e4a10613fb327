/** What a new data folder begins with: a backup, or what an original GTM left. */
package io.mgtm.gtm.node.backup;
