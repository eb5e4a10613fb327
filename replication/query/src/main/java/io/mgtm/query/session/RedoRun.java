package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.order.Part;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.Charset;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Gives a server, in a transaction that is open there, what the log has of some. Belongs to the
 * loop of the server's connection.
 */
public final class RedoRun {
  private final Backend backend;
  private final RedoCodec.Statements statements;
  private final Consumer<Difference> wrong;
  private final Runnable then;
  private final ArrayDeque<ByteBuf> left = new ArrayDeque<>();

  /**
   * One that has not begun.
   *
   * @param wrong told of what is not done there as at the leader, as it is answered
   * @param then called when all is sent; what is asked next is answered after it
   */
  public RedoRun(
      Backend backend, RedoCodec.Statements statements, Consumer<Difference> wrong, Runnable then) {
    this.backend = backend;
    this.statements = statements;
    this.wrong = wrong;
    this.then = then;
  }

  /** Begins, with what is to be done in this order. */
  public void run(List<Part> parts) {
    parts.forEach(part -> left.add(Unpooled.wrappedBuffer(part.effects())));
    pump();
  }

  /** Sends what can be sent at once: nothing may come between COPY and its data. */
  private void pump() {
    while (!left.isEmpty()) {
      ByteBuf in = left.peek();
      if (!in.isReadable()) {
        left.remove();
      } else if (in.readByte() == Redo.EFFECTS) {
        Effects effects = Effects.read(in, statements);
        effects.sendTo(backend, (at, what) -> wrong.accept(what));
      } else {
        Charset charset = Charset.forName(RedoCodec.text(in));
        String sql = RedoCodec.text(in);
        String tag = RedoCodec.text(in);
        ByteBuf data = in.readSlice(in.readInt());
        backend.ask(sql, charset, new CopyData(data, tag));
        return;
      }
    }
    then.run();
  }

  /** A COPY whose data are all here. */
  private final class CopyData implements Answer {
    private final ByteBuf data;
    private final String tag;
    private String got;
    private boolean failed;

    CopyData(ByteBuf data, String tag) {
      this.data = data;
      this.tag = tag;
    }

    @Override
    public void take(Frame frame) {
      switch (frame.type()) {
        case 'G' -> {
          ByteBuf out = backend.alloc().buffer();
          out.writeByte('d').writeInt(data.readableBytes() + Integer.BYTES).writeBytes(data);
          backend.channel().write(out);
          backend.channel().writeAndFlush(Messages.empty(backend.alloc(), 'c'));
        }
        case 'C' -> got = StartupPacket.text(frame.body());
        case 'E' -> {
          failed = true;
          wrong.accept(Difference.failed(ErrorFields.read(frame.body())));
        }
        default -> {
          // Notices.
        }
      }
      frame.release();
    }

    @Override
    public void ready(char status) {
      if (!failed && !tag.equals(got)) {
        wrong.accept(Difference.answered(got, tag));
      }
      pump();
    }

    @Override
    public void lost() {
      // What follows is lost as well, and tells who waits.
      pump();
    }
  }
}
