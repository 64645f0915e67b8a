// SPDX-License-Identifier: Apache-2.0

// Runs for ever, twenty calls deep, each level a function of its own.
package main

//go:noinline
func leaf(count uint32) uint32 {
	sum := count
	for i := uint32(0); i < 2000; i++ {
		sum = sum*31 + (i ^ (sum >> 7))
	}
	return sum
}

//go:noinline
func level_0(count uint32) uint32 { return leaf(count) + 1 }

//go:noinline
func level_1(count uint32) uint32 { return level_0(count) + 1 }

//go:noinline
func level_2(count uint32) uint32 { return level_1(count) + 2 }

//go:noinline
func level_3(count uint32) uint32 { return level_2(count) + 3 }

//go:noinline
func level_4(count uint32) uint32 { return level_3(count) + 4 }

//go:noinline
func level_5(count uint32) uint32 { return level_4(count) + 5 }

var kept []byte

func main() {
	for count := uint32(0); ; count++ {
		kept = make([]byte, level_5(count)&4095)
	}
}
