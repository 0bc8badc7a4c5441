package collect_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
	"github.com/mongobench/mongobench-operator/loadgen/collect"
)

// world is where reports come from and go to.
type world struct {
	reports [][]byte
	unread  error
	unkept  error

	stored []byte
	told   reportv1.Collected
}

func (w *world) Report(_ context.Context, pod int) (string, []byte, error) {
	return "r-pod", w.reports[pod], w.unread
}

func (w *world) Put(_ context.Context, encoded []byte) (reportv1.Stored, error) {
	w.stored = encoded
	return reportv1.Stored{ConfigMapName: "r-report"}, w.unkept
}

func (w *world) Tell(_ context.Context, encoded []byte) (err error) {
	w.told, err = reportv1.DecodeCollected(encoded)
	return err
}

// handedIn has both load pods of a run hand in their reports.
func handedIn(t *testing.T) (*world, collect.Collector) {
	t.Helper()
	run := runtest.Run("bench", "r")
	w := &world{}
	hash := ""
	for pod := range 2 {
		report, err := runtest.Report(run, pod, time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := result.Encode(report)
		if err != nil {
			t.Fatal(err)
		}
		w.reports, hash = append(w.reports, encoded), report.PlanHash
	}
	return w, collect.Collector{Source: w, Store: w, Teller: w, Pods: 2, PlanHash: hash}
}

func TestCollect(t *testing.T) {
	w, collector := handedIn(t)
	if err := collector.Collect(t.Context(), reportv1.CollectOrder{CPULimitMillicores: 700}); err != nil {
		t.Fatal(err)
	}
	merged, err := reportv1.Decode(w.stored)
	if err != nil {
		t.Fatal(err)
	}
	if merged.Pods != 2 || merged.Server.CPULimitMillicores != 700 {
		t.Errorf("stored is the report of %d pods with a CPU limit of %d", merged.Pods, merged.Server.CPULimitMillicores)
	}
	told := w.told
	if told.Failed != "" || told.Stored.SHA256 != result.Digest(w.stored) || told.Stored.Bytes != int64(len(w.stored)) ||
		told.Stored.ConfigMapName != "r-report" {
		t.Errorf("told was %+v", told)
	}
	summary, err := result.Summarise(merged)
	if err != nil {
		t.Fatal(err)
	}
	if len(told.Summary.Steps) != len(summary.Steps) ||
		told.Summary.Steps[0].Overall.Count != summary.Steps[0].Overall.Count {
		t.Errorf("told were %d steps, want %d with the same counts", len(told.Summary.Steps), len(summary.Steps))
	}
}

func TestCollectWhatIsLeft(t *testing.T) {
	w, collector := handedIn(t)
	w.reports[1] = nil
	if err := collector.Collect(t.Context(), reportv1.CollectOrder{}); err != nil {
		t.Fatal(err)
	}
	if want := "it holds no report"; !strings.Contains(w.told.Failed, want) || w.stored != nil {
		t.Errorf("told was %q and stored %d bytes, want %q and none", w.told.Failed, len(w.stored), want)
	}
	if err := collector.Collect(t.Context(), reportv1.CollectOrder{Cause: "pod 1 was lost"}); err != nil {
		t.Fatal(err)
	}
	partial := w.told.Partial
	if w.told.Failed != "" || partial == nil || partial.Message != "pod 1 was lost" || len(partial.MissingPods) != 1 {
		t.Errorf("told was %q, partial %+v", w.told.Failed, partial)
	}
}

func TestCollectEndsWithoutTelling(t *testing.T) {
	gone := errors.New("gone")
	for name, change := range map[string]func(*world){
		"when a report cannot be read":         func(w *world) { w.unread = gone },
		"when the merged one cannot be stored": func(w *world) { w.unkept = gone },
	} {
		t.Run(name, func(t *testing.T) {
			w, collector := handedIn(t)
			change(w)
			if err := collector.Collect(t.Context(), reportv1.CollectOrder{}); !errors.Is(err, gone) {
				t.Errorf("got %v, want %v", err, gone)
			}
			if w.told.Version != "" {
				t.Errorf("told was %+v", w.told)
			}
		})
	}
}

func TestCollectEndsWithItsContext(t *testing.T) {
	_, collector := handedIn(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	err := collector.Collect(ctx, reportv1.CollectOrder{})
	if !errors.Is(err, stopped) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was stopped", err)
	}
}
