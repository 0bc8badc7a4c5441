package comparison

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/statistics"
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

// UnknownResult are the fields of an encoded result that only a later release knows.
func UnknownResult(encoded []byte) []string {
	return strictjson.UnknownCompressed(encoded, maxDecodedBytes, Result{})
}

// DecodeResult reads what encodeResult wrote. Fields that only a later release knows are passed over.
func DecodeResult(encoded []byte) (Result, error) {
	var result Result
	if err := strictjson.DecodeCompressed(encoded, ResultVersion, maxDecodedBytes, &result); err != nil {
		return Result{}, fmt.Errorf("reading suite result: %w", err)
	}
	return result, nil
}

const (
	// HistoryVersion is the version of a History's format.
	HistoryVersion = "suite-history.mongobench.dev/v1alpha1"
	// MostPoints is how many revisions a history has at most.
	MostPoints = statistics.MostLooked
	// MostChangePoints is how many change points a suite's status takes.
	MostChangePoints = 16
)

// History is what became of a suite over its revisions.
type History struct {
	// Version is HistoryVersion; EncodeHistory sets it.
	Version string `json:"version"`
	// Points from the oldest revision to the latest.
	Points []Point `json:"points"`
}

// Point is one revision that was complete.
type Point struct {
	Revision string `json:"revision"`
	// Time is when the revision was complete.
	Time time.Time `json:"time"`
	// Medians over the runs of each variant, of what was compared.
	Medians []Median `json:"medians"`
}

// Median is one figure of one variant.
type Median struct {
	Variant string `json:"variant"`
	Figure
}

// PointOf is what a history keeps of a result: the medians of what the settings compare, and no other, so that many
// revisions fit.
func PointOf(result Result, settings Settings, completed time.Time) Point {
	point := Point{Revision: result.Revision, Time: completed.UTC()}
	for _, side := range result.Sides {
		for _, subject := range settings.subjects(side.Samples) {
			if values := values(side.Samples, subject.key); len(values) > 0 {
				figure := Figure{Key: subject.key, Value: statistics.Median(values)}
				point.Medians = append(point.Medians, Median{Variant: side.Name, Figure: figure})
			}
		}
	}
	return point
}

// With is the history with one more point. A revision that it has already is replaced, as when further repetitions were
// made of it. The oldest points are left out beyond MostPoints.
func (h History) With(point Point) History {
	others := func(other Point) bool { return other.Revision == point.Revision }
	points := append(slices.DeleteFunc(slices.Clone(h.Points), others), point)
	slices.SortStableFunc(points, func(a, b Point) int { return a.Time.Compare(b.Time) })
	h.Points = points[max(0, len(points)-MostPoints):]
	return h
}

// EncodeHistory writes a history as compressed JSON of at most MaxBytes; of one that is too large the oldest points are
// left out.
func EncodeHistory(history History) ([]byte, error) {
	return encodeHistoryWithin(history, MaxBytes)
}

func encodeHistoryWithin(history History, limit int) ([]byte, error) {
	history.Version = HistoryVersion
	history.Points = history.Points[max(0, len(history.Points)-MostPoints):]
	encoded, err := strictjson.EncodeCompressed(history)
	for err == nil && len(encoded) > limit && len(history.Points) > 1 {
		// A tenth at a time, so that this ends after few rounds.
		history.Points = history.Points[1+len(history.Points)/10:]
		encoded, err = strictjson.EncodeCompressed(history)
	}
	if err == nil && len(encoded) > limit {
		err = fmt.Errorf("one revision takes %d bytes, and %d are allowed: use fewer thresholds", len(encoded), limit)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding suite history: %w", err)
	}
	return encoded, nil
}

// DecodeHistory reads what EncodeHistory wrote. Fields that only a later release knows are passed over.
func DecodeHistory(encoded []byte) (History, error) {
	var history History
	if err := strictjson.DecodeCompressed(encoded, HistoryVersion, maxDecodedBytes, &history); err != nil {
		return History{}, fmt.Errorf("reading suite history: %w", err)
	}
	return history, nil
}

// Series is one figure of one variant over the revisions that have it.
type Series struct {
	Key

	Variant string
	// Revisions are the indexes of the points, and Values the medians there.
	Revisions []int
	Values    []float64
}

// Series are those of all figures, in the order in which they are first seen.
func (h History) Series() []Series {
	type name struct {
		variant string
		key     Key
	}
	var all []Series
	places := make(map[name]int)
	for revision, point := range h.Points {
		for _, m := range point.Medians {
			place, ok := places[name{m.Variant, m.Key}]
			if !ok {
				place = len(all)
				places[name{m.Variant, m.Key}] = place
				all = append(all, Series{Variant: m.Variant, Key: m.Key})
			}
			all[place].Revisions = append(all[place].Revisions, revision)
			all[place].Values = append(all[place].Values, m.Value)
		}
	}
	return all
}

// ChangePoints are the revisions from which on a figure has been another one, of each figure that a threshold is about.
// As long as nothing changes, the probability of any point, in any series and at any revision up to the two hundredth,
// is one less the confidence of the threshold: it is divided among the series, and a series is looked at as it was
// after each revision, so that a point that was found stays. A change smaller than the threshold's smallest effect,
// which is between the means of the parts that points divide a series into, is none. The latest come first, of one
// revision the largest.
func ChangePoints(history History, settings Settings) []benchv1alpha1.ChangePoint {
	byRevision := make([][]benchv1alpha1.ChangePoint, len(history.Points))
	for _, of := range history.Changed(settings) {
		for _, change := range of.Changes {
			byRevision[change.Revision] = append(byRevision[change.Revision], benchv1alpha1.ChangePoint{
				Revision: history.Points[change.Revision].Revision, Variant: of.Variant,
				Metric: of.Metric, Step: of.Step, Operation: of.Operation, EffectBasisPoints: new(change.BasisPoints),
			})
		}
	}
	points := []benchv1alpha1.ChangePoint{}
	for _, of := range slices.Backward(byRevision) {
		slices.SortStableFunc(of, func(a, b benchv1alpha1.ChangePoint) int {
			return cmp.Compare(absolute(*b.EffectBasisPoints), absolute(*a.EffectBasisPoints))
		})
		points = append(points, of...)
	}
	return points
}

// Change is a revision, by its index, from which on a figure has been another one.
type Change struct {
	Revision    int
	BasisPoints int64
}

// ChangedSeries is a series with its changes that are as large as matters, in its order.
type ChangedSeries struct {
	Series

	Changes []Change
}

// Changed are all series with their changes. One that no threshold is about has none.
func (h History) Changed(by Settings) []ChangedSeries {
	thresholds := spec.Thresholds(by.Thresholds)
	all := h.Series()
	watched, longest := 0, 0
	for _, of := range all {
		longest = max(longest, len(of.Values))
		if closest(thresholds, of.Key) >= 0 {
			watched++
		}
	}
	changed := make([]ChangedSeries, 0, len(all))
	// One for each alpha, which the API bounds. A history that repeats a figure within a revision has longer series: these
	// have no changes.
	longest = min(longest, MostPoints)
	sequences := map[float64]*statistics.Sequence{}
	sequenceOf := func(alpha float64) *statistics.Sequence {
		if sequences[alpha] == nil {
			sequences[alpha], _ = statistics.NewSequence(alpha, longest)
		}
		return sequences[alpha]
	}
	for _, of := range all {
		one := ChangedSeries{Series: of}
		if closest(thresholds, of.Key) >= 0 {
			one.Changes = of.changes(by.limitsFor(of.Key), watched, sequenceOf)
		}
		changed = append(changed, one)
	}
	return changed
}

// changes of one of several series.
func (s Series) changes(limits limits, watched int, sequenceOf func(alpha float64) *statistics.Sequence) []Change {
	// The change is that of the mean, infinite for one from 0.
	percent := func(before, after float64) float64 { return 100 * (after - before) / before }
	found, _ := sequenceOf(limits.alpha()/float64(watched)).Points(s.Values, func(before, after float64) bool {
		return math.Abs(percent(before, after)) >= limits.minEffect
	})
	changes := make([]Change, 0, len(found))
	for _, one := range found {
		changes = append(changes, Change{
			Revision: s.Revisions[one.Index], BasisPoints: statistics.BasisPoints(percent(one.Before, one.After)),
		})
	}
	return changes
}

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
	// Omitted are the keys of the tables for which there was no room.
	Omitted []string
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
		if text.Len() > left {
			files.Omitted = append(files.Omitted, table.key)
			continue
		}
		files.Text[table.key] = text.String()
		left -= text.Len()
	}
	return files, nil
}
