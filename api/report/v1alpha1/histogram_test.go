package v1alpha1_test

import (
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
