package io.mgtm.jni;

/**
 * Commits the fault that its argument names, in a JVM that is expected to notice; see planted.c.
 */
public final class PlantedFault {

  private PlantedFault() {}

  /** Loads the library of the second argument and commits the fault of the first. */
  public static void main(String[] arguments) {
    System.load(arguments[1]);
    switch (arguments[0]) {
      case "overflow" -> System.out.println(writeBehindMemory(64));
      case "use-after-free" -> System.out.println(useAfterFree(64));
      case "exception" -> {
        try {
          ignoreException(new int[1]);
        } catch (ArrayIndexOutOfBoundsException e) {
          System.out.println(e.getMessage());
        }
      }
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  private static native int writeBehindMemory(int size);

  private static native int useAfterFree(int size);

  private static native void ignoreException(int[] array);
}
