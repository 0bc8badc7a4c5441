package fleet

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// metrics are what a program says on /metrics, in Prometheus's text format.
type metrics []sample

type sample struct {
	name   string
	labels map[string]string
	value  float64
}

var (
	// A name, labels in braces or none, and a value; a time may follow, and is of no interest.
	sampleLine = regexp.MustCompile(`^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})? +(\S+)`)
	label      = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"`)
	unescape   = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")
)

func parseMetrics(text string) (metrics, error) {
	var found metrics
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := sampleLine.FindStringSubmatch(line)
		if parts == nil {
			return nil, fmt.Errorf("%q is no metric", line)
		}
		value, err := strconv.ParseFloat(parts[3], 64)
		if err != nil {
			return nil, fmt.Errorf("reading the value of %s: %w", parts[1], err)
		}
		s := sample{name: parts[1], labels: map[string]string{}, value: value}
		for _, pair := range label.FindAllStringSubmatch(parts[2], -1) {
			s.labels[pair[1]] = unescape.Replace(pair[2])
		}
		found = append(found, s)
	}
	return found, nil
}

// sum adds up what has a name, whatever its labels.
func (m metrics) sum(name string) float64 {
	var sum float64
	for _, s := range m {
		if s.name == name {
			sum += s.value
		}
	}
	return sum
}
