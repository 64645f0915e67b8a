// SPDX-License-Identifier: Apache-2.0
// Runs for ever: native code below Java (compression), collection of garbage, and compiled calls.

import java.util.Arrays;
import java.util.zip.Deflater;

public class Levels {
	static byte[] input = new byte[1 << 16];
	static Object kept;

	static int leaf(int seed) {
		Deflater deflater = new Deflater();
		byte[] output = new byte[1 << 16];
		for (int i = 0; i < input.length; i++)
			input[i] = (byte) ((i * seed) >> 5);
		deflater.setInput(input);
		deflater.finish();
		int length = deflater.deflate(output);
		deflater.end();
		kept = Arrays.copyOf(output, length + (seed & 1023));
		return length;
	}

	static int level(int depth, int seed) {
		return depth == 0 ? leaf(seed) : level(depth - 1, seed + 1) + depth;
	}

	public static void main(String[] arguments) {
		int sum = 0;
		for (int i = 0;; i++)
			sum += level(20, i + sum);
	}
}
