package io.mgtm.query.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Strongly connected components, by Tarjan's algorithm, without recursion, in linear time. */
final class Components {
  private final List<int[]> successors;
  private final int[] index;
  private final int[] low;
  private final int[] next;
  private final boolean[] waits;
  private final Deque<Integer> waiting = new ArrayDeque<>();
  private final List<List<Integer>> found = new ArrayList<>();
  private int count;

  private Components(List<int[]> successors) {
    this.successors = successors;
    index = new int[successors.size()];
    low = new int[successors.size()];
    next = new int[successors.size()];
    waits = new boolean[successors.size()];
  }

  /**
   * Those in which a cycle is.
   *
   * @param successors of each node, none of them itself
   */
  static List<List<Integer>> cyclic(List<int[]> successors) {
    Components components = new Components(successors);
    for (int node = 0; node < successors.size(); node++) {
      if (components.index[node] == 0) {
        components.from(node);
      }
    }
    return components.found;
  }

  private void from(int root) {
    Deque<Integer> path = new ArrayDeque<>();
    enter(root, path);
    while (!path.isEmpty()) {
      int node = path.peek();
      if (next[node] < successors.get(node).length) {
        int to = successors.get(node)[next[node]++];
        if (index[to] == 0) {
          enter(to, path);
        } else if (waits[to]) {
          low[node] = Math.min(low[node], index[to]);
        }
      } else {
        path.pop();
        if (!path.isEmpty()) {
          low[path.peek()] = Math.min(low[path.peek()], low[node]);
        }
        if (low[node] == index[node]) {
          leave(node);
        }
      }
    }
  }

  private void enter(int node, Deque<Integer> path) {
    index[node] = ++count;
    low[node] = count;
    waits[node] = true;
    waiting.push(node);
    path.push(node);
  }

  private void leave(int root) {
    List<Integer> component = new ArrayList<>();
    int node;
    do {
      node = waiting.pop();
      waits[node] = false;
      component.add(node);
    } while (node != root);
    if (component.size() > 1) {
      found.add(component);
    }
  }
}
