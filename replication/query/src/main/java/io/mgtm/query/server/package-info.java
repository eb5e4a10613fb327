/**
 * The replicator as it runs. Everything of a session - its client's connection, its server's, what
 * it knows of both - belongs to the one event loop that accepted the client; sessions share only
 * {@link io.mgtm.query.server.Sessions} and {@link io.mgtm.query.server.RoleDirectory}.
 */
package io.mgtm.query.server;
