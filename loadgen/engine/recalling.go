package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// recall compares the answers of a step's approximate operations with exact ones, once its window is over. What goes
// wrong there is a doubt, and ends no run.
func (p *pod) recall(ctx context.Context, index int, step *reportv1.Step) {
	if p.exact[index] == nil {
		return
	}
	planned := p.Plan.Steps[index]
	without := func(o planv1.Operation) bool { return o.Recall == nil }
	recalled := len(slices.DeleteFunc(slices.Clone(planned.Operations), without))
	// None takes the time of another.
	most := operation.RecallSeconds * time.Second / time.Duration(recalled)
	for place, part := range planned.Parts() {
		both := recalling{most: most, use: p.use(part, false), own: p.mixes[index][place], exact: p.exact[index][place]}
		both.answerer, _ = p.Target.(loadgen.Answerer)
		for i := range part.Operations {
			declared := &part.Operations[i]
			at := slices.IndexFunc(step.Operations, func(o reportv1.Operation) bool { return o.Name == declared.Name })
			if declared.Recall == nil || at < 0 {
				continue
			}
			step.Operations[at].Recall = both.compare(ctx, i, declared)
			if missing := step.Operations[at].Recall.Missing; missing != "" {
				p.Log.Warn("Not all answers were compared with exact ones", "step", part.Name, "operation", declared.Name,
					"reason", missing)
			}
		}
	}
}

// recalling compares the answers of the operations of a mix with those of their exact form.
type recalling struct {
	// most is how long it may take of one operation.
	most       time.Duration
	answerer   loadgen.Answerer
	use        loadgen.Use
	own, exact *workload.Mix
}

func (r recalling) compare(ctx context.Context, index int, declared *planv1.Operation) *reportv1.Recall {
	found := &reportv1.Recall{Wanted: int64(declared.Recall.Requests)}
	if least := declared.Recall.MinPercent; least != nil {
		found.MinPercent = int(*least)
	}
	if r.answerer == nil {
		found.Missing = "this client does not tell what documents it was answered with"
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, r.most)
	defer cancel()
	for number := range found.Wanted {
		err := r.add(ctx, found, index, number)
		if ctx.Err() != nil {
			found.Missing = fmt.Sprintf("there was time for no more in %v", r.most)
			return found
		}
		if err != nil {
			found.Missing = measure.Shorten(err.Error(), maxMissingBytes)
			return found
		}
	}
	return found
}

// add compares the answers to one request.
func (r recalling) add(ctx context.Context, sum *reportv1.Recall, index int, number int64) error {
	exact, err := r.answers(ctx, r.exact, index, number)
	if err != nil {
		return fmt.Errorf("answering exactly: %w", err)
	}
	own, err := r.answers(ctx, r.own, index, number)
	if err != nil {
		return err
	}
	sum.Compared++
	sum.Exact += int64(len(exact))
	for id := range exact {
		if own[id] {
			sum.Found++
		}
	}
	return nil
}

// answers are the _id of the documents that a request of an operation is answered with.
func (r recalling) answers(ctx context.Context, mix *workload.Mix, index int, number int64) (map[string]bool, error) {
	var request workload.Request
	mix.Sample(index, number, &request)
	ids, err := r.answerer.Answers(ctx, r.use, &request)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[string(append([]byte{byte(id.Type)}, id.Value...))] = true
	}
	return known, nil
}
