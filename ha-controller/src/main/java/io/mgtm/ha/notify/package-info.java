/** Tells programs and people of events: webhooks and mail. */
package io.mgtm.ha.notify;
