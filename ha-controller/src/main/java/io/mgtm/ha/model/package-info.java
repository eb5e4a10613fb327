/** What an operator protects, and how: immutable values without behaviour of their own. */
package io.mgtm.ha.model;
