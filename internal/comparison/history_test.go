package comparison

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

var (
	someTime = time.Date(2026, time.November, 1, 3, 0, 0, 0, time.UTC)
	findP99  = Key{Metric: benchv1alpha1.MetricP99Micros, Step: "read", Operation: "find"}
	findRate = Key{Metric: benchv1alpha1.MetricOperationsPerSecond, Step: "read"}
)

// historyOf has a point for each value of the key of one variant.
func historyOf(key Key, values ...int64) History {
	var history History
	for i, value := range values {
		history.Points = append(history.Points, Point{
			Revision: fmt.Sprintf("r%d", i), Time: someTime.AddDate(0, 0, i),
			Medians: []Median{{Variant: "small", Figure: Figure{Key: key, Value: float64(value)}}},
		})
	}
	return history
}

func TestPointHasTheMediansOfWhatIsCompared(t *testing.T) {
	other := Key{Metric: benchv1alpha1.MetricP50Micros, Step: "read", Operation: "find"}
	side := Side{Name: "small"}
	for _, value := range []float64{5, 9, 7, 8} {
		side.Samples = append(side.Samples, Sample{Figures: []Figure{{findP99, value}, {other, 1}}})
	}
	result := Result{Revision: "r1", Sides: []Side{side, {Name: "failed"}}}
	want := Point{
		Revision: "r1", Time: someTime,
		Medians: []Median{{Variant: "small", Figure: Figure{Key: findP99, Value: 7.5}}},
	}
	zone := time.FixedZone("", 3600)
	if diff := cmp.Diff(want, PointOf(result, Settings{}, someTime.In(zone))); diff != "" {
		t.Errorf("point (-want +got):\n%s", diff)
	}
}

func TestHistoryKeepsTheLatestPoints(t *testing.T) {
	var history History
	for i := range MostPoints + 5 {
		history = history.With(Point{Revision: strconv.Itoa(i), Time: someTime.Add(time.Duration(i) * time.Hour)})
	}
	if len(history.Points) != MostPoints || history.Points[0].Revision != "5" {
		t.Errorf("%d points, the first of revision %s", len(history.Points), history.Points[0].Revision)
	}
	before := history.Points[7]
	again := history.With(Point{Revision: before.Revision, Time: before.Time, Medians: []Median{{Variant: "small"}}})
	if len(again.Points) != MostPoints || len(again.Points[7].Medians) != 1 {
		t.Error("a revision that is there already is not replaced")
	}
	if len(history.Points[7].Medians) != 0 {
		t.Error("the history that was given has changed")
	}
}

// Only a history that was changed by hand repeats a figure; it must not end the operator.
func TestAFigureThatARevisionRepeatsHasNoChanges(t *testing.T) {
	repeated := slices.Repeat([]Median{{Variant: "small", Figure: Figure{Key: findP99, Value: 7.5}}}, MostPoints+1)
	history := History{Points: []Point{{Revision: "r1", Time: someTime, Medians: repeated}}}
	settings := Settings{Thresholds: []benchv1alpha1.Threshold{{Metric: findP99.Metric}}}
	if points := ChangePoints(history, settings); len(points) > 0 {
		t.Errorf("got %+v, want no change points", points)
	}
}

func TestHistoryIsReadAsItWasWritten(t *testing.T) {
	history := historyOf(findP99, 1, 2, 3)
	encoded, err := EncodeHistory(history)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeHistory(encoded)
	if err != nil {
		t.Fatal(err)
	}
	history.Version = HistoryVersion
	if diff := cmp.Diff(history, got); diff != "" {
		t.Errorf("history (-written +read):\n%s", diff)
	}
}

func TestHistoryThatIsTooLargeLosesItsOldestPoints(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	history := historyOf(findP99, make([]int64, 100)...)
	for i := range history.Points {
		history.Points[i].Medians[0].Value = float64(random.Int64())
	}
	encoded, err := encodeHistoryWithin(history, 1000)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeHistory(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Points); len(encoded) > 1000 || n < 5 || n > 50 || got.Points[n-1].Revision != "r99" {
		t.Errorf("%d bytes with %d points, the last of %s", len(encoded), n, got.Points[n-1].Revision)
	}
	if _, err := encodeHistoryWithin(history, 50); err == nil {
		t.Error("what does not fit at all is no error")
	}
}

func TestChangePoints(t *testing.T) {
	step := func(length, at int, before, after int64) []int64 {
		values := make([]int64, length)
		for i := range values {
			values[i] = before + int64(i%3)
			if i >= at {
				values[i] = after + int64(i%3)
			}
		}
		return values
	}
	point := func(revision string, basisPoints int64) []benchv1alpha1.ChangePoint {
		return []benchv1alpha1.ChangePoint{{
			Revision: revision, Variant: "small", Metric: findP99.Metric, Step: "read", Operation: "find",
			EffectBasisPoints: new(basisPoints),
		}}
	}
	tests := map[string]struct {
		history  History
		settings Settings
		want     []benchv1alpha1.ChangePoint
	}{
		"a step of the series is found where it is": {
			history: historyOf(findP99, step(40, 20, 1000, 1200)...), want: point("r20", 1999),
		},
		"a series that does not change has none": {history: historyOf(findP99, step(60, 60, 1000, 0)...)},
		"a step smaller than what matters is none": {
			history: historyOf(findP99, step(40, 20, 1000, 1040)...),
		},
		"unless less matters": {
			history: historyOf(findP99, step(40, 20, 1000, 1040)...),
			settings: Settings{Thresholds: []benchv1alpha1.Threshold{
				{Metric: findP99.Metric, MinEffectPercent: ptr.To[int32](2)},
			}},
			want: point("r20", 400),
		},
		"eighteen revisions are too few": {history: historyOf(findP99, step(18, 9, 1000, 2000)...)},
		"nineteen are enough": {
			history: historyOf(findP99, step(19, 9, 1000, 2000)...), want: point("r9", 9989),
		},
		"what no threshold is about is not looked at": {
			history:  historyOf(findP99, step(40, 20, 1000, 1200)...),
			settings: Settings{Thresholds: []benchv1alpha1.Threshold{{Metric: findRate.Metric}}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := ChangePoints(tc.history, tc.settings)
			if diff := cmp.Diff(append([]benchv1alpha1.ChangePoint{}, tc.want...), got); diff != "" {
				t.Errorf("change points (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheLatestChangePointComesFirst(t *testing.T) {
	values := make([]int64, 44)
	for i := range values {
		values[i] = 100 + int64(i%3)
		if i >= 20 {
			values[i] += 50
		}
	}
	history := historyOf(findP99, values...)
	for i := range history.Points {
		value := int64(50 + i%2)
		if i >= 24 {
			value -= 30
		}
		history.Points[i].Medians = append(history.Points[i].Medians,
			Median{Variant: "large", Figure: Figure{Key: findRate, Value: float64(value)}})
	}
	// The variant is missing in one revision, which moves nothing.
	history.Points[2].Medians = history.Points[2].Medians[:1]
	points := ChangePoints(history, Settings{})
	got := make([]string, 0, len(points))
	for _, point := range points {
		got = append(got, point.Revision+" "+point.Variant)
	}
	if diff := cmp.Diff([]string{"r24 large", "r20 small"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
