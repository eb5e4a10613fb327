package io.mgtm.block.link;

import io.mgtm.block.volume.Identity;
import io.mgtm.block.volume.Testimony;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/** Asks one other copy, before a promotion, what it is and whether it hands over. */
public final class InquiryConnection extends DiallingConnection {
  private final String peer;
  private final Identity self;
  private final Consumer<Testimony> answer;
  private boolean answered;

  /**
   * An inquiry at {@code peer}.
   *
   * @param self what this copy is
   * @param answer told once what came of it, on the connection's event loop
   */
  public InquiryConnection(
      String peer,
      Identity self,
      long timeoutMs,
      LinkSecurity security,
      Consumer<Testimony> answer) {
    super(Compression.NONE, timeoutMs, security);
    this.peer = peer;
    this.self = self;
    this.answer = answer;
  }

  @Override
  void introduce() {
    writer().text(Frame.ASK, Hello.write(self));
  }

  @Override
  void proven(int type, long seq, ByteBuf payload) throws LinkException {
    if (type != Frame.TESTIMONY) {
      throw new LinkException("a copy that is asked may not send frames of type " + type);
    }
    tell(Hello.readTestimony(peer, bytes(payload)));
    endedBecause("it has answered");
  }

  /** The copy cannot be asked. */
  public void failed(String why) {
    tell(Testimony.missing(peer, why));
  }

  private void tell(Testimony testimony) {
    if (!answered) {
      answered = true;
      answer.accept(testimony);
    }
  }

  @Override
  boolean isEstablished() {
    return answered;
  }

  @Override
  void gone(String why) {
    failed(why);
  }

  @Override
  public boolean isBlocked() {
    return isClosed();
  }
}
