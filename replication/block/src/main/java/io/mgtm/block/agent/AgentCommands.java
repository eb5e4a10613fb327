package io.mgtm.block.agent;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.block.volume.Administration;
import io.mgtm.block.volume.Grounds;
import io.mgtm.block.volume.SizeText;
import io.mgtm.block.volume.VolumeState;
import io.mgtm.block.volume.VolumeView;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What an operator may ask a running agent, by the control socket. On the owner's event loop. */
final class AgentCommands implements Control.Commands {
  private final VolumeService service;
  private final Supplier<?> status;
  private final Runnable roleChanged;
  private final List<LinkDialer> peers;

  AgentCommands(
      VolumeService service, Supplier<?> status, Runnable roleChanged, List<LinkDialer> peers) {
    this.service = service;
    this.status = status;
    this.roleChanged = roleChanged;
    this.peers = peers;
  }

  @Override
  public void run(JsonNode command, Consumer<Object> answer) {
    Administration administration = service.core().administration();
    Consumer<String> outcome = refusal -> answer.accept(Control.outcome(refusal));
    Consumer<String> role =
        refusal -> {
          if (refusal == null) {
            service.export().setReady();
            roleChanged.run();
          }
          outcome.accept(refusal);
        };
    String wanted = command.path("volume").asText(service.name());
    if (!wanted.equals(service.name())) {
      outcome.accept("this agent serves volume " + service.name() + ", not " + wanted);
      return;
    }
    switch (command.path("command").asText()) {
      case "status" -> answer.accept(status.get());
      case "promote" ->
          new PromotionCommand(service, peers, roleChanged, grounds(command), answer).run();
      case "fenced" ->
          outcome.accept(service.core().fencing().confirm(command.path("token").asText()));
      case "demote" -> administration.demote(command.path("discard").asBoolean(), role);
      case "resync" ->
          outcome.accept(
              onLinks(
                  command,
                  link ->
                      administration
                          .links()
                          .resync(link, command.path("compare").asBoolean(true))));
      case "verify" ->
          outcome.accept(
              onLinks(
                  command,
                  link -> administration.links().verify(link, command.path("repair").asBoolean())));
      case "pause" ->
          outcome.accept(
              onLinks(
                  command,
                  link -> {
                    administration.links().pause(link);
                    return null;
                  }));
      case "resume" ->
          outcome.accept(
              onLinks(
                  command,
                  link -> {
                    administration.links().resume(link);
                    return null;
                  }));
      case "resize" -> resize(command.path("sizeBytes").asLong(), outcome);
      default -> outcome.accept("command '" + command.path("command").asText() + "' is not known");
    }
  }

  /** Force does all that a voucher does, and more. */
  private static Grounds grounds(JsonNode promotion) {
    return promotion.path("force").asBoolean()
        ? Grounds.FORCE
        : promotion.path("vouched").asBoolean() ? Grounds.VOUCHED : Grounds.TESTIMONY;
  }

  /** Something done to one link; answers null, or why not. */
  @FunctionalInterface
  private interface LinkAction {
    String apply(int link);
  }

  private String onLinks(JsonNode command, LinkAction action) {
    String wanted = command.path("link").asText("");
    List<VolumeView.Link> links = service.core().view().links();
    boolean found = false;
    for (int i = 0; i < links.size(); i++) {
      if (wanted.isEmpty() || links.get(i).name().equals(wanted)) {
        found = true;
        String refusal = action.apply(i);
        if (refusal != null) {
          return refusal;
        }
      }
    }
    return found
        ? null
        : wanted.isEmpty() ? "this volume has no replicas" : "there is no link " + wanted;
  }

  private void resize(long sizeBytes, Consumer<String> outcome) {
    if (!service.core().administration().isPossibleSize(sizeBytes)) {
      outcome.accept(
          "a volume of "
              + SizeText.of(service.core().state().sizeBytes())
              + " cannot have "
              + SizeText.of(sizeBytes)
              + ": it only grows, by whole sectors of "
              + VolumeState.SECTOR_BYTES
              + " bytes, and stays below "
              + SizeText.of((long) VolumeState.CHUNKS_MAX * service.core().state().chunkBytes()));
      return;
    }
    if (service.core().receiver().isConnected()) {
      outcome.accept("this side follows a source; resize that, and this side follows");
      return;
    }
    service.core().administration().resize(sizeBytes, outcome);
  }
}
