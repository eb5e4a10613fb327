/** One immutable configuration, parsed once; unknown keys and bad values are refused by name. */
package io.mgtm.gtm.config;
