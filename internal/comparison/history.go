package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/statistics"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

const (
	// HistoryVersion is the version of a History's format.
	HistoryVersion = "suite-history.mongobench.dev/v1alpha1"
	// MostPoints is how many revisions a history has at most.
	MostPoints = 200
	// MostChangePoints is how many change points a suite's status takes.
	MostChangePoints = 16
	// fewestPoints are those below which a change of the series cannot be told from its noise.
	fewestPoints = 8
	// permutations of the test of a change point, which bound its significance by one in five hundred.
	permutations = 499
	// changeSeed makes the same history have the same change points.
	changeSeed = 1
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
			if found := values(side.Samples, subject.key); len(found) > 0 {
				figure := Figure{Key: subject.key, Value: *median(found)}
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

// DecodeHistory reads what EncodeHistory wrote, strictly.
func DecodeHistory(encoded []byte) (History, error) {
	var history History
	if err := strictjson.DecodeCompressed(encoded, HistoryVersion, maxDecodedBytes, &history); err != nil {
		return History{}, fmt.Errorf("reading suite history: %w", err)
	}
	return history, nil
}

// series is one figure of one variant over the revisions that have it.
type series struct {
	variant   string
	key       Key
	revisions []int
	values    []float64
}

// series of all figures, in the order in which they are first seen.
func (h History) series() []series {
	type name struct {
		variant string
		key     Key
	}
	var all []series
	places := make(map[name]int)
	for revision, point := range h.Points {
		for _, m := range point.Medians {
			place, ok := places[name{m.Variant, m.Key}]
			if !ok {
				place = len(all)
				places[name{m.Variant, m.Key}] = place
				all = append(all, series{variant: m.Variant, key: m.Key})
			}
			all[place].revisions = append(all[place].revisions, revision)
			all[place].values = append(all[place].values, float64(m.Value))
		}
	}
	return all
}

// ChangePoints are the revisions from which on a figure has been another one: E-divisive over the medians of each
// figure that a threshold is about, at the threshold's confidence for each series by itself. A series of fewer than
// eight revisions has none, and neither has a change smaller than the threshold's smallest effect, which is between
// the means of the parts that the points divide the series into. The latest come first, of one revision the largest.
func ChangePoints(history History, settings Settings) []benchv1alpha1.ChangePoint {
	type found struct {
		revision int
		point    benchv1alpha1.ChangePoint
	}
	var all []found
	about, thresholds := settings.selectors(), settings.thresholds()
	for _, s := range history.series() {
		threshold := closest(about, s.key)
		if threshold < 0 || len(s.values) < fewestPoints {
			continue
		}
		for _, change := range s.changes(limitsOf(thresholds[threshold])) {
			at := s.revisions[change.Index]
			all = append(all, found{revision: at, point: benchv1alpha1.ChangePoint{
				Revision: history.Points[at].Revision, Variant: s.variant,
				Metric: s.key.Metric, Step: s.key.Step, Operation: s.key.Operation,
				EffectBasisPoints: new(writtenPercent(changedPercent(change))),
			}})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(
			cmp.Compare(b.revision, a.revision),
			cmp.Compare(absolute(*b.point.EffectBasisPoints), absolute(*a.point.EffectBasisPoints)),
		)
	})
	points := make([]benchv1alpha1.ChangePoint, 0, len(all))
	for _, one := range all {
		points = append(points, one.point)
	}
	return points
}

// changes of a series that are as large as matters.
func (s series) changes(by limits) []statistics.ChangePoint {
	// Everything that could be wrong is a constant, or bounded by the API.
	changes, _ := statistics.ChangePoints(s.values, statistics.ChangePointOptions{
		Seed: changeSeed, Permutations: permutations, Alpha: by.alpha(),
	})
	return slices.DeleteFunc(changes, func(change statistics.ChangePoint) bool {
		return math.Abs(changedPercent(change)) < by.minEffect
	})
}

// changedPercent is the change of the mean, infinite for one from 0.
func changedPercent(change statistics.ChangePoint) float64 {
	return 100 * (change.After - change.Before) / change.Before
}
