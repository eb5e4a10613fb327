/** The group of one: a log that no other member has. */
package io.mgtm.group.local;
