/** Makes texts for the packages when they are built; no program of mgtm uses it. */
package io.mgtm.packaging;
