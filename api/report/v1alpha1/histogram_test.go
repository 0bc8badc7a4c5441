package v1alpha1_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

func TestHistogramRoundTrip(t *testing.T) {
	want := reportv1alpha1.NewHistogram()
	for _, value := range []int64{1, 999, 1000, 123_456, reportv1alpha1.HistogramHighestMicros} {
		if err := want.RecordValue(value); err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := reportv1alpha1.EncodeHistogram(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := reportv1alpha1.DecodeHistogram(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Equals(want) {
		t.Error("the histogram that was read differs from the one that was written")
	}
}

func TestDecodeHistogramRefuses(t *testing.T) {
	other, err := reportv1alpha1.EncodeHistogram(hdrhistogram.New(1, 1000, 2))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ text, wantErr string }{
		"nothing":                      {"", "too short"},
		"what is no base64":            {"!!", "illegal base64"},
		"a histogram of another range": {other, "it covers 1 to 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := reportv1alpha1.DecodeHistogram(tc.text); err == nil || !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("got error %v, want one with %q", err, tc.wantErr)
			}
		})
	}
}

// TestMergedReportsEqualOne spreads the same times over any number of pods: what comes out must not depend on it.
func TestMergedReportsEqualOne(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		pods := 1 + random.IntN(8)
		values := make([][]int64, pods)
		size := 1 + random.IntN(2000)
		all := make([]int64, 0, size)
		for range size {
			// Spread over the whole range, as many small times as large ones.
			value := int64(1) << random.IntN(31)
			value += random.Int64N(value)
			pod := random.IntN(pods)
			values[pod] = append(values[pod], value)
			all = append(all, value)
		}
		reports := make([]reportv1alpha1.Report, pods)
		for pod := range pods {
			reports[pod] = podReport(t, values[pod]...)
		}
		merged, err := reportv1alpha1.Merge(reports)
		if err != nil {
			t.Fatal(err)
		}
		operation := merged.Steps[1].Operations[0]
		if operation.ServiceTime != histogram(t, all...) {
			t.Fatalf("the histogram merged from %d pods is not the one of all values", pods)
		}
		if operation.Count != int64(len(all)) || operation.Intervals[0] != int64(len(all)) {
			t.Errorf("count %d and first interval %d, want %d", operation.Count, operation.Intervals[0], len(all))
		}
	}
}
