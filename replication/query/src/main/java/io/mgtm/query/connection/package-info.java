/**
 * Connections to the servers. A client's session enters each server by a {@link
 * io.mgtm.query.connection.ServerDoor}, with what proves that it is the client, and the replicator
 * enters them as its {@link io.mgtm.query.connection.OwnRole}, to ask what it must know. What a
 * server answers flows up from here, to an {@link io.mgtm.query.connection.Answer} or a future;
 * nothing here knows which servers there are.
 */
package io.mgtm.query.connection;
