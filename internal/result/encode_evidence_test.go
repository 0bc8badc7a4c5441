package result

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// TestAReportGivesUpDiagnosticDataBeforeAnythingElse and says so; how operations are carried out goes with the members.
func TestAReportGivesUpDiagnosticDataBeforeAnythingElse(t *testing.T) {
	report := hugeReport(t, 2, 300)
	data := make([]byte, 20_000)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(data)
	report.Members[1].Diagnostics = &reportv1.Diagnostics{Data: data, Samples: 20, Dropped: 3}
	report.Steps[0].Explained = []reportv1.Explained{{Operation: "a", Stages: "IDHACK"}}
	report.Steps[0].Slow = []reportv1.SlowCommands{{Member: "a", Logged: 1}}
	whole, err := Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		limit int
		want  evidenceKept
	}{
		"what fits":                   {len(whole), evidenceKept{300, 20_000, 20, 3, 1, 1}},
		"a byte less":                 {len(whole) - 1, evidenceKept{300, 0, 0, 23, 1, 1}},
		"next to nothing but the sum": {800, evidenceKept{intervals: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			encoded, err := EncodeWithin(report, tc.limit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, keptOf(t, encoded), cmp.AllowUnexported(evidenceKept{})); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
	if len(report.Members[1].Diagnostics.Data) != len(data) || report.Steps[0].Explained == nil {
		t.Error("the report that was given changed")
	}
}

// evidenceKept is how much a report still has of what its servers said.
type evidenceKept struct{ intervals, bytes, samples, dropped, explained, slow int }

func keptOf(t *testing.T, encoded []byte) evidenceKept {
	t.Helper()
	report, err := reportv1.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	step := report.Steps[0]
	found := evidenceKept{
		intervals: len(step.Operations[0].Intervals), explained: len(step.Explained), slow: len(step.Slow),
	}
	if report.Members == nil {
		return found
	}
	diagnostics := report.Members[1].Diagnostics
	found.bytes, found.samples, found.dropped = len(diagnostics.Data), diagnostics.Samples, diagnostics.Dropped
	if (found.bytes == 0) != (diagnostics.Missing != "") {
		t.Errorf("of %d bytes it says %q", found.bytes, diagnostics.Missing)
	}
	return found
}
