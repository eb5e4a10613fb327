package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;

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

/** The pages against a map of sequences, each of which goes through everything at once. */
class SequencePagesTest {
  private static final int STEPS = 4_000;
  private static final int CROWDED_PAGES = 3;

  private final Random random = new Random(0);
  private final SequencePages pages = new SequencePages();
  private final Map<String, Sequence> expected = new LinkedHashMap<>();
  private final List<String> keys = crowdedKeys();
  private long entry;

  /** Some keys of few pages, with equal hash codes, of every byte, and of no length. */
  private static List<String> crowdedKeys() {
    Stream<String> crowded =
        IntStream.range(0, 200_000)
            .mapToObj(i -> (i % 3 == 0 ? "a." : "ab.") + "s" + i + "\0")
            .filter(key -> SequencePages.pageOf(key) < CROWDED_PAGES);
    return Stream.concat(crowded, Stream.of("a.Aa", "a.BB", "", "\u00ff\u0080\0")).toList();
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
    int what = random.nextInt(200);
    if (what < 60) {
      Sequence s = sequence(key, random);
      pages.put(s);
      expected.put(key, s.copyAs(key));
    } else if (what < 150) {
      draw(key);
    } else if (what < 190) {
      assertThat(pages.remove(key)).isEqualTo(expected.remove(key) != null);
    } else if (what < 198) {
      pages.skipReserved();
      expected.values().forEach(Sequence::skipReserved);
    } else {
      String prefix = random.nextBoolean() ? "a." : "ab.";
      boolean removed = expected.keySet().removeIf(each -> each.startsWith(prefix));
      assertThat(pages.removeAll(prefix)).isEqualTo(removed);
    }
  }

  private void draw(String key) {
    Sequence read = pages.get(key);
    Sequence known = expected.get(key);
    assertThat(read == null).isEqualTo(known == null);
    entry++;
    for (int i = random.nextInt(200); known != null && i >= 0 && known.draw(); i--) {
      assertThat(read.draw()).isTrue();
      assertThat(read.settle(entry)).isEqualTo(known.settle(entry));
      pages.put(read);
      read = pages.get(key);
    }
  }

  private static Map<Integer, List<String>> byPage(Stream<Sequence> sequences) {
    Map<Integer, List<String>> byPage = new LinkedHashMap<>();
    sequences.forEach(
        s ->
            byPage
                .computeIfAbsent(SequencePages.pageOf(s.key), at -> new ArrayList<>())
                .add(all(s)));
    return byPage;
  }

  private static void compare(SequencePages found, Map<String, Sequence> with) {
    List<Sequence> shown = new ArrayList<>();
    found.forEach(shown::add);
    assertThat(byPage(shown.stream())).isEqualTo(byPage(with.values().stream()));
    assertThat(found.count()).isEqualTo(with.size());
    assertThat(found.keyBytes()).isEqualTo(with.keySet().stream().mapToLong(String::length).sum());
    assertThat(found.infos()).isEqualTo(shown.stream().map(Sequence::info).toList());
    with.forEach((key, s) -> assertThat(all(found.get(key))).isEqualTo(all(s)));
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
    SequencePages picture = pages.picture();
    Map<String, Sequence> pictured = copy();
    for (int step = 0; step < STEPS; step++) {
      step();
      if (random.nextInt(50) == 0) {
        compare(pages, expected);
        compare(picture, pictured);
        picture = pages.picture();
        pictured = copy();
      }
    }
    compare(pages, expected);
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
