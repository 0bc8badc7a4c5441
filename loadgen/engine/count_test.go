package engine_test

import (
	"context"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
)

// reader counts how often a collection is read to count its documents.
type reader struct {
	*mongo.Target
	counts int
}

func (r *reader) Count(ctx context.Context, database, collection string) (int64, error) {
	r.counts++
	return r.Target.Count(ctx, database, collection)
}

func TestCountingALoadReadsNoDocument(t *testing.T) {
	_, target := opened(t)
	plan := longLoad()
	plan.Collections[0].DocumentCount = 1000
	plan.Steps[2].Check = ""
	counting := &reader{Target: target}
	report, err := newEngine(plan, counting).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Steps[2].Documents; got != 1000 || counting.counts != 0 {
		t.Errorf("%d documents were found, and the collection was read %d times; want 1,000 without reading any", got,
			counting.counts)
	}
	// Where the server's own number is another one, the documents decide.
	plan.Collections[0].DocumentCount, plan.ReloadAlways = 1001, true
	plan.Steps = []planv1.Step{{Name: "verify", Kind: planv1.StepVerify}}
	if _, err := newEngine(plan, counting).Run(t.Context()); err == nil || counting.counts != 1 {
		t.Errorf("error %v after reading the collection %d times; want that a document is missing, after one", err,
			counting.counts)
	}
}
