package replay_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/replay"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

func TestADatasetThatIsWrittenToIsMarked(t *testing.T) {
	const find, insert = `{"find": "c"}`, `{"insert": "c", "documents": [{"_id": 1}]}`
	const clean, dirty, loading = reportv1.DatasetClean, reportv1.DatasetDirty, reportv1.DatasetLoading
	for name, tc := range map[string]struct {
		command string
		before  []reportv1.DatasetState
		want    []reportv1.DatasetState
	}{
		"by a write":                        {insert, []reportv1.DatasetState{clean}, []reportv1.DatasetState{clean, dirty}},
		"not by a read":                     {find, []reportv1.DatasetState{clean}, []reportv1.DatasetState{clean}},
		"not when it is not clean":          {insert, []reportv1.DatasetState{loading}, []reportv1.DatasetState{loading}},
		"not in a database of other people": {insert, nil, nil},
		"by an aggregation into a collection": {
			`{"aggregate": "c", "pipeline": [{"$out": "d"}], "cursor": {}}`,
			[]reportv1.DatasetState{clean},
			[]reportv1.DatasetState{clean, dirty},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := marksAfter(t, tc.command, tc.before)
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
		})
	}
}

// marksAfter are all marks of a database once a command was sent to it.
func marksAfter(t *testing.T, command string, before []reportv1.DatasetState) []reportv1.DatasetState {
	t.Helper()
	recording, err := replay.Read(strings.NewReader(`{"at": 0, "db": "d", "command": `+command+"}\n"),
		replay.Options{Writes: true})
	if err != nil {
		t.Fatal(err)
	}
	target := &drivertest.Target{}
	for _, state := range before {
		if err := target.SetMark(t.Context(), "d", reportv1.DatasetMark{Fingerprint: "f", State: state}); err != nil {
			t.Fatal(err)
		}
	}
	work := replay.Replay{Recording: recording, Target: target, Threads: 1, NewAlarm: timer}
	if _, err := work.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	marks := target.Marks()
	states := make([]reportv1.DatasetState, 0, len(marks))
	for _, mark := range marks {
		states = append(states, mark.State)
	}
	return states
}
