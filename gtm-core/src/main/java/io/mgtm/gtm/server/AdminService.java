package io.mgtm.gtm.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.StatePicture;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers operators' requests, which come as {@code ADMIN} frames. Owner thread. */
final class AdminService {
  private static final Logger log = LoggerFactory.getLogger(AdminService.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final GroupControl control;
  private final Supplier<NodeStatus> status;
  private final CommandEngine engine;
  private final Supplier<StateCounts> counts;
  private final LongSupplier clockMicros;
  private final BackupSender backups;

  AdminService(
      GroupControl control,
      Supplier<NodeStatus> status,
      CommandEngine engine,
      Supplier<StateCounts> counts,
      LongSupplier clockMicros,
      Executor owner) {
    this.backups = new BackupSender(owner, BackupSender.STALL_MS);
    this.control = control;
    this.status = status;
    this.counts = counts;
    this.engine = engine;
    this.clockMicros = clockMicros;
  }

  /** Does what an operator asks for, or says why not. */
  void request(GatewayPeer peer, long id, String verb, String argument) {
    switch (verb) {
      case "status" -> reply(peer, id, AdminReplyKind.DONE, json(status.get()));
      case "counts" -> {
        if (engine.isServing()) {
          reply(peer, id, AdminReplyKind.DONE, json(counts.get()));
        } else {
          redirect(peer, id);
        }
      }
      case "accept-loss" -> change(peer, id, verb, "", control.acceptLoss());
      case "transfer", "add", "remove", "durability", "backup" -> {
        if (verb.equals("backup") ? engine.isServing() : control.decides()) {
          lead(peer, id, verb, argument);
        } else {
          redirect(peer, id);
        }
      }
      default -> fail(peer, id, "this node knows no request \"" + verb + "\"");
    }
  }

  /** Says that an operator may not ask for this. */
  static void refuse(GatewayPeer peer, long id, String verb, String whyNot) {
    log.warn("{} asks for {}: refused, {}", peer.describe(), verb, whyNot);
    fail(peer, id, whyNot);
  }

  private void lead(GatewayPeer peer, long id, String verb, String argument) {
    switch (verb) {
      case "transfer" -> change(peer, id, verb, argument, transfer(argument));
      case "add" -> change(peer, id, verb, argument, control.add(argument));
      case "remove" -> change(peer, id, verb, argument, control.remove(argument));
      case "durability" -> change(peer, id, verb, argument, durability(argument));
      default -> backup(peer, id);
    }
  }

  private Optional<String> durability(String label) {
    return DurabilityMode.named(label)
        .map(control::durability)
        .orElseGet(() -> Optional.of("\"%s\" is no durability".formatted(label)));
  }

  /** Nothing is to be done where the member leads already. */
  private Optional<String> transfer(String member) {
    boolean leads = member.equals(control.status().leader());
    return leads ? Optional.empty() : control.transfer(member);
  }

  private void change(
      GatewayPeer peer, long id, String verb, String argument, Optional<String> whyNot) {
    log.info(
        "{} asks for {} {}: {}", peer.describe(), verb, argument, whyNot.orElse("it has begun"));
    if (whyNot.isPresent()) {
      fail(peer, id, whyNot.get());
    } else {
      reply(peer, id, AdminReplyKind.DONE, new byte[0]);
    }
  }

  private void backup(GatewayPeer peer, long id) {
    if (!backups.mayBegin()) {
      fail(peer, id, BackupSender.BUSY);
      return;
    }
    long micros = clockMicros.getAsLong();
    engine.submit(
        new LinkWork.Copy(
            new StateCopy() {
              @Override
              public void copied(long index, StatePicture state) {
                if (!backups.begin(peer, id, index, micros, state)) {
                  fail(peer, id, BackupSender.BUSY);
                }
              }

              @Override
              public void notLeading() {
                redirect(peer, id);
              }
            }));
  }

  private void redirect(GatewayPeer peer, long id) {
    NodeStatus status = control.status();
    String other = status.leader().equals(status.member()) ? "" : status.leaderAddress();
    reply(peer, id, AdminReplyKind.REDIRECT, other.getBytes(UTF_8));
  }

  static void fail(GatewayPeer peer, long id, String why) {
    reply(peer, id, AdminReplyKind.FAILED, why.getBytes(UTF_8));
  }

  static void reply(GatewayPeer peer, long id, AdminReplyKind kind, byte[] bytes) {
    ByteBuf out = peer.newBuffer();
    LinkWriter.adminReply(out, id, kind, bytes);
    peer.write(out);
    peer.flush();
  }

  private static byte[] json(Object answer) {
    try {
      return JSON.writeValueAsBytes(answer);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
