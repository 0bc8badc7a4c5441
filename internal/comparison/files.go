package comparison

import (
	"io"
	"strings"
)

// Keys of a revision's ConfigMap besides ResultKey: tables for people and for other tools.
const (
	// ComparisonKey is the key of WriteComparison's table.
	ComparisonKey = "comparison.csv"
	// SamplesKey is the key of WriteCSV's table.
	SamplesKey = "samples.csv"
	// BenchstatKey is the key of what WriteBenchstat writes.
	BenchstatKey = "benchstat.txt"
	// OtavaKey is the key of WriteOtava's table.
	OtavaKey = "otava.csv"
	// OtavaConfigKey is the key of what WriteOtavaConfig writes.
	OtavaConfigKey = "otava.yaml"
)

// Contents are what a ConfigMap holds.
type Contents struct {
	Text   map[string]string
	Binary map[string][]byte
}

// Files are the contents of a revision's ConfigMap, together at most MaxBytes: the result, and the tables for which
// there is room. One that is left out can be made from the result, or from the history, which has this revision
// already.
func Files(result Result, history History, settings Settings) (Contents, error) {
	return filesWithin(result, history, settings, MaxBytes)
}

func filesWithin(result Result, history History, settings Settings, limit int) (Contents, error) {
	encoded, err := encodeResult(result, settings, limit)
	if err != nil {
		return Contents{}, err
	}
	files := Contents{Text: make(map[string]string), Binary: map[string][]byte{ResultKey: encoded}}
	left := limit - len(encoded)
	for _, table := range []struct {
		key   string
		write func(io.Writer) error
	}{
		{ComparisonKey, func(w io.Writer) error { return WriteComparison(w, result) }},
		{SamplesKey, func(w io.Writer) error { return WriteCSV(w, result) }},
		{BenchstatKey, func(w io.Writer) error { return WriteBenchstat(w, result) }},
		{OtavaKey, func(w io.Writer) error { return WriteOtava(w, history) }},
		{OtavaConfigKey, func(w io.Writer) error { return WriteOtavaConfig(w, history, settings, OtavaKey) }},
	} {
		var text strings.Builder
		if err := table.write(&text); err != nil {
			return Contents{}, err
		}
		if text.Len() <= left {
			files.Text[table.key] = text.String()
			left -= text.Len()
		}
	}
	return files, nil
}
