package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/search"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const (
	// settling is how long a trial's rate is kept up before it is counted.
	settling = time.Second
	// trialDrain is how long a trial's queue is drained, unless the objective lets an operation wait for longer.
	trialDrain = time.Second
	// trialQueue is the most that a trial may have queued, so that no rate takes much memory.
	trialQueue = 1 << 20
	// trialErrorShare is one in this many: with more operations that fail, no percentile is kept.
	trialErrorShare = 100
)

// searchStep looks for the highest rate that keeps an objective. Every trial is an open loop of its own:
//
//	recover ──▶ settle ──▶ trial ──────────┬──▶ drain ──▶ judge
//	   ▲                   period by period └ its end, once the answer is clear
//	   └──────────────────────────────────────────────────────┘
//
// Of several pods the first does all of this, and the others go through its trials with it: see together.go.
type searchStep struct {
	*workers
	// index of the step in the plan.
	index  int
	search *search.Search
	// used counts the operations of the trials, and settled those before them, so that no two have the same number.
	used, settled int64
	// tried counts the trials.
	tried int
	// lead is how far ahead a trial is ordered, if there are several pods.
	lead time.Duration
	// measured is what all pods measured in the last trial.
	measured reportv1.Step
	// usual is what a probe saw of the target before the first trial, or later when it was faster.
	usual   probe
	percent atomic.Int64
	warm    atomic.Bool
}

func newSearchStep(p *pod, index int) (*searchStep, error) {
	s := &searchStep{workers: newWorkers(p, index), index: index, lead: firstLead}
	var err error
	s.search, err = newSearch(s.planned)
	return s, err
}

// newSearch begins the search of a step.
func newSearch(step planv1.Step) (*search.Search, error) {
	return search.New(*step.Search, confirmation(step))
}

// confirmation is how long one takes.
func confirmation(step planv1.Step) time.Duration {
	return time.Duration(max(step.DurationSeconds, 1)) * time.Second
}

func (s *searchStep) run(ctx context.Context, step *reportv1.Step) error {
	warmup := time.Duration(s.planned.WarmupSeconds) * time.Second
	if err := s.warmUp(ctx, step.Start, warmup); err != nil {
		return err
	}
	s.warm.Store(true)
	if s.pod.Pod > 0 {
		return s.follow(ctx, step)
	}
	err := s.find(ctx, step)
	if s.together() && !interrupted(ctx) {
		err = errors.Join(err, s.dismiss(ctx, err))
	}
	return err
}

// find makes the trials of the search.
func (s *searchStep) find(ctx context.Context, step *reportv1.Step) error {
	// What was found by the end is part of what was measured, also of a search that is cut.
	defer s.tell(step)
	for {
		attempt, more := s.search.Next()
		if !more {
			break
		}
		began := time.Now()
		trial := reportv1.Trial{Rate: attempt.Rate, Confirmation: attempt.Confirmation}
		if err := s.recover(ctx, &trial); err != nil {
			return fmt.Errorf("waiting for the target to recover: %w", err)
		}
		shown, err := s.try(ctx, step, &trial)
		if err != nil {
			return fmt.Errorf("trying %d operations/s: %w", attempt.Rate, err)
		}
		s.search.Add(trial, shown, time.Since(began))
		s.percent.Store(max(s.percent.Load(), int64(s.search.Done())))
	}
	return measure.NothingSucceeded(s.measured.Operations)
}

// tell leaves in the step what the search has found until now.
func (s *searchStep) tell(step *reportv1.Step) {
	if found := s.search.Result(); len(found.Trials) > 0 {
		step.Search = &found
	}
}

// warmUp sends the lowest rate.
func (s *searchStep) warmUp(ctx context.Context, start time.Time, length time.Duration) error {
	if length == 0 {
		return nil
	}
	return s.prepare(ctx, window{begin: start, end: start.Add(length)}, s.planned.Search.Lowest)
}

// prepare sends operations that are not measured.
func (s *searchStep) prepare(ctx context.Context, bounds window, rate int64) error {
	bounds.base = workload.FirstWarmupNumber + s.settled
	preparing, err := s.rated(bounds, rate)
	if err != nil {
		return err
	}
	defer preparing.close()
	err = s.work(ctx, until(bounds.end), loops{preparing}, nil)
	s.settled += preparing.next.number
	return err
}

// try measures one rate, and leaves what was measured in the step. It returns what the trial has shown.
func (s *searchStep) try(ctx context.Context, step *reportv1.Step, trial *reportv1.Trial) (float64, error) {
	s.tried++
	order := reportv1.TrialOrder{
		Step: s.index, Number: s.tried, Rate: trial.Rate, Confirmation: trial.Confirmation, Start: time.Now(),
		Settled: s.settled, Used: s.used, Percent: int(s.percent.Load()),
	}
	if s.together() {
		return s.tryTogether(ctx, step, trial, order)
	}
	counted, err := s.perform(ctx, step, order)
	if err != nil {
		return 0, err
	}
	return s.judge(trial, counted, []reportv1.Step{*step})
}

// length is that of a trial whose answer is not clear before.
func (s *searchStep) length(confirmed bool) time.Duration {
	switch {
	case confirmed:
		return confirmation(s.planned)
	case s.together():
		return s.planned.Search.LeastTrial()
	default:
		return s.planned.Search.LongestTrial()
	}
}

// perform sends this pod's part of a trial, and leaves what was measured in the step.
func (s *searchStep) perform(ctx context.Context, step *reportv1.Step, order reportv1.TrialOrder) (*tally, error) {
	length, start := s.length(order.Confirmation), order.Start
	begin := start.Add(settling)
	// Each trial has random gaps of its own: what one schedule has by chance is not in the next.
	label := fmt.Sprintf("trial %d", order.Number)
	warming, err := s.rated(
		window{base: workload.FirstWarmupNumber + order.Settled, begin: start, end: begin, label: label}, order.Rate)
	if err != nil {
		return nil, err
	}
	defer warming.close()
	bounds := window{base: order.Used, begin: begin, end: begin.Add(length), label: label}
	measuring, err := s.rated(bounds, order.Rate)
	if err != nil {
		return nil, err
	}
	defer measuring.close()
	measuring.drain = max(trialDrain, s.limit())
	s.record(loops{measuring}, bounds, length)
	counted := newTally(*s.planned.Search, measuring, length, order.Confirmation)
	through := phase{warming: loops{warming}, measuring: loops{measuring}, window: bounds}
	if err := s.watched(ctx, step, counted, through); err != nil {
		return nil, s.cut(step, bounds, err)
	}
	// All pods have come to the end of the same times, and none has sent a number beyond the first one after it.
	s.settled = order.Settled + warming.next.number
	s.used = order.Used + measuring.next.number
	bounds.end = begin.Add(measuring.length())
	s.bound(step, bounds)
	if measuring.length() < length {
		// Its end was not known while replies were told apart by it: all of them are in its rate, until the last.
		step.WindowMillis, step.OverrunMicros = 0, 0
	}
	// Each trial has its own: what failed in one says nothing of the next.
	newDraining(s.workers).end(ctx, step)
	if err := s.collect(step, bounds); err != nil {
		return nil, err
	}
	step.Arrivals.WindowMillis = measuring.length().Milliseconds()
	return counted, nil
}

// watched has the workers go through a trial, which ends before its time once its answer is clear. One of several pods
// does not: no pod knows the answer then.
func (s *searchStep) watched(ctx context.Context, step *reportv1.Step, counted *tally, through phase) error {
	s.listen(counted.hear)
	defer s.listen(nil)
	var watching sync.WaitGroup
	through.settle = func(working context.Context) {
		until(counted.open.window.begin)(working)
		if !s.together() {
			watching.Go(func() { counted.watch(working) })
		}
	}
	err := s.measure(ctx, step, through)
	watching.Wait()
	return err
}

// listen has a function told of every outcome; nil is none.
func (s *searchStep) listen(heard func(*worker, outcome)) {
	for _, worker := range s.all {
		worker.heard = heard
	}
}

func (s *searchStep) limit() time.Duration {
	return time.Duration(s.planned.Search.LimitMicros) * time.Microsecond
}

// judge says what became of a trial, of which each pod measured a part, and what it has shown.
func (s *searchStep) judge(trial *reportv1.Trial, counted *tally, parts []reportv1.Step) (float64, error) {
	whole, err := s.merge(parts)
	if err != nil {
		return 0, err
	}
	s.measured = whole
	times, err := timesOf(whole)
	if err != nil {
		return 0, err
	}
	evidence := counted.evidence(counted.open.length())
	trial.Due, trial.Slow = evidence.Sum()
	trial.Millis = counted.open.length().Milliseconds()
	trial.Micros = times.Latency.ValueAtQuantile(s.percentile())
	for operation := range whole.Mix() {
		trial.Errors += operation.Errors
	}
	trial.Dropped = whole.Arrivals.Dropped
	sent := whole.Arrivals.Due - whole.Arrivals.Dropped - whole.Arrivals.Late
	trial.Achieved = int64(math.Round(float64(sent) / counted.open.length().Seconds()))
	shown := evidence.Log()
	// Unacknowledged writes are sent at any rate.
	undrained := whole.Drain != nil && (whole.Drain.Failed != "" || whole.Drain.Micros > trialDrain.Microseconds())
	if undrained || trial.Errors*trialErrorShare > whole.Arrivals.Due {
		shown = -search.Decided
	}
	trial.Kept, trial.OddsToOne = shown > 0, search.OddsToOne(shown)
	if trial.Kept {
		return shown, nil
	}
	trial.LimitedBy, trial.Because, err = s.blame(whole, parts, times)
	return shown, err
}

// percentile of the objective.
func (s *searchStep) percentile() float64 { return float64(s.planned.Search.PercentileMillis) / 1000 }

// timesOf are those of all operations of a step together.
func timesOf(step reportv1.Step) (result.Times, error) {
	sum := result.NoTimes()
	for operation := range step.Mix() {
		times, err := result.TimesOf(operation)
		if err != nil {
			return result.Times{}, err
		}
		sum.Merge(times)
	}
	return sum, nil
}

// blame says what the limit was in a trial that failed.
func (s *searchStep) blame(
	whole reportv1.Step, parts []reportv1.Step, times result.Times,
) (limitedBy, because string, err error) {
	generator, err := generatorLimit(whole, parts)
	if err != nil {
		return "", "", err
	}
	lag := reportv1.NewHistogram()
	if whole.Arrivals.Lag != "" {
		if lag, err = reportv1.DecodeHistogram(whole.Arrivals.Lag); err != nil {
			return "", "", err
		}
	}
	limitedBy, because = search.Circumstances{
		Generator:      generator,
		Threads:        whole.Threads,
		LimitMicros:    s.planned.Search.LimitMicros,
		ResponseMicros: times.Latency.ValueAtQuantile(s.percentile()),
		QueuedMicros:   lag.ValueAtQuantile(s.percentile()),
		ServiceMicros:  times.Service.ValueAtQuantile(s.percentile()),
		MedianMicros:   times.Service.ValueAtQuantile(median),
		UsualMicros:    s.usual.service.Microseconds(),
	}.LimitedBy()
	return limitedBy, because, nil
}

// median as a percentile.
const median = 50

// rated is an open loop with one rate. Its queue holds what arrives in a second, or in twice the objective if that is
// longer: what waits longer has missed the objective anyway.
func (s *searchStep) rated(bounds window, rate int64) (*openLoop, error) {
	wait := max(time.Second, 2*s.limit())
	process := s.planned.Search.Process
	if process != benchv1alpha1.ArrivalConstant && process != benchv1alpha1.ArrivalPoisson {
		return nil, errors.New("the arrivals of a search are Constant or Poisson")
	}
	return s.only().arrivalLoop(bounds, planv1.Arrival{
		Process: process, Stages: []planv1.ArrivalStage{{Seconds: 1, From: rate, To: rate}},
		MaxQueued: int64(min(max(float64(rate)*wait.Seconds(), 1), trialQueue)),
	})
}

func (s *searchStep) done() advance {
	completed, _ := s.progress()
	return advance{count: completed, warmingUp: !s.warm.Load(), percent: int(s.percent.Load())}
}
