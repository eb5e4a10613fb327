package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Names;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes a client's frames field by field, well-formed or not, for tests. */
public final class RequestFrame {
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private final char type;

  private RequestFrame(char type) {
    this.type = type;
  }

  /** A frame of any type. */
  public static RequestFrame of(char type) {
    return new RequestFrame(type);
  }

  /** A command of somebody who is no proxy. */
  public static RequestFrame command(MessageType type) {
    return of('C').be32(type.code());
  }

  /** A command that a proxy passes on. */
  public static RequestFrame proxied(int backend, MessageType type) {
    return of('C').le16(backend).be32(type.code());
  }

  /** A startup packet. */
  public static byte[] startup(String name, int nodeType, boolean postmaster) {
    RequestFrame frame = of('A').text(name);
    for (int i = name.length(); i < FrameLimits.STARTUP_NAME_BYTES; i++) {
      frame.u8(0);
    }
    return frame.le32(nodeType).u8(postmaster ? 1 : 0).u8(0).u8(0).u8(0).bytes();
  }

  /** What a proxy ends its groups with. */
  public static byte[] flush() {
    return of('F').be32(MessageType.DATA_FLUSH.code()).bytes();
  }

  /** Leave. */
  public static byte[] terminate() {
    return of('X').bytes();
  }

  public RequestFrame u8(int value) {
    body.write(value);
    return this;
  }

  public RequestFrame be32(int value) {
    return raw(ByteBuffer.allocate(4).putInt(value).array());
  }

  public RequestFrame be16(int value) {
    return raw(ByteBuffer.allocate(2).putShort((short) value).array());
  }

  public RequestFrame le16(int value) {
    return raw(little(2).putShort((short) value).array());
  }

  public RequestFrame le32(int value) {
    return raw(little(4).putInt(value).array());
  }

  public RequestFrame le64(long value) {
    return raw(little(8).putLong(value).array());
  }

  private static ByteBuffer little(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Its bytes without a length. */
  public RequestFrame text(String text) {
    return raw(text.getBytes(Names.BYTES));
  }

  /** Big-endian length and bytes. */
  public RequestFrame string(String text) {
    return be32(text.length()).text(text);
  }

  /** A sequence key: counted, and terminated within the count. */
  public RequestFrame key(String key) {
    return string(key + "\0");
  }

  /** A transaction named by its gxid. */
  public RequestFrame gxid(int gxid) {
    return u8(1).le32(gxid);
  }

  /** A transaction named by its handle. */
  public RequestFrame handle(int handle) {
    return u8(0).le32(handle);
  }

  public RequestFrame raw(byte[] bytes) {
    body.writeBytes(bytes);
    return this;
  }

  /** The bytes after the header. */
  public byte[] body() {
    return body.toByteArray();
  }

  /** The whole frame. */
  public byte[] bytes() {
    return bytes(body.size() + Integer.BYTES);
  }

  /** The frame with a length of choice in its header. */
  public byte[] bytes(int length) {
    return ByteBuffer.allocate(FrameLimits.HEADER_BYTES + body.size())
        .put((byte) type)
        .putInt(length)
        .put(body.toByteArray())
        .array();
  }

  /** Frames one after the other. */
  public static byte[] concat(byte[]... frames) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] frame : frames) {
      all.writeBytes(frame);
    }
    return all.toByteArray();
  }
}
