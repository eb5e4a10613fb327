/** The page for operators that each controller serves; it asks the HTTP interface, as others do. */
package io.mgtm.ha.console;
