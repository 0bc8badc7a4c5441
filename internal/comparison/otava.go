package comparison

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// WriteOtava writes a history as the table that Apache Otava reads (its data source "csv"): a row for each revision and
// variant, the oldest first. Its columns are time, revision, branch, which is Otava's word for what is looked at by
// itself and here the variant, and one for each metric, named Metric.step.operation. Otava takes no empty cell of a
// metric that it looks at, so that the cells of a variant are either all filled or all empty: they are empty where one
// of its revisions has no such figure.
func WriteOtava(w io.Writer, history History) error {
	variants := history.variants()
	rows, all := make([]row, 0, len(history.Points)), make([]Key, 0, len(variants))
	for _, variant := range variants {
		found, keys := history.table(variant)
		rows = append(rows, found...)
		all = append(all, slices.DeleteFunc(keys, func(key Key) bool { return slices.Contains(all, key) })...)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return a.point.Time.Compare(b.point.Time) })
	table := csv.NewWriter(w)
	header := make([]string, 0, 3+len(all))
	header = append(header, "time", "revision", "branch")
	for _, key := range all {
		header = append(header, columnName(key))
	}
	_ = table.Write(header) // The writer keeps the first error, which is asked for at the end.
	for _, row := range rows {
		cells := make([]string, 0, 3+len(all))
		cells = append(cells, row.point.Time.UTC().Format(time.RFC3339), row.point.Revision, row.variant)
		for _, key := range all {
			cell := ""
			if value, ok := row.values[key]; ok {
				cell = strconv.FormatInt(value, 10)
			}
			cells = append(cells, cell)
		}
		_ = table.Write(cells)
	}
	table.Flush()
	if err := table.Error(); err != nil {
		return fmt.Errorf("writing history for Otava: %w", err)
	}
	return nil
}

// WriteOtavaConfig writes the configuration with which Otava reads such a table from a file: a test for each variant,
// named after it. The settings say which change is for the better. It is used as in
//
//	OTAVA_CONFIG=otava.yaml otava analyze VARIANT --branch VARIANT
func WriteOtavaConfig(w io.Writer, history History, settings Settings, file string) error {
	type metric struct {
		Column    string `json:"column"`
		Direction int    `json:"direction"`
	}
	type test struct {
		Type       string            `json:"type"`
		File       string            `json:"file"`
		TimeColumn string            `json:"time_column"`
		Attributes []string          `json:"attributes"`
		Metrics    map[string]metric `json:"metrics"`
	}
	tests := make(map[string]test)
	for _, variant := range history.variants() {
		_, keys := history.table(variant)
		metrics := make(map[string]metric, len(keys))
		for _, key := range keys {
			direction := -1
			if settings.limitsFor(key).higherIsBetter {
				direction = 1
			}
			metrics[columnName(key)] = metric{Column: columnName(key), Direction: direction}
		}
		tests[variant] = test{
			Type: "csv", File: file, TimeColumn: "time", Attributes: []string{"revision"}, Metrics: metrics,
		}
	}
	encoded, err := yaml.Marshal(map[string]map[string]test{"tests": tests})
	if err == nil {
		_, err = w.Write(encoded)
	}
	if err != nil {
		return fmt.Errorf("writing configuration for Otava: %w", err)
	}
	return nil
}

// row is one variant in one revision.
type row struct {
	variant string
	point   Point
	values  map[Key]int64
}

// table has the revisions that have a variant, with the keys that all of them have.
func (h History) table(variant string) ([]row, []Key) {
	var rows []row
	seen := make(map[Key]int)
	var keys []Key
	for _, point := range h.Points {
		values := make(map[Key]int64)
		for _, m := range point.Medians {
			if m.Variant != variant {
				continue
			}
			if seen[m.Key]++; seen[m.Key] == 1 {
				keys = append(keys, m.Key)
			}
			values[m.Key] = m.Value
		}
		if len(values) > 0 {
			rows = append(rows, row{variant: variant, point: point, values: values})
		}
	}
	isPartial := func(key Key) bool { return seen[key] < len(rows) }
	for _, row := range rows {
		maps.DeleteFunc(row.values, func(key Key, _ int64) bool { return isPartial(key) })
	}
	return rows, slices.DeleteFunc(keys, isPartial)
}

// variants of all revisions, in the order in which they are first seen.
func (h History) variants() []string {
	var variants []string
	for _, point := range h.Points {
		for _, m := range point.Medians {
			if !slices.Contains(variants, m.Variant) {
				variants = append(variants, m.Variant)
			}
		}
	}
	return variants
}

// columnName has no comma, by which Otava's command line separates metrics.
func columnName(key Key) string {
	parts := []string{string(key.Metric), key.Step, key.Operation}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ".")
}
