package keydisttest

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// Counts reads the counts with this name and number of items from a file of which each line has a name, a number of
// items, and how often each of them came.
func Counts(tb testing.TB, path, name string, items int) []int {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) != items+2 || words[0] != name || words[1] != strconv.Itoa(items) {
			continue
		}
		counts := make([]int, items)
		for i, word := range words[2:] {
			if counts[i], err = strconv.Atoi(word); err != nil {
				tb.Fatal(err)
			}
		}
		return counts
	}
	tb.Fatalf("%s has no %s of %d items", path, name, items)
	return nil
}
