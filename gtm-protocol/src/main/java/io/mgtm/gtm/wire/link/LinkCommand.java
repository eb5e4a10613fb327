package io.mgtm.gtm.wire.link;

import io.mgtm.gtm.command.Command;

/**
 * A command or query of a gateway.
 *
 * @param backend the connection number that a proxied reply carries; any for the others
 */
public record LinkCommand(short backend, Command command) {}
