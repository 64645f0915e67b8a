// SPDX-License-Identifier: Apache-2.0

// Closures, interfaces, generics and goroutines: what Go's compiler inlines into one another.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
)

type counter interface{ add(word string) }

type table struct {
	lock   sync.Mutex
	counts map[string]int
}

func (t *table) add(word string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.counts[word]++
}

func longest[T any](items []T, length func(T) int) (found T) {
	best := -1
	for _, item := range items {
		if l := length(item); l > best {
			best, found = l, item
		}
	}
	return found
}

func count(text string, into counter) {
	var wait sync.WaitGroup
	for _, line := range strings.Split(text, "\n") {
		wait.Add(1)
		go func(line string) {
			defer wait.Done()
			for _, word := range strings.Fields(line) {
				into.add(strings.ToLower(word))
			}
		}(line)
	}
	wait.Wait()
}

func main() {
	words := &table{counts: map[string]int{}}
	count(strings.Repeat(strings.Join(os.Args, " and\n"), 20), words)
	var names []string
	for word := range words.counts {
		names = append(names, word)
	}
	sort.Slice(names, func(i, j int) bool { return words.counts[names[i]] > words.counts[names[j]] })
	for _, name := range names {
		fmt.Println(words.counts[name], name)
	}
	fmt.Println(longest(names, func(s string) int { return len(s) }))
}
