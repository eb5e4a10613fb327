package io.mgtm.group.member;

import io.mgtm.group.ReplicatedLog;

/** The log of a member of a group, and what an operator may ask of it. Owner thread. */
public interface ManagedLog extends ReplicatedLog, GroupAdmin {}
