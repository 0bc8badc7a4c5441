package keydisttest

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// leastExpected is the number of draws that a cell must expect, or the statistic does not follow chi-square.
const leastExpected = 5

// deviations is how far from its mean the statistic may lie, in standard deviations. By chance it is further off about
// once in ten thousand tests; the seeds are fixed, so a test that passes keeps passing.
const deviations = 5

// RequireFit fails the test when the counts of draws are not what the probabilities make likely. Neighbouring items
// are taken together until each cell expects enough draws.
func RequireFit(tb testing.TB, counts []int, probabilities []float64) {
	tb.Helper()
	if len(counts) != len(probabilities) {
		tb.Fatalf("%d counts for %d probabilities", len(counts), len(probabilities))
	}
	draws := sum(counts)
	statistic, cells := 0.0, 0
	expected, seen := 0.0, 0.0
	for i, probability := range probabilities {
		expected += probability * float64(draws)
		seen += float64(counts[i])
		// The last cell takes what is left, however little.
		if expected < leastExpected && i < len(probabilities)-1 {
			continue
		}
		if expected == 0 && seen == 0 {
			continue
		}
		statistic += (seen - expected) * (seen - expected) / expected
		cells++
		expected, seen = 0, 0
	}
	requireLikely(tb, statistic, cells)
}

// requireLikely judges a statistic of chi-square over a number of cells.
func requireLikely(tb testing.TB, statistic float64, cells int) {
	tb.Helper()
	if cells < 2 {
		tb.Fatalf("%d cells say nothing about a distribution", cells)
	}
	freedom := float64(cells - 1)
	if limit := freedom + deviations*math.Sqrt(2*freedom); !(statistic <= limit) {
		tb.Errorf("chi-square is %.1f with %.0f degrees of freedom, more than %.1f: the draws do not fit",
			statistic, freedom, limit)
	}
}

// RequireUniform is RequireFit with equal probabilities.
func RequireUniform(tb testing.TB, counts []int) {
	tb.Helper()
	probabilities := make([]float64, len(counts))
	for i := range probabilities {
		probabilities[i] = 1 / float64(len(counts))
	}
	RequireFit(tb, counts, probabilities)
}

// RequireSame fails the test when two rows of counts, of whatever numbers of draws, are not likely to come of the same
// distribution. Neighbouring items are taken together until each cell has enough draws.
func RequireSame(tb testing.TB, one, two []int) {
	tb.Helper()
	statistic, cells := compare(tb, one, two)
	requireLikely(tb, statistic, cells)
}

// unlikely is how many standard deviations of a normal distribution are exceeded once in a thousand million draws.
const unlikely = 6

// RequireSameUnseeded is RequireSame where one row comes of draws without a seed, so that a test that passes may fail
// the next time: by chance it does so less than once in a thousand million times, whatever the number of cells.
func RequireSameUnseeded(tb testing.TB, one, two []int) {
	tb.Helper()
	statistic, cells := compare(tb, one, two)
	if cells < 2 {
		tb.Fatalf("%d cells say nothing about a distribution", cells)
	}
	// The cube root of chi-square over its degrees of freedom is nearly normal (Wilson and Hilferty, "The
	// Distribution of Chi-Square", 1931); the fewer degrees, the more this lets pass.
	freedom := float64(cells - 1)
	variance := 2 / (9 * freedom)
	limit := freedom * math.Pow(1-variance+unlikely*math.Sqrt(variance), 3)
	if !(statistic <= limit) {
		tb.Errorf("chi-square is %.1f with %.0f degrees of freedom, more than %.1f: not the same distribution",
			statistic, freedom, limit)
	}
}

// compare is chi-square of two rows of counts, and over how many cells.
func compare(tb testing.TB, one, two []int) (statistic float64, cells int) {
	tb.Helper()
	if len(one) != len(two) {
		tb.Fatalf("%d counts against %d", len(one), len(two))
	}
	ratio := math.Sqrt(float64(sum(one)) / float64(sum(two)))
	a, b := 0, 0
	for i := range one {
		a, b = a+one[i], b+two[i]
		if a+b < 2*leastExpected && (i < len(one)-1 || a+b == 0) {
			continue
		}
		difference := float64(a)/ratio - float64(b)*ratio
		statistic += difference * difference / float64(a+b)
		cells++
		a, b = 0, 0
	}
	return statistic, cells
}

func sum(counts []int) int {
	draws := 0
	for _, count := range counts {
		draws += count
	}
	return draws
}

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
