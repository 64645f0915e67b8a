// SPDX-License-Identifier: Apache-2.0
/** Spends 60, 30 and 10 ms in turn in three methods, for as many seconds as its argument says. */
public class Shares {
    static volatile long sink;

    static void spin(long milliseconds) {
        long end = System.nanoTime() + milliseconds * 1_000_000L;
        long number = sink;

        while (System.nanoTime() < end) {
            for (int i = 0; i < 10_000; i++)
                number = number * 6364136223846793005L + i;
        }
        sink = number;
    }

    static void heavy() {
        spin(60);
    }

    static void medium() {
        spin(30);
    }

    static void light() {
        spin(10);
    }

    public static void main(String[] arguments) {
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;

        while (System.nanoTime() < end) {
            heavy();
            medium();
            light();
        }
    }
}
