package v1alpha1_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// goldenHistogram records the same values as testdata/hdrhistogram/Golden.java, which made the files of that folder
// with the Java library.
func goldenHistogram(tb testing.TB, name string) *hdrhistogram.Histogram {
	tb.Helper()
	made := reportv1alpha1.NewHistogram()
	record := func(value, count int64) {
		if err := made.RecordValues(value, count); err != nil {
			tb.Fatal(err)
		}
	}
	switch name {
	case "one":
		record(1234, 1)
	case "edges":
		record(0, 1)
		for bit := range 32 {
			for value := int64(1)<<bit - 1; value <= int64(1)<<bit+1; value++ {
				record(min(value, reportv1alpha1.HistogramHighestMicros), 1)
			}
		}
		record(reportv1alpha1.HistogramHighestMicros, 1)
	case "spread":
		state := uint64(1)
		for range 20_000 {
			state = state*6364136223846793005 + 1442695040888963407
			octave := state >> 59 % 24
			record(int64(1<<octave+state>>33%(1<<octave)), 1)
		}
	case "large":
		record(150, 5_000_000_000)
		record(90_000, 7)
	}
	return made
}

func TestHistogramsOfTheJavaLibraryAreRead(t *testing.T) {
	for _, name := range []string{"empty", "one", "edges", "spread", "large"} {
		t.Run(name, func(t *testing.T) {
			encoded, err := os.ReadFile(filepath.Join("testdata", "hdrhistogram", name+".v2"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := reportv1alpha1.DecodeHistogram(strings.TrimSpace(string(encoded)))
			if err != nil {
				t.Fatal(err)
			}
			want := goldenHistogram(t, name)
			if !got.Equals(want) || got.TotalCount() != want.TotalCount() || got.Max() != want.Max() {
				t.Errorf("%d values up to %d, want %d up to %d, all in the same buckets",
					got.TotalCount(), got.Max(), want.TotalCount(), want.Max())
			}
			// What one library writes must merge with what the other does.
			merged := reportv1alpha1.NewHistogram()
			if dropped := merged.Merge(got) + merged.Merge(want); dropped != 0 || merged.TotalCount() != 2*want.TotalCount() {
				t.Errorf("merged with our own it has %d values, %d dropped", merged.TotalCount(), dropped)
			}
			writeForJava(t, name, want)
		})
	}
}

// writeForJava writes our histograms where Golden.java can compare them, when it is asked to:
//
//	GOLDEN_FOLDER=/tmp/go go test -run JavaLibrary . && java -cp HdrHistogram-2.2.2.jar Golden.java . /tmp/go
func writeForJava(t *testing.T, name string, histogram *hdrhistogram.Histogram) {
	t.Helper()
	folder := os.Getenv("GOLDEN_FOLDER")
	if folder == "" {
		return
	}
	encoded, err := reportv1alpha1.EncodeHistogram(histogram)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".v2"), []byte(encoded), 0o600); err != nil {
		t.Fatal(err)
	}
}
