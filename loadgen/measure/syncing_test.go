package measure_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// TestSyncingIsTimed: on a file system in memory, such as that of temporary files may be, it takes next to nothing, so
// that no more can be said than that there are times, in their order, and that nothing is left.
func TestSyncingIsTimed(t *testing.T) {
	folder := t.TempDir()
	for name, tc := range map[string]struct {
		syncs int
		most  time.Duration
	}{
		"as many as asked for":          {syncs: 300, most: time.Hour},
		"at least as many as it takes":  {syncs: 1, most: 0},
		"as many as fit into the times": {syncs: 1 << 20, most: 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := measure.SyncLatency(t.Context(), folder, tc.syncs, tc.most)
			if err != nil || got.P50 < 0 || got.P99 < got.P50 {
				t.Errorf("got %+v, error %v", got, err)
			}
			if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
				t.Errorf("%v is left, error %v", left, err)
			}
		})
	}
}

func TestSyncingThatCannotBeTimedIsAnError(t *testing.T) {
	if _, err := measure.SyncLatency(t.Context(), t.TempDir()+"/missing", 1, 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that the folder does not exist", err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	got, err := measure.SyncLatency(ctx, t.TempDir(), 1, 0)
	if !errors.Is(err, cause) || got != (reportv1.SyncMicros{}) {
		t.Errorf("got %+v, error %v, want what ended it", got, err)
	}
}
