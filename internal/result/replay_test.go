package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestReplaysOfPodsAreAddedUp(t *testing.T) {
	pod := func(compared, failed int64) reportv1.Report {
		one := hugeReport(t, 1, 10)
		one.Steps[len(one.Steps)-1].Replay = &reportv1.Replay{
			Hash: "h", Operations: 100, LeftOut: []reportv1.Counted{{What: "a write", Count: 3}}, Compared: compared,
			Failed: failed, WithoutCursor: 1,
		}
		return one
	}
	merged, err := Merge([]reportv1.Report{pod(40, 1), pod(50, 2)})
	if err != nil {
		t.Fatal(err)
	}
	want := &reportv1.Replay{
		Hash: "h", Operations: 100, LeftOut: []reportv1.Counted{{What: "a write", Count: 3}}, Compared: 90, Failed: 3,
		WithoutCursor: 2,
	}
	if diff := cmp.Diff(want, merged.Steps[len(merged.Steps)-1].Replay); diff != "" {
		t.Errorf("the replay (-want +got):\n%s", diff)
	}
}

func TestAnswersThatDifferAreADoubt(t *testing.T) {
	for name, tc := range map[string]struct {
		replay reportv1.Replay
		want   string
	}{
		"none":           {reportv1.Replay{Compared: 200}, ""},
		"one in hundred": {reportv1.Replay{Compared: 200, OtherCount: 1, Failed: 1}, ""},
		"more":           {reportv1.Replay{Compared: 200, OtherCount: 1, Failed: 1, Succeeded: 1}, "200 answers"},
		"not compared":   {reportv1.Replay{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			one := hugeReport(t, 1, 10)
			one.Steps[len(one.Steps)-1].Replay = &tc.replay
			doubts, err := Doubts(one)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, doubt := range doubts {
				if doubt.Reason == benchv1alpha1.ReasonUnexpectedDocuments {
					got = doubt.Message
				}
			}
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("doubt %q, want %q", got, tc.want)
			}
		})
	}
}
