/** What knows a type of resource: how it is brought in service, checked, repaired, taken out. */
package io.mgtm.ha.kit;
