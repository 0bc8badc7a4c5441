package abort

import (
	"fmt"
	"slices"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// slots is how many looks a threshold remembers: it is judged over its whole time, which goes forward by a part of it.
const slots = 30

// Judge watches the thresholds of a step. It is used by one goroutine.
type Judge struct {
	rules []*rule
}

// New watches thresholds on a pod that has a share of the load of each operation, and of all for an empty name.
func New(planned []planv1.Threshold, share func(operation string) float64) *Judge {
	judge := &Judge{}
	for _, threshold := range planned {
		over := time.Duration(threshold.ForSeconds) * time.Second
		judge.rules = append(judge.rules, &rule{
			planned: threshold, share: share(threshold.Operation), over: over, step: max(time.Second, over/slots),
			looks: []look{{}},
		})
	}
	return judge
}

// Look takes what a measure window has come to at an instant of it, and says which threshold was missed for its whole
// time; empty: none.
func (j *Judge) Look(at time.Duration, live measure.Live) string {
	for _, rule := range j.rules {
		if missed := rule.look(at, live); missed != "" {
			return missed
		}
	}
	return ""
}

// rule is one threshold with what it has seen.
type rule struct {
	planned planv1.Threshold
	share   float64
	// over is the time that is judged, and step the time between two looks that are remembered.
	over, step time.Duration
	// looks are those of the time that is judged, the oldest first.
	looks []look
}

// look is what the operations of a threshold had come to at an instant.
type look struct {
	at            time.Duration
	count, errors int64
	latency       []measure.Bucket
}

func (r *rule) look(at time.Duration, live measure.Live) string {
	if at-r.looks[len(r.looks)-1].at < r.step {
		return ""
	}
	now := r.sum(at, live)
	r.looks = append(r.looks, now)
	for len(r.looks) > 2 && at-r.looks[1].at >= r.over {
		r.looks = r.looks[1:]
	}
	before := r.looks[0]
	if at-before.at < r.over {
		return ""
	}
	return r.judge(before, now)
}

// sum adds up the operations that the threshold is about.
func (r *rule) sum(at time.Duration, live measure.Live) look {
	found := look{at: at}
	var all measure.Live
	for _, operation := range live.Operations {
		if r.planned.Operation != operation.Name && (r.planned.Operation != "" || operation.PartOf != "") {
			continue
		}
		found.count += operation.Count
		found.errors += operation.Errors
		if r.planned.LimitMicros > 0 {
			// What failed later than the limit was slow; what failed sooner says nothing of how long it would have taken.
			slow := slices.DeleteFunc(slices.Clone(operation.Failed), func(b measure.Bucket) bool {
				return b.Lowest <= r.planned.LimitMicros
			})
			all.Add(measure.Live{Operations: []measure.LiveOperation{{Latency: operation.Latency}}})
			all.Add(measure.Live{Operations: []measure.LiveOperation{{Latency: slow}}})
		}
	}
	if len(all.Operations) > 0 {
		found.latency = all.Operations[0].Latency
	}
	return found
}

// judge compares what came between two looks with the threshold. A time without any operation says nothing of errors
// and latencies.
func (r *rule) judge(before, now look) string {
	planned, seconds := r.planned, (now.at - before.at).Seconds()
	succeeded, failed := now.count-before.count, now.errors-before.errors
	switch {
	case planned.ErrorPercent > 0:
		if failed > 0 && failed*100 > (succeeded+failed)*int64(planned.ErrorPercent) {
			return r.says("%d of %d operations failed, more than %d %%", failed, succeeded+failed, planned.ErrorPercent)
		}
	case planned.ErrorsPerSecond > 0:
		if rate := float64(failed) / seconds / r.share; rate > float64(planned.ErrorsPerSecond) {
			return r.says("%.0f operations/s failed, more than %d/s", rate, planned.ErrorsPerSecond)
		}
	case planned.LimitMicros > 0:
		if micros := percentile(before.latency, now.latency, planned.PercentileMillis); micros > planned.LimitMicros {
			return r.says("p%g is %d µs, over %d µs", float64(planned.PercentileMillis)/1000, micros, planned.LimitMicros)
		}
	default:
		if rate := float64(succeeded) / seconds / r.share; rate < float64(planned.LowestRate) {
			return r.says("%.0f operations/s succeeded, less than %d/s", rate, planned.LowestRate)
		}
	}
	return ""
}

func (r *rule) says(what string, details ...any) string {
	whom := "all operations"
	if r.planned.Operation != "" {
		whom = "operation " + r.planned.Operation
	}
	return fmt.Sprintf("abortOn: %s: over %s, %s", whom, r.over, fmt.Sprintf(what, details...))
}

// percentile is that of the latencies which are in the later buckets and not in the earlier ones; 0 when there is none.
func percentile(before, now []measure.Bucket, millis int) int64 {
	counts := slices.Clone(now)
	var all int64
	for i := range counts {
		at, found := slices.BinarySearchFunc(before, counts[i].Lowest, func(b measure.Bucket, lowest int64) int {
			return int(b.Lowest - lowest)
		})
		if found {
			counts[i].Count -= before[at].Count
		}
		all += counts[i].Count
	}
	wanted := max(1, (all*int64(millis)+99_999)/100_000)
	var seen int64
	for _, bucket := range counts {
		if seen += bucket.Count; all > 0 && seen >= wanted {
			return bucket.Lowest
		}
	}
	return 0
}
