package io.mgtm.group.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.DurabilityMode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Who belongs to the group: the voters, of which a majority decides, and the members that are
 * learners, which get everything and decide nothing. And what they have agreed to force.
 *
 * <pre>
 * | voters:u8 | learners:u8 | member… |    member: | folder (16) | bytes of name:u8 | name in UTF-8 |
 *
 * version 2, where a durability was said:
 * | 0x80 + 2:u8 | durability:u8 | voters:u8 | learners:u8 | member… |
 *
 * version 3, of a group with a witness:
 * | 0x80 + 3:u8 | durability:u8, 0xff for none | name of the witness | voters:u8 | learners:u8 | member… |
 * </pre>
 *
 * @param durability empty while nobody has said one, which means {@link DurabilityMode#CRITICAL}
 * @param witness the name of the member that votes and keeps no data; empty for none
 */
public record Membership(
    List<MemberId> voters,
    List<MemberId> learners,
    Optional<DurabilityMode> durability,
    String witness) {
  /** More members than anyone should run; it bounds what a message can make us allocate. */
  public static final int MEMBERS_MAX = 31;

  public static final int NAME_BYTES_MAX = 100;

  private static final byte VERSION_2 = (byte) 0x82;
  private static final byte VERSION_3 = (byte) 0x83;
  private static final byte NOTHING_SAID = (byte) 0xff;

  /** Nobody: the membership of a member that has not met the group. */
  public static final Membership NONE = ofVoters(List.of());

  /** Refuses null, a name that stands in it twice, and more members than allowed. */
  public Membership {
    Objects.requireNonNull(witness, "witness");
    voters = voters.stream().sorted().toList();
    learners = learners.stream().sorted().toList();
    List<String> names =
        Stream.concat(voters.stream(), learners.stream()).map(MemberId::name).toList();
    if (names.size() != names.stream().distinct().count() || names.size() > MEMBERS_MAX) {
      throw new IllegalArgumentException("a name stands twice, or too many members: " + names);
    }
  }

  public static Membership ofVoters(List<MemberId> voters) {
    return new Membership(voters, List.of(), Optional.empty(), "");
  }

  /** Who is in it, as a clause for the log. */
  public String inWords() {
    if (voters.isEmpty() && learners.isEmpty()) {
      return "no members known";
    }
    return "members "
        + names(voters)
        + (learners.isEmpty() ? "" : ", without a vote " + names(learners))
        + (witness.isEmpty() ? "" : ", witness " + witness);
  }

  private static String names(List<MemberId> members) {
    return members.stream().map(MemberId::name).collect(Collectors.joining(" "));
  }

  /**
   * The identity of a group that begins with this membership; null of {@link #NONE}. Folders' ids
   * are drawn at random, so no other group has it, and all who met have the same.
   */
  public UUID founding() {
    return equals(NONE) ? null : UUID.nameUUIDFromBytes(encoded());
  }

  /**
   * How many voters decide. Where a witness is named they are two, also while it does not vote: two
   * of the three that belong to the pair have one in common.
   */
  public int majority() {
    return Math.max(voters.size() / 2 + 1, witness.isEmpty() ? 1 : 2);
  }

  public boolean isVoter(MemberId member) {
    return voters.contains(member);
  }

  public boolean contains(MemberId member) {
    return voters.contains(member) || learners.contains(member);
  }

  /** Voters and learner. */
  public List<MemberId> all() {
    return Stream.concat(voters.stream(), learners.stream()).toList();
  }

  public Optional<MemberId> named(String name) {
    return all().stream().filter(member -> member.name().equals(name)).findFirst();
  }

  public Membership withLearner(MemberId member) {
    List<MemberId> more = new ArrayList<>(learners);
    more.add(member);
    return new Membership(voters, more, durability, witness);
  }

  /** The learner becomes a voter. */
  public Membership promoted(MemberId member) {
    Membership rest = without(member);
    List<MemberId> more = new ArrayList<>(rest.voters);
    more.add(member);
    return new Membership(more, rest.learners, durability, witness);
  }

  /** The voter is a learner again. */
  public Membership demoted(MemberId member) {
    return without(member).withLearner(member);
  }

  public Membership without(MemberId member) {
    return new Membership(
        voters.stream().filter(other -> !other.equals(member)).toList(),
        learners.stream().filter(other -> !other.equals(member)).toList(),
        durability,
        witness);
  }

  public Membership withDurability(DurabilityMode said) {
    return new Membership(voters, learners, Optional.of(said), witness);
  }

  /** The member of a name, empty for none, keeps no data from now on. */
  public Membership withWitness(String name) {
    return new Membership(voters, learners, durability, name);
  }

  /** These vote from now on, and all others learn. */
  public Membership withVoters(List<MemberId> voting) {
    List<MemberId> rest = all().stream().filter(member -> !voting.contains(member)).toList();
    return new Membership(voting, rest, durability, witness);
  }

  public boolean isWitness(MemberId member) {
    return member.name().equals(witness);
  }

  /** The voters that keep the log. */
  public List<MemberId> dataVoters() {
    return voters.stream().filter(voter -> !isWitness(voter)).toList();
  }

  /** Whether a witness votes. */
  public boolean hasWitness() {
    return voters.stream().anyMatch(this::isWitness);
  }

  /** What a leader appends is synced by this. */
  public DurabilityMode forces() {
    return durability.orElse(DurabilityMode.CRITICAL);
  }

  public byte[] encoded() {
    ByteBuffer buffer = ByteBuffer.allocate(5 + (1 + all().size()) * (17 + NAME_BYTES_MAX));
    if (!witness.isEmpty()) {
      buffer.put(VERSION_3).put(durability.map(DurabilityMode::code).orElse(NOTHING_SAID));
      encodeName(witness, buffer);
    } else {
      durability.ifPresent(said -> buffer.put(VERSION_2).put(said.code()));
    }
    buffer.put((byte) voters.size()).put((byte) learners.size());
    for (MemberId member : all()) {
      encode(member, buffer);
    }
    return Arrays.copyOf(buffer.array(), buffer.position());
  }

  /** Appends a member as it stands in a membership. */
  public static void encode(MemberId member, ByteBuffer to) {
    to.putLong(member.folder().getMostSignificantBits());
    to.putLong(member.folder().getLeastSignificantBits());
    encodeName(member.name(), to);
  }

  private static void encodeName(String name, ByteBuffer to) {
    byte[] bytes = name.getBytes(UTF_8);
    if (bytes.length > NAME_BYTES_MAX) {
      throw new IllegalArgumentException("the name \"%s\" is too long".formatted(name));
    }
    to.put((byte) bytes.length).put(bytes);
  }

  /**
   * Reads what {@link #encoded} wrote; the position moves behind it.
   *
   * @throws IllegalArgumentException or BufferUnderflowException when it is no membership
   */
  public static Membership decode(ByteBuffer from) {
    Optional<DurabilityMode> durability = Optional.empty();
    String witness = "";
    byte version = from.get(from.position());
    if (version == VERSION_2 || version == VERSION_3) {
      from.get();
      byte said = from.get();
      durability =
          version == VERSION_3 && said == NOTHING_SAID
              ? Optional.empty()
              : Optional.of(DurabilityMode.of(said));
      witness = version == VERSION_3 ? decodeName(from) : "";
    }
    int voters = Byte.toUnsignedInt(from.get());
    int learners = Byte.toUnsignedInt(from.get());
    if (voters + learners > MEMBERS_MAX) {
      throw new IllegalArgumentException("a membership of " + (voters + learners));
    }
    List<MemberId> members = new ArrayList<>();
    for (int i = 0; i < voters + learners; i++) {
      members.add(decodeMember(from));
    }
    return new Membership(
        members.subList(0, voters), members.subList(voters, members.size()), durability, witness);
  }

  /** Reads what {@link #encode} wrote. */
  public static MemberId decodeMember(ByteBuffer from) {
    UUID folder = new UUID(from.getLong(), from.getLong());
    return new MemberId(decodeName(from), folder);
  }

  private static String decodeName(ByteBuffer from) {
    int bytes = Byte.toUnsignedInt(from.get());
    if (bytes > NAME_BYTES_MAX) {
      throw new IllegalArgumentException("a member's name of " + bytes + " bytes");
    }
    byte[] name = new byte[bytes];
    from.get(name);
    return new String(name, UTF_8);
  }
}
