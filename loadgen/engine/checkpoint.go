package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
)

// checkpointPeriod is how often a pod writes down how far its load has come.
const checkpointPeriod = time.Second

// checkpointTime is how long the last checkpoint of a load that ends may take.
const checkpointTime = 5 * time.Second

// checkpoints keep in the database which records of a load were acknowledged, so that a load that is resumed does not
// send them again. It is nil where the target cannot keep them.
type checkpoints struct {
	pod    *pod
	keeper loadgen.Checkpointer

	mutex   sync.Mutex
	done    []reportv1.RecordRange
	changed bool
}

// newCheckpoints returns nil for a load that cannot be resumed.
func newCheckpoints(p *pod, growing bool) *checkpoints {
	keeper, able := p.Target.(loadgen.Checkpointer)
	if !able || p.mark.keeper == nil || growing {
		return nil
	}
	return &checkpoints{pod: p, keeper: keeper}
}

// read returns the records that any pod wrote down as acknowledged, in a load that is resumed.
func (c *checkpoints) read(ctx context.Context) ([]reportv1.RecordRange, error) {
	if c == nil || !c.pod.Resume {
		return nil, nil
	}
	found, err := c.keeper.Checkpoints(ctx, c.pod.Plan.Database)
	if err != nil {
		return nil, err
	}
	var all []reportv1.RecordRange
	for _, checkpoint := range found {
		if checkpoint.Fingerprint != c.pod.Plan.Dataset {
			continue
		}
		for _, done := range checkpoint.Done {
			all = addRange(all, done)
			if checkpoint.Pod == c.pod.Pod {
				// What this pod writes replaces it.
				c.done = addRange(c.done, done)
			}
		}
	}
	return all, nil
}

// add notes records that were acknowledged.
func (c *checkpoints) add(done reportv1.RecordRange) {
	if c == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.done, c.changed = addRange(c.done, done), true
}

// keep writes them down, until the returned function is called, which does so once more.
func (c *checkpoints) keep(ctx context.Context) (stop func()) {
	if c == nil {
		return func() {}
	}
	working, cancel := context.WithCancel(ctx)
	var writing sync.WaitGroup
	writing.Go(func() {
		for (alarm.Timer{}).Until(working, time.Now().Add(checkpointPeriod)) == nil {
			c.write(working)
		}
	})
	return func() {
		cancel()
		writing.Wait()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkpointTime)
		defer cancel()
		c.write(last)
	}
}

// write does so if there is anything new. A checkpoint that cannot be written costs only what a resumed load then sends
// again.
func (c *checkpoints) write(ctx context.Context) {
	c.mutex.Lock()
	checkpoint := reportv1.LoadCheckpoint{
		Pod: c.pod.Pod, Fingerprint: c.pod.Plan.Dataset, Done: slices.Clone(c.done),
	}
	changed := c.changed
	c.changed = false
	c.mutex.Unlock()
	if !changed {
		return
	}
	if err := c.keeper.SetCheckpoint(ctx, c.pod.Plan.Database, checkpoint); err != nil {
		c.mutex.Lock()
		c.changed = true
		c.mutex.Unlock()
		if ctx.Err() == nil {
			c.pod.Log.Warn("How far the load has come was not written down", "error", err)
		}
	}
}

// addRange adds a range to others, which are in order and apart, and keeps them so.
func addRange(ranges []reportv1.RecordRange, more reportv1.RecordRange) []reportv1.RecordRange {
	before := func(r reportv1.RecordRange) bool {
		return r.Collection < more.Collection || r.Collection == more.Collection && r.End < more.First
	}
	first := 0
	for first < len(ranges) && before(ranges[first]) {
		first++
	}
	end := first
	for end < len(ranges) && ranges[end].Collection == more.Collection && ranges[end].First <= more.End {
		more.First, more.End = min(more.First, ranges[end].First), max(more.End, ranges[end].End)
		end++
	}
	return slices.Replace(ranges, first, end, more)
}

// missing are the parts of a range that others do not cover. These are in order.
func missing(whole reportv1.RecordRange, done []reportv1.RecordRange) []reportv1.RecordRange {
	var left []reportv1.RecordRange
	for _, one := range done {
		if one.Collection != whole.Collection || one.End <= whole.First || one.First >= whole.End {
			continue
		}
		if one.First > whole.First {
			left = append(left, reportv1.RecordRange{Collection: whole.Collection, First: whole.First, End: one.First})
		}
		whole.First = min(one.End, whole.End)
	}
	if whole.First < whole.End {
		left = append(left, whole)
	}
	return left
}
