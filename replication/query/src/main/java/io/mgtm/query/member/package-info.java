/**
 * A replicator that runs, alone or as one of a group. It lets clients in and hands them to sessions
 * while it leads, and forwards them to the one that does while it does not; {@link
 * io.mgtm.query.member.Tenure} holds all that is there for as long as it leads. Operators and
 * metrics reach it by {@link io.mgtm.query.member.AdminEndpoint}.
 */
package io.mgtm.query.member;
