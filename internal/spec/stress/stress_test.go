package stress_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/internal/spec/stress"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
)

// usual is a line that gives nothing but shares.
func usual(shares stress.Shares) stress.Load {
	return stress.Load{
		Shares: shares, Threads: stress.DefaultThreads, Duration: stress.DefaultDuration, WarmUp: stress.DefaultWarmUp,
		Records: stress.DefaultRecords, Fields: stress.DefaultFields, DocumentBytes: stress.DefaultDocumentBytes,
		Database: stress.Database,
	}
}

func TestSharesBecomeWeights(t *testing.T) {
	for name, tc := range map[string]struct {
		shares stress.Shares
		want   map[string]int32
	}{
		"two of them": {stress.Shares{Inserts: 60, Reads: 40}, map[string]int32{"insert": 60, "read": 40}},
		"all of them": {
			stress.Shares{Inserts: 1, Reads: 2, Updates: 3, Deletes: 4, Scans: 5, Aggregations: 6},
			map[string]int32{"insert": 1, "read": 2, "update": 3, "delete": 4, "scan": 5, "aggregate": 6},
		},
		"the defaults": {stress.DefaultShares, map[string]int32{"insert": 10, "read": 70, "update": 20}},
	} {
		t.Run(name, func(t *testing.T) {
			run, err := usual(tc.shares).Run()
			if err != nil {
				t.Fatal(err)
			}
			if err := validation.ValidateRun(run).ToAggregate(); err != nil {
				t.Errorf("it is no valid run: %v", err)
			}
			got := map[string]int32{}
			for _, operation := range run.Spec.Workload.Steps[0].Operations {
				got[operation.Name] = operation.Weight
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("weights (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatARunCannotSayIsAnError(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*stress.Load)
		want   string
	}{
		"half a second":      {func(l *stress.Load) { l.WarmUp = time.Second / 2 }, "the warm-up is 500ms: give whole"},
		"no field":           {func(l *stress.Load) { l.Fields = 0 }, "there has to be one at least"},
		"a byte too few":     {func(l *stress.Load) { l.DocumentBytes, l.Fields = 45, 1 }, "for 1 fields: it takes 46"},
		"the fewest of them": {func(l *stress.Load) { l.DocumentBytes, l.Fields = 46, 1 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			load := usual(stress.DefaultShares)
			tc.change(&load)
			_, err := load.Run()
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("it says %v, want %q", err, tc.want)
			}
		})
	}
}
