/** The proxy as a program: configuration, command line, metrics, start and orderly end. */
package io.mgtm.proxy;
