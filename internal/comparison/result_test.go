package comparison

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// largeResult has runs of figures that do not compress, one of four of them in the usual thresholds.
func largeResult(runs int) Result {
	random := rand.New(rand.NewPCG(1, 1))
	result := Result{Suite: "nightly", Revision: "5d8f"}
	side := Side{Name: "small"}
	for i := range runs {
		sample := Sample{Run: fmt.Sprintf("run-%d", i), Fingerprint: map[string]string{"version": "6.0.5"}}
		for step := range 10 {
			for _, metric := range []benchv1alpha1.Metric{
				benchv1alpha1.MetricP50Micros, benchv1alpha1.MetricP95Micros,
				benchv1alpha1.MetricP99Micros, benchv1alpha1.MetricP999Micros,
			} {
				key := Key{Metric: metric, Step: fmt.Sprintf("step-%d", step), Operation: "find"}
				sample.Figures = append(sample.Figures, Figure{Key: key, Value: float64(random.Int64N(1e9))})
			}
		}
		side.Samples = append(side.Samples, sample)
	}
	result.Sides = []Side{side}
	result.Lines = []benchv1alpha1.ComparisonLine{{Variant: "small", Verdict: benchv1alpha1.VerdictUnchanged}}
	return result
}

func TestResultIsReadAsItWasWritten(t *testing.T) {
	result := largeResult(3)
	encoded, err := encodeResult(result, Settings{}, MaxBytes)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeResult(encoded)
	if err != nil {
		t.Fatal(err)
	}
	result.Version = ResultVersion
	if diff := cmp.Diff(result, got); diff != "" {
		t.Errorf("result (-written +read):\n%s", diff)
	}
}

func TestResultThatIsTooLargeLosesFiguresAndSaysSo(t *testing.T) {
	const runs, figures = 50, 40
	result := largeResult(runs)
	whole, err := strictjson.EncodeCompressed(result)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		limit       int
		wantOmitted int
	}{
		"what fits stays":                            {limit: len(whole) + 100, wantOmitted: 0},
		"what is not compared goes first":            {limit: len(whole) / 2, wantOmitted: runs * figures * 3 / 4},
		"at last every figure goes, and no run does": {limit: len(whole) / 15, wantOmitted: runs * figures},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := rewritten(t, result, tc.limit)
			if got.OmittedFigures != tc.wantOmitted {
				t.Errorf("%d figures omitted, want %d", got.OmittedFigures, tc.wantOmitted)
			}
			if len(got.Sides[0].Samples) != runs || len(got.Lines) != 1 {
				t.Errorf("%d runs and %d lines are left", len(got.Sides[0].Samples), len(got.Lines))
			}
		})
	}
	if len(result.Sides[0].Samples[0].Figures) != figures {
		t.Error("what was given to be encoded has changed")
	}
	if _, err := encodeResult(result, Settings{}, 200); err == nil {
		t.Error("what does not fit without any figure is no error")
	}
}

// rewritten is a result that was written in that many bytes, and read again.
func rewritten(t *testing.T, result Result, limit int) Result {
	t.Helper()
	encoded, err := encodeResult(result, Settings{}, limit)
	if err != nil {
		t.Fatal(err)
	}
	if len(encoded) > limit {
		t.Errorf("%d bytes of %d", len(encoded), limit)
	}
	got, err := DecodeResult(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAThousandRunsFit(t *testing.T) {
	encoded, err := encodeResult(largeResult(1000), Settings{}, MaxBytes)
	if err != nil {
		t.Fatal(err)
	}
	if len(encoded) > MaxBytes {
		t.Errorf("%d bytes", len(encoded))
	}
}

func TestDecodingRefuses(t *testing.T) {
	tests := map[string]struct {
		content string
		says    string
	}{
		"another version":   {content: `{"version":"v9"}`, says: "different releases"},
		"something behind":  {content: `{"version":"` + ResultVersion + `"} 1`, says: "after"},
		"what is no object": {content: `[]`, says: "decoding"},
	}
	for name, tc := range tests {
		t.Run(name+" is refused", func(t *testing.T) {
			packed, err := strictjson.Compress([]byte(tc.content))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := DecodeResult(packed); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got error %v, want one about %q", err, tc.says)
			}
		})
	}
	if _, err := DecodeResult([]byte("plain")); err == nil {
		t.Error("what is not compressed is read")
	}
	member, err := strictjson.Compress(make([]byte, MaxBytes))
	if err != nil {
		t.Fatal(err)
	}
	// What was compressed piece by piece is read as one.
	endless := bytes.Repeat(member, maxDecodedBytes/MaxBytes+1)
	if _, err := DecodeHistory(endless); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("what decompresses without end gives %v", err)
	}
}

func TestFilesShareTheRoomOfAConfigMap(t *testing.T) {
	result := largeResult(20)
	history := History{Points: []Point{PointOf(result, Settings{}, someTime)}}
	files, err := Files(result, history, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeResult(files.Binary[ResultKey]); err != nil || len(files.Binary) != 1 {
		t.Errorf("%d binary files, the result gives %v", len(files.Binary), err)
	}
	for key, start := range map[string]string{
		ComparisonKey: "suite,revision,variant,baseline,", SamplesKey: "suite,revision,variant,repetition,",
		BenchstatKey: "Unit ops/s better=higher", OtavaKey: "time,revision,branch,", OtavaConfigKey: "tests:",
	} {
		if !strings.HasPrefix(files.Text[key], start) {
			t.Errorf("%s begins with %.40q", key, files.Text[key])
		}
	}
	room := len(files.Binary[ResultKey]) + len(files.Text[ComparisonKey]) + len(files.Text[OtavaKey])
	narrow, err := filesWithin(result, history, Settings{}, room)
	if err != nil {
		t.Fatal(err)
	}
	kept := slices.Sorted(maps.Keys(narrow.Text))
	if diff := cmp.Diff([]string{ComparisonKey, OtavaKey}, kept); diff != "" {
		t.Errorf("where there is room for two tables (-want +got):\n%s", diff)
	}
}
