/** The agent's configuration, parsed once and refused when it cannot work. */
package io.mgtm.block.config;
