package output_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// TestPercentilesAreThoseOfTheJavaLibrary compares with what HdrHistogram's own outputPercentileDistribution wrote of
// the same histograms: see Golden.java in that folder.
func TestPercentilesAreThoseOfTheJavaLibrary(t *testing.T) {
	folder := filepath.Join("..", "..", "api", "report", "v1alpha1", "testdata", "hdrhistogram")
	for _, name := range []string{"empty", "one", "edges", "spread", "large"} {
		t.Run(name, func(t *testing.T) {
			histogram, err := reportv1.DecodeHistogram(strings.TrimSpace(readFile(t, filepath.Join(folder, name+".v2"))))
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			if err := output.WritePercentiles(&got, histogram); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(readFile(t, filepath.Join(folder, name+".hgrm")), got.String()); diff != "" {
				t.Errorf("%s.hgrm (-Java +got):\n%s", name, diff)
			}
		})
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestPlotsAreOfEveryTimeThatWasMeasured(t *testing.T) {
	rich := richReport(t)
	rich.Steps[2].Operations[0].Name = "read/by id"
	plots, err := output.Plots(rich)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, plot := range plots {
		var text strings.Builder
		if err := plot.Write(&text); err != nil {
			t.Fatal(err)
		}
		_, footer, _ := strings.Cut(text.String(), "#[Max     = ")
		got[plot.Name], _, _ = strings.Cut(footer, "]")
	}
	want := map[string]string{
		"open.find.hgrm":                 "     145.023, Total count    =        30000",
		"open.find.service.hgrm":         "      45.023, Total count    =        30000",
		"open.find.first-document.hgrm":  "       5.003, Total count    =        30000",
		"search.read_by_id.hgrm":         "      19.503, Total count    =        22500",
		"search.read_by_id.service.hgrm": "      18.511, Total count    =        22500",
		"threads-1.read.hgrm":            "       0.600, Total count    =         2000",
		"threads-4.read.hgrm":            "       0.600, Total count    =         8000",
		"threads-16.read.hgrm":           "       2.101, Total count    =         8000",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plots with their greatest value and count (-want +got):\n%s", diff)
	}
}
