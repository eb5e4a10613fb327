package io.mgtm.gtm.node.engine;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * What an engine runs on.
 *
 * @param owner runs one task after the other, never inside {@code execute}
 * @param fatal told when the node cannot go on
 */
public record EngineParts(
    Executor owner, EngineTime time, RequestMetrics metrics, Consumer<Throwable> fatal) {}
