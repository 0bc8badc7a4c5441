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
type searchStep struct {
	*workers
	search *search.Search
	// used counts the operations of the trials, and settled those before them, so that no two have the same number.
	used, settled int64
	// tried counts the trials.
	tried int
	// usual is what a probe saw of the target before the first trial, or later when it was faster.
	usual   probe
	percent atomic.Int64
	warm    atomic.Bool
}

func newSearchStep(p *pod, index int) (*searchStep, error) {
	s := &searchStep{workers: newWorkers(p, index)}
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
	return measure.NothingSucceeded(step.Operations)
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
	err = s.work(ctx, until(bounds.end), preparing, nil)
	s.settled += preparing.next.number
	return err
}

// try measures one rate, and leaves what was measured in the step. It returns what the trial has shown.
func (s *searchStep) try(ctx context.Context, step *reportv1.Step, trial *reportv1.Trial) (float64, error) {
	length := s.planned.Search.LongestTrial()
	if trial.Confirmation {
		length = confirmation(s.planned)
	}
	s.tried++
	start := time.Now()
	begin := start.Add(settling)
	// Each trial has random gaps of its own: what one schedule has by chance is not in the next.
	label := fmt.Sprintf("trial %d", s.tried)
	warming, err := s.rated(
		window{base: workload.FirstWarmupNumber + s.settled, begin: start, end: begin, label: label}, trial.Rate)
	if err != nil {
		return 0, err
	}
	defer warming.close()
	bounds := window{base: s.used, begin: begin, end: begin.Add(length), label: label}
	measuring, err := s.rated(bounds, trial.Rate)
	if err != nil {
		return 0, err
	}
	defer measuring.close()
	measuring.drain = max(trialDrain, s.limit())
	s.record(measuring, begin, length)
	counted := newTally(*s.planned.Search, measuring, length, trial.Confirmation)
	if err := s.watched(ctx, step, counted, warming, measuring); err != nil {
		return 0, s.cut(step, bounds, err)
	}
	s.settled += warming.next.number
	s.used += measuring.next.number
	bounds.end = begin.Add(measuring.length())
	s.bound(step, bounds)
	if measuring.length() < length {
		// Its end was not known while replies were told apart by it: all of them are in its rate, until the last.
		step.WindowMillis, step.OverrunMicros = 0, 0
	}
	// Each trial has its own: what failed in one says nothing of the next.
	newDraining(s.workers).end(ctx, step)
	if err := s.collect(step); err != nil {
		return 0, err
	}
	step.Arrivals.WindowMillis = measuring.length().Milliseconds()
	return s.judge(step, trial, counted)
}

// watched has the workers go through a trial, which ends before its time once its answer is clear.
func (s *searchStep) watched(ctx context.Context, step *reportv1.Step, counted *tally, warming, measuring loop) error {
	s.listen(counted.hear)
	defer s.listen(nil)
	var watching sync.WaitGroup
	err := s.measure(ctx, step, func(working context.Context) {
		until(counted.open.window.begin)(working)
		watching.Go(func() { counted.watch(working) })
	}, warming, measuring)
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

// judge says what became of a trial, and what it has shown.
func (s *searchStep) judge(step *reportv1.Step, trial *reportv1.Trial, counted *tally) (float64, error) {
	evidence := counted.evidence(counted.open.length())
	trial.Due, trial.Slow = evidence.Sum()
	trial.Millis = counted.open.length().Milliseconds()
	trial.Micros = s.recording.Percentile(s.planned.Search.PercentileMillis)
	for _, operation := range step.Operations {
		trial.Errors += operation.Errors
	}
	trial.Dropped = step.Arrivals.Dropped
	sent := step.Arrivals.Due - step.Arrivals.Dropped - step.Arrivals.Late
	trial.Achieved = int64(math.Round(float64(sent) / counted.open.length().Seconds()))
	shown := evidence.Log()
	// Unacknowledged writes are sent at any rate.
	undrained := step.Drain != nil && (step.Drain.Failed != "" || step.Drain.Micros > trialDrain.Microseconds())
	if undrained || trial.Errors*trialErrorShare > step.Arrivals.Due {
		shown = -search.Decided
	}
	trial.Kept, trial.OddsToOne = shown > 0, search.OddsToOne(shown)
	if trial.Kept {
		return shown, nil
	}
	var err error
	trial.LimitedBy, trial.Because, err = s.blame(step)
	return shown, err
}

// blame says what the limit was in a trial that failed.
func (s *searchStep) blame(step *reportv1.Step) (limitedBy, because string, err error) {
	generator, err := result.GeneratorLimit(*step)
	if err != nil {
		return "", "", err
	}
	service := result.NoTimes()
	for _, operation := range step.Operations {
		times, err := result.TimesOf(operation)
		if err != nil {
			return "", "", err
		}
		service.Merge(times)
	}
	lag, err := reportv1.DecodeHistogram(step.Arrivals.Lag)
	if step.Arrivals.Lag == "" {
		lag, err = reportv1.NewHistogram(), nil
	}
	percentile := float64(s.planned.Search.PercentileMillis) / 1000
	limitedBy, because = search.Circumstances{
		Generator:      generator,
		Threads:        len(s.all),
		LimitMicros:    s.planned.Search.LimitMicros,
		ResponseMicros: service.Latency.ValueAtQuantile(percentile),
		QueuedMicros:   lag.ValueAtQuantile(percentile),
		ServiceMicros:  service.Service.ValueAtQuantile(percentile),
		MedianMicros:   service.Service.ValueAtQuantile(median),
		UsualMicros:    s.usual.service.Microseconds(),
	}.LimitedBy()
	return limitedBy, because, err
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
	return s.arrivalLoop(bounds, planv1.Arrival{
		Process: process, Stages: []planv1.ArrivalStage{{Seconds: 1, From: rate, To: rate}},
		MaxQueued: int64(min(max(float64(rate)*wait.Seconds(), 1), trialQueue)),
	})
}

func (s *searchStep) done() advance {
	completed, _ := s.progress()
	return advance{count: completed, warmingUp: !s.warm.Load(), percent: int(s.percent.Load())}
}
