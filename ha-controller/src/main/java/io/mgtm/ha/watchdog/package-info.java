/**
 * A process of its own that ends what a controller runs when the controller no longer says that it
 * may go on, and the controller's side of it.
 */
package io.mgtm.ha.watchdog;
