package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// honestyBounds are how large the figures of the suite of lies may be. One that is not here has no bound.
var honestyBounds = map[string]float64{
	"honesty_missed_percent": 2, "honesty_false_percent": 2, "search_spread_percent": 10,
	"unchanged_false_percent": 5, "changepoint_false_percent": 5,
}

// measureHonesty runs the long form of the suite of lies, and prints its table and its figures. What fails in it fails
// here, after the table.
func measureHonesty(ctx context.Context, _ options, install installer, out io.Writer) error {
	file := filepath.Join(install.scratch, "honesty.txt")
	_, failed := install.do(ctx, ".", "go", "test", "-count=1", "-timeout=0", "./loadgen/honesty", "-long", "-table="+file)
	written, err := os.ReadFile(file)
	if err != nil {
		return errors.Join(failed, fmt.Errorf("reading the table of the suite of lies: %w", err))
	}
	table, figures := parseHonesty(string(written))
	_, _ = fmt.Fprintf(out, "\nThe suite of lies\n%s", table)
	writeFigures(out, "What passes untold, and what is doubted without cause", figures)
	return failed
}

// parseHonesty takes the figures out of what the suite wrote; the rest is its table.
func parseHonesty(written string) (table string, figures []figure) {
	var rest strings.Builder
	for line := range strings.Lines(written) {
		words := strings.Fields(line)
		if len(words) != 4 || words[0] != "FIGURE" {
			rest.WriteString(line)
			continue
		}
		if value, err := strconv.ParseFloat(words[2], 64); err == nil {
			figures = append(figures, figure{name: words[1], value: value, unit: words[3], atMost: honestyBounds[words[1]]})
		}
	}
	return rest.String(), figures
}
