import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.HdrHistogram.Histogram;

/**
 * Makes the golden files of this folder with the Java library, HdrHistogram 2.2.2 of Maven Central:
 *
 *   java -cp HdrHistogram-2.2.2.jar Golden.java .
 *
 * With a second folder it compares the histograms that Go wrote there with its own instead.
 */
class Golden {
  public static void main(String[] folders) throws Exception {
    for (String name : new String[] {"empty", "one", "edges", "spread", "large"}) {
      Histogram histogram = make(name);
      if (folders.length > 1) {
        compare(name, histogram, Path.of(folders[1], name + ".v2"));
        continue;
      }
      ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
      int length = histogram.encodeIntoCompressedByteBuffer(buffer);
      byte[] encoded = new byte[length];
      buffer.rewind();
      buffer.get(encoded);
      Files.writeString(Path.of(folders[0], name + ".v2"), Base64.getEncoder().encodeToString(encoded) + "\n");
      try (PrintStream out = new PrintStream(Path.of(folders[0], name + ".hgrm").toFile())) {
        histogram.outputPercentileDistribution(out, 5, 1000.0);
      }
    }
  }

  /** The values are those that histogram_java_test.go records too. */
  static Histogram make(String name) {
    Histogram histogram = new Histogram(1, 3_600_000_000L, 3);
    switch (name) {
      case "one" -> histogram.recordValue(1234);
      case "edges" -> {
        histogram.recordValue(0);
        for (int bit = 0; bit < 32; bit++) {
          for (long value = (1L << bit) - 1; value <= (1L << bit) + 1; value++) {
            histogram.recordValue(Math.min(value, 3_600_000_000L));
          }
        }
        histogram.recordValue(3_600_000_000L);
      }
      case "spread" -> {
        long state = 1;
        for (int i = 0; i < 20_000; i++) {
          state = state * 6364136223846793005L + 1442695040888963407L;
          int octave = (int) (state >>> 59) % 24;
          histogram.recordValue((1L << octave) + (state >>> 33) % (1L << octave));
        }
      }
      case "large" -> {
        histogram.recordValueWithCount(150, 5_000_000_000L);
        histogram.recordValueWithCount(90_000, 7);
      }
      default -> { }
    }
    return histogram;
  }

  static void compare(String name, Histogram want, Path file) throws Exception {
    byte[] encoded = Base64.getDecoder().decode(Files.readString(file).trim());
    Histogram got = Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(encoded), 3_600_000_000L);
    System.out.println(name + ": " + (want.equals(got) ? "equal" : "DIFFERENT"));
  }
}
