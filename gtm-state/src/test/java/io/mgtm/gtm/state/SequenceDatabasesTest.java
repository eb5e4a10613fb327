package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.SequenceReply.SequenceInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Databases and pages against a map of sequences, each of which goes through all at once. */
class SequenceDatabasesTest {
  private static final int STEPS = 4_000;
  private static final int KEYS = 400;

  private final Random random = new Random(0);
  private final SequenceDatabases pages = new SequenceDatabases();

  /** Goes through the same, and is put again now and then, as by a checkpoint that is decoded. */
  private SequenceDatabases twin = new SequenceDatabases();

  private final Map<String, Sequence> expected = new LinkedHashMap<>();
  private final List<String> keys = someKeys();
  private long entry;
  private boolean filling;
  private int steps;

  /** Some of several databases, with equal hash codes, of every byte, and of no length. */
  private static List<String> someKeys() {
    String[] databases = {"a.", "a.", "ab.", "a.b.", ""};
    Stream<String> many =
        IntStream.range(0, KEYS).mapToObj(i -> databases[i % databases.length] + "s" + i + "\0");
    return Stream.concat(many, Stream.of("a.Aa", "a.BB", ".", "", "\u00ff\u0080\0")).toList();
  }

  private static String all(Sequence s) {
    Reservation r = s.reservation();
    return s.info()
        + " "
        + List.of(s.step(), r.used(), r.covered(), r.reserved(), r.raisedInEntry());
  }

  private static Sequence sequence(String key, Random random) {
    Sequence s = new Sequence(key);
    s.increment = random.nextBoolean() ? 1 + random.nextInt(3) : -1 - random.nextInt(3);
    s.min = -random.nextInt(1_000);
    s.max = random.nextInt(100_000);
    s.init = s.min + random.nextInt(1_000);
    s.value = s.init;
    s.last = s.init;
    s.cycle = random.nextBoolean();
    s.restartReservation();
    return s;
  }

  private void step() {
    String key = keys.get(random.nextInt(keys.size()));
    int what = random.nextInt(1_000) + (filling ? 0 : 300);
    if (what < 300) {
      Sequence s = sequence(key, random);
      pages.put(s);
      twin.put(s.copyAs(key));
      expected.put(key, s.copyAs(key));
    } else if (what < 750) {
      draw(key);
    } else if (what < (filling ? 850 : 1_280)) {
      twin.remove(key);
      assertThat(pages.remove(key)).isEqualTo(expected.remove(key) != null);
    } else if (what < (filling ? 990 : 1_290)) {
      pages.skipReserved();
      twin.skipReserved();
      expected.values().forEach(Sequence::skipReserved);
    } else {
      String database = List.of("a", "ab", "a.b", "c", "").get(random.nextInt(5));
      boolean removed = expected.keySet().removeIf(each -> each.startsWith(database + "."));
      twin.removeDatabase(database);
      assertThat(pages.removeDatabase(database)).isEqualTo(removed);
    }
  }

  private void draw(String key) {
    Sequence read = pages.get(key);
    Sequence known = expected.get(key);
    assertThat(read == null).isEqualTo(known == null);
    entry++;
    for (int i = random.nextInt(200); known != null && i >= 0; i--) {
      long[] stepped = new long[1];
      if (random.nextBoolean() && pages.step(key, stepped)) {
        twin.step(key, new long[1]);
        assertThat(known.draw()).isTrue();
        assertThat(known.settle(entry)).isEqualTo(Effect.LOGGED);
        assertThat(stepped[0]).isEqualTo(known.value);
        steps++;
        read = pages.get(key);
        continue;
      }
      if (!known.draw()) {
        assertThat(read.draw()).isFalse();
        break;
      }
      assertThat(read.draw()).isTrue();
      assertThat(read.settle(entry)).isEqualTo(known.settle(entry));
      pages.put(read);
      twin.put(read.copyAs(key));
      read = pages.get(key);
    }
  }

  private static List<Sequence> shown(SequenceDatabases of) {
    List<Sequence> shown = new ArrayList<>();
    of.forEach(shown::add);
    return shown;
  }

  private static void compare(SequenceDatabases found, Map<String, Sequence> with) {
    List<Sequence> shown = shown(found);
    assertThat(shown.stream().map(SequenceDatabasesTest::all))
        .containsExactlyInAnyOrderElementsOf(
            with.values().stream().map(SequenceDatabasesTest::all).toList());
    assertThat(found.count()).isEqualTo(with.size());
    assertThat(found.keyBytes()).isEqualTo(with.keySet().stream().mapToLong(String::length).sum());
    assertThat(found.infos()).isEqualTo(shown.stream().map(Sequence::info).toList());
    with.forEach((key, s) -> assertThat(all(found.get(key))).isEqualTo(all(s)));
  }

  private void putTwinAgain() {
    SequenceDatabases again = new SequenceDatabases();
    twin.forEach(again::put);
    twin = again;
    assertThat(twin.infos()).isEqualTo(pages.infos());
  }

  private Map<String, Sequence> copy() {
    Map<String, Sequence> copy = new LinkedHashMap<>();
    expected.forEach((key, s) -> copy.put(key, s.copyAs(key)));
    return copy;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void pagesHoldWhatAMapWould(long seed) {
    random.setSeed(seed);
    SequenceDatabases picture = pages.picture();
    Map<String, Sequence> pictured = copy();
    int most = 0;
    for (int step = 0; step < STEPS; step++) {
      filling = step % 1_000 < 600;
      step();
      most = Math.max(most, pages.count());
      if (random.nextInt(50) == 0) {
        compare(pages, expected);
        compare(picture, pictured);
        putTwinAgain();
        picture = pages.picture();
        pictured = copy();
      }
    }
    compare(pages, expected);
    assertThat(steps).as("plain steps").isGreaterThan(1_000);
    assertThat(most).as("enough for pages to be split").isGreaterThan(KEYS / 4);
  }

  /** No page becomes long, however many there are, and none is left when all have gone. */
  @Test
  void thereIsAPageForSome() {
    SequencePages many = new SequencePages();
    for (int i = 0; i < 20_000; i++) {
      many.put(sequence("d.s" + i, random));
    }
    assertThat(many.pages()).isEqualTo(20_000 / SequencePages.PAGE_SEQUENCES);
    assertThat(IntStream.range(0, many.pages()).map(many::size).max().orElseThrow())
        .isLessThan(5 * SequencePages.PAGE_SEQUENCES);
    for (int i = 0; i < 20_000; i++) {
      assertThat(many.remove("d.s" + i)).isTrue();
    }
    assertThat(many.pages()).isEqualTo(1);
    assertThat(many.count()).isZero();
  }

  /** As after a checkpoint in between, which knows nothing of a database without sequences. */
  @Test
  void aDatabaseThatWasEmptyStandsLast() {
    List.of("x.a", "y.a").forEach(key -> pages.put(sequence(key, random)));
    pages.remove("x.a");
    pages.put(sequence("x.b", random));
    assertThat(shown(pages)).extracting(s -> s.key).containsExactly("y.a", "x.b");
  }

  @Test
  void whatMovedSinceItWasReadIsFound() {
    List.of("d.a", "d.b", "d.c").forEach(key -> pages.put(sequence(key, random)));
    Sequence read = pages.get("d.b");
    read.value = 7_777;
    pages.remove("d.a");
    pages.put(read);
    assertThat(pages.get("d.b").value).isEqualTo(7_777);
    assertThat(pages.get("d.c").value).isNotEqualTo(7_777);
    assertThat(pages.count()).isEqualTo(2);
  }

  @Test
  void aListIsReadInAnyOrder() {
    for (int i = 0; i < 100; i++) {
      pages.put(sequence("s" + i, random));
    }
    List<SequenceInfo> infos = pages.picture().infos();
    List<SequenceInfo> all = List.copyOf(infos);
    for (int i : new int[] {99, 0, 50, 49, 98, 1}) {
      assertThat(infos.get(i)).isEqualTo(all.get(i));
    }
    assertThat(infos).extracting(SequenceInfo::key).doesNotHaveDuplicates().hasSize(100);
  }
}
