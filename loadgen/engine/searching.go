package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/search"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const (
	// settling is how long a trial's rate is kept up before it is counted.
	settling = time.Second
	// trialDrain is how long a trial's queue is drained: a trial that needs longer has failed.
	trialDrain = time.Second
	// trialQueue is the most that a trial may have queued, so that no rate takes much memory.
	trialQueue = 1 << 20
)

// searchStep looks for the highest rate that keeps an objective. Every trial is an open loop of its own.
type searchStep struct {
	*workers
	search *search.Search
	// used counts the operations of the trials, and settled those before them, so that no two have the same number.
	used, settled int64
	percent       atomic.Int64
	warm          atomic.Bool
}

func newSearchStep(p *pod, index int) (*searchStep, error) {
	s := &searchStep{workers: newWorkers(p, index)}
	var err error
	s.search, err = search.New(*s.planned.Search)
	return s, err
}

func (s *searchStep) run(ctx context.Context, step *reportv1.Step) error {
	warmup := time.Duration(s.planned.WarmupSeconds) * time.Second
	tuned := newTuning(s.workers, step.Start.Add(warmup))
	defer tuned.restore()
	if err := s.warmUp(ctx, step.Start, warmup, tuned); err != nil {
		return err
	}
	s.warm.Store(true)
	for {
		rate, confirmation, more := s.search.Next()
		if !more {
			break
		}
		seconds := s.planned.Search.TrialSeconds
		if confirmation {
			seconds = max(s.planned.DurationSeconds, 1)
		}
		trial := reportv1.Trial{Rate: rate, Confirmation: confirmation}
		if err := s.try(ctx, step, &trial, time.Duration(seconds)*time.Second); err != nil {
			return fmt.Errorf("trying %d operations/s: %w", rate, err)
		}
		s.search.Add(trial)
		s.percent.Store(int64(s.search.Done()))
	}
	result := s.search.Result()
	step.Search = &result
	return measure.NothingSucceeded(step.Operations)
}

// warmUp sends the lowest rate.
func (s *searchStep) warmUp(ctx context.Context, start time.Time, length time.Duration, tuned *tuning) error {
	if length == 0 {
		return nil
	}
	bounds := window{base: workload.FirstWarmupNumber, begin: start, end: start.Add(length)}
	warming, err := s.constant(bounds, s.planned.Search.Lowest)
	if err != nil {
		return err
	}
	defer warming.close()
	err = s.work(ctx, tuned.choose, warming, nil)
	s.settled += warming.next.number
	return err
}

// try measures one rate, and leaves what was measured in the step.
func (s *searchStep) try(
	ctx context.Context, step *reportv1.Step, trial *reportv1.Trial, length time.Duration,
) error {
	start := time.Now()
	begin := start.Add(settling)
	warming, err := s.constant(window{base: workload.FirstWarmupNumber + s.settled, begin: start, end: begin}, trial.Rate)
	if err != nil {
		return err
	}
	defer warming.close()
	bounds := window{base: s.used, begin: begin, end: begin.Add(length)}
	measuring, err := s.constant(bounds, trial.Rate)
	if err != nil {
		return err
	}
	defer measuring.close()
	measuring.drain = trialDrain
	s.record(measuring, length)
	settle := func(working context.Context) { _ = alarm.Timer{}.Until(working, begin) }
	if err := s.measure(ctx, step, settle, warming, measuring); err != nil {
		return err
	}
	step.MeasureStart, step.End = begin, s.lastReply(bounds)
	// Each trial has its own: what failed in one says nothing of the next.
	newDraining(s.workers).end(ctx, step)
	s.settled += warming.next.number
	s.used += measuring.next.number
	return s.judge(step, trial)
}

// judge says what became of a trial.
func (s *searchStep) judge(step *reportv1.Step, trial *reportv1.Trial) error {
	if err := s.collect(step); err != nil {
		return err
	}
	trial.Micros = s.recording.Percentile(s.planned.Search.PercentileMillis)
	var succeeded int64
	for _, operation := range step.Operations {
		succeeded += operation.Count
		trial.Errors += operation.Errors
	}
	trial.Dropped = s.arrivals.dropped.Load()
	sent := step.Arrivals.Due - step.Arrivals.Dropped - step.Arrivals.Late
	trial.Achieved = sent * 1000 / step.Arrivals.WindowMillis
	s.search.Judge(trial, succeeded)
	// Unacknowledged writes are sent at any rate.
	trial.Kept = trial.Kept && (step.Drain == nil ||
		step.Drain.Failed == "" && step.Drain.Micros <= trialDrain.Microseconds())
	return nil
}

// constant is an open loop with one rate. Its queue holds what arrives in a second, or in twice the objective if that
// is longer: what waits longer has missed the objective anyway.
func (s *searchStep) constant(bounds window, rate int64) (*openLoop, error) {
	wait := max(time.Second, 2*time.Duration(s.planned.Search.LimitMicros)*time.Microsecond)
	return s.arrivalLoop(bounds, planv1.Arrival{
		Process: benchv1alpha1.ArrivalConstant, Stages: []planv1.ArrivalStage{{Seconds: 1, From: rate, To: rate}},
		MaxQueued: int64(min(max(float64(rate)*wait.Seconds(), 1), trialQueue)),
	})
}

func (s *searchStep) done() advance {
	completed, _ := s.progress()
	return advance{count: completed, warmingUp: !s.warm.Load(), percent: int(s.percent.Load())}
}
