package comparison

import (
	"fmt"
	"slices"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

const (
	// ResultKey is the key of a revision's ConfigMap that holds the Result.
	ResultKey = "result.json.gz"
	// HistoryKey is the key of a suite's ConfigMap that holds the History.
	HistoryKey = "history.json.gz"

	// MaxBytes bounds what is kept of a suite in a ConfigMap, which holds 1 MiB with all that is around it.
	MaxBytes = 900_000
	// maxDecodedBytes bounds what that may decompress to.
	maxDecodedBytes = 100 * MaxBytes
)

// encodeResult writes a result as compressed JSON of at most limit bytes. A result that is too large loses figures,
// never samples or lines: first the figures that the settings do not compare, then all. It records how many it lost.
func encodeResult(result Result, settings Settings, limit int) ([]byte, error) {
	result.Version = ResultVersion
	encoded, err := strictjson.EncodeCompressed(result)
	for _, keep := range []func(Side) map[Key]bool{settings.compared, nothing} {
		if err == nil && len(encoded) > limit {
			result = withFigures(result, keep)
			encoded, err = strictjson.EncodeCompressed(result)
		}
	}
	if err == nil && len(encoded) > limit {
		err = fmt.Errorf("%d bytes without any figure, and %d are allowed: use fewer variants", len(encoded), limit)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding suite result: %w", err)
	}
	return encoded, nil
}

// compared are the keys of a side's figures that the settings ask for.
func (s Settings) compared(side Side) map[Key]bool {
	keys := make(map[Key]bool)
	for _, subject := range s.subjects(side.Samples) {
		keys[subject.key] = true
	}
	return keys
}

func nothing(Side) map[Key]bool { return nil }

// withFigures is the result with none but some figures. The one that was given stays as it was.
func withFigures(result Result, keep func(Side) map[Key]bool) Result {
	result.Sides = slices.Clone(result.Sides)
	for i, side := range result.Sides {
		kept := keep(side)
		side.Samples = slices.Clone(side.Samples)
		for j, sample := range side.Samples {
			left := slices.DeleteFunc(slices.Clone(sample.Figures), func(f Figure) bool { return !kept[f.Key] })
			result.OmittedFigures += len(sample.Figures) - len(left)
			side.Samples[j].Figures = left
		}
		result.Sides[i] = side
	}
	return result
}

// DecodeResult reads what encodeResult wrote, strictly.
func DecodeResult(encoded []byte) (Result, error) {
	var result Result
	if err := strictjson.DecodeCompressed(encoded, ResultVersion, maxDecodedBytes, &result); err != nil {
		return Result{}, fmt.Errorf("reading suite result: %w", err)
	}
	return result, nil
}
