package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** A decoder, and what it handed over so far. */
public final class RecordedRequests implements RequestHandler {
  /** One call of the handler; what the kind does not have is null. */
  public record Event(String kind, MessageType type, short backend, Object value, String hint) {}

  /** What was handed over, in its order. */
  public final List<Event> events = new ArrayList<>();

  private final RequestDecoder decoder;
  private final ByteBuf in = Unpooled.buffer();

  public RecordedRequests() {
    this(FrameLimits.FRAME_BYTES_MAX);
  }

  public RecordedRequests(int frameBytesMax) {
    decoder = new RequestDecoder(frameBytesMax, this);
    decoder.allowOperators();
    decoder.session(SampleRequests.SESSION);
  }

  /** A decoder that has seen the startup packet of a node of this type. */
  public static RecordedRequests startedBy(int nodeType) throws WireException {
    RecordedRequests requests = new RecordedRequests();
    requests.feed(RequestFrame.startup("peer", nodeType, false));
    requests.events.clear();
    return requests;
  }

  /** Appends bytes to what has not been decoded yet, and decodes. */
  public RecordedRequests feed(byte[] bytes) throws WireException {
    return feed(bytes, 0, bytes.length);
  }

  /** Feeds a part of {@code bytes}. */
  public RecordedRequests feed(byte[] bytes, int from, int to) throws WireException {
    in.writeBytes(bytes, from, to - from);
    decoder.decode(in);
    return this;
  }

  /** How many bytes wait for more. */
  public int unread() {
    return in.readableBytes();
  }

  /** The commands that came. */
  public List<Object> commands() {
    return events.stream().filter(e -> e.kind().equals("command")).map(Event::value).toList();
  }

  @Override
  public void startup(Startup startup) {
    events.add(new Event("startup", null, Command.NO_BACKEND, startup, null));
  }

  @Override
  public void command(MessageType type, short backend, Command command) {
    events.add(new Event("command", type, backend, command, null));
  }

  @Override
  public void refused(MessageType type, short backend, String message, String hint) {
    events.add(new Event("refused", type, backend, message, hint));
  }

  @Override
  public void terminate() {
    events.add(new Event("terminate", null, Command.NO_BACKEND, null, null));
  }
}
