/** Writes the documentation as HTML, and knows every command; no program of mgtm uses it. */
package io.mgtm.site;
