/**
 * What all programs share: their command line, configuration files, addresses, secrets, metrics and
 * health, and how errors are told.
 */
package io.mgtm.common;
