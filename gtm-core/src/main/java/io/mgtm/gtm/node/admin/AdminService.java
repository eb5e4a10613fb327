package io.mgtm.gtm.node.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.StatePicture;
import io.mgtm.group.member.GroupAdmin;
import io.mgtm.gtm.node.engine.CommandEngine;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.node.engine.StateCopy;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers operators' requests, which come as {@code ADMIN} frames. Owner thread. */
public final class AdminService {
  private static final Logger log = LoggerFactory.getLogger(AdminService.class);

  /** Made for the first answer: few starts have one. */
  private static final class Json {
    static final ObjectMapper MAPPER = new ObjectMapper();
  }

  private final GroupAdmin group;
  private final Supplier<NodeStatus> status;
  private final CommandEngine engine;
  private final Supplier<StateCounts> counts;
  private final LongSupplier clockMicros;
  private final BackupSender backups;

  public AdminService(
      GroupAdmin group,
      Supplier<NodeStatus> status,
      CommandEngine engine,
      Supplier<StateCounts> counts,
      LongSupplier clockMicros,
      Executor owner) {
    this.backups = new BackupSender(owner, BackupSender.STALL_MS);
    this.group = group;
    this.status = status;
    this.counts = counts;
    this.engine = engine;
    this.clockMicros = clockMicros;
  }

  /** Does what an operator asks for, or says why not. */
  public void request(GatewayPeer peer, long id, String verb, String argument) {
    switch (verb) {
      case "status" -> AdminReplies.reply(peer, id, AdminReplyKind.DONE, json(status.get()));
      case "counts" -> {
        if (engine.isServing()) {
          AdminReplies.reply(peer, id, AdminReplyKind.DONE, json(counts.get()));
        } else {
          redirect(peer, id);
        }
      }
      case "accept-loss" -> change(peer, id, verb, "", group.acceptLoss());
      case "transfer", "add", "remove", "durability", "backup" -> {
        if (verb.equals("backup") ? engine.isServing() : engine.decides()) {
          lead(peer, id, verb, argument);
        } else {
          redirect(peer, id);
        }
      }
      default -> AdminReplies.fail(peer, id, "this node knows no request \"" + verb + "\"");
    }
  }

  private void lead(GatewayPeer peer, long id, String verb, String argument) {
    switch (verb) {
      case "transfer" -> change(peer, id, verb, argument, transfer(argument));
      case "add" -> change(peer, id, verb, argument, add(argument));
      case "remove" -> change(peer, id, verb, argument, group.remove(argument));
      case "durability" -> change(peer, id, verb, argument, durability(argument));
      default -> backup(peer, id);
    }
  }

  private Optional<String> durability(String label) {
    return DurabilityMode.named(label)
        .map(group::durability)
        .orElseGet(() -> Optional.of("\"%s\" is no durability".formatted(label)));
  }

  /** Nothing is to be done where the member leads already. */
  private Optional<String> transfer(String member) {
    boolean leads = member.equals(status.get().leader());
    return leads ? Optional.empty() : group.transfer(member);
  }

  private Optional<String> add(String member) {
    return LinkFormat.isName(member)
        ? group.add(member)
        : Optional.of("\"%s\" is no name of a member".formatted(member));
  }

  private void change(
      GatewayPeer peer, long id, String verb, String argument, Optional<String> whyNot) {
    log.info(
        "{} asks for {} {}: {}", peer.describe(), verb, argument, whyNot.orElse("it has begun"));
    if (whyNot.isPresent()) {
      AdminReplies.fail(peer, id, whyNot.get());
    } else {
      AdminReplies.reply(peer, id, AdminReplyKind.DONE, new byte[0]);
    }
  }

  private void backup(GatewayPeer peer, long id) {
    if (!backups.mayBegin()) {
      AdminReplies.fail(peer, id, BackupSender.BUSY);
      return;
    }
    long micros = clockMicros.getAsLong();
    engine.submit(
        new LinkWork.Copy(
            new StateCopy() {
              @Override
              public void copied(long index, StatePicture state) {
                if (!backups.begin(peer, id, index, micros, state)) {
                  AdminReplies.fail(peer, id, BackupSender.BUSY);
                }
              }

              @Override
              public void notLeading() {
                redirect(peer, id);
              }
            }));
  }

  private void redirect(GatewayPeer peer, long id) {
    NodeStatus now = status.get();
    String other = now.leader().equals(now.member()) ? "" : now.leaderAddress();
    AdminReplies.reply(peer, id, AdminReplyKind.REDIRECT, other.getBytes(UTF_8));
  }

  private static byte[] json(Object answer) {
    try {
      return Json.MAPPER.writeValueAsBytes(answer);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
