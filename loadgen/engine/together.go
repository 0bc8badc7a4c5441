package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/search"
)

// Several pods make a trial together. Pod 0 leads: it has the search, waits for the target to recover, and judges.
//
//	pod 0     order ──▶ start ──▶ settle, trial, drain ──▶ merge ──▶ judge ──▶ the next order
//	others      └─────▶ start ──▶ settle, trial, drain ──────┘ answer
//
// The start is an instant a little ahead, like that of a step. A pod that learns of it too late sends nothing and says
// so: the trial says nothing of the target then, and the next one is ordered further ahead. Every trial takes the time
// that its rate has to hold: that it could end before, all pods would have to be told while they measure.

const (
	// firstLead is how far ahead the first trial is ordered, and lastLead how far one is at most.
	firstLead = time.Second
	lastLead  = 10 * time.Second
	// answering is how long the other pods are waited for once this one has ended its part of a trial: their last
	// operations may take as long as any, and what they tell has to be written and read.
	answering = 2 * time.Minute
	// between two orders lie what is left of pod 0's part, the answers of the others, the recovery of the target, and what
	// is told meanwhile.
	between = 3*answering + recoveryLimit + longestProbe + time.Minute
	// parting is how long a pod that ends tries to say so.
	parting = 5 * time.Second
	// answersAtATime bounds how many pods are listened to at a time.
	answersAtATime = 16
)

// together says whether several pods make the trials.
func (s *searchStep) together() bool { return s.only().senders > 1 }

// patience is a time that lasts longer where pods wait for unacknowledged writes.
func (s *searchStep) patience(usual time.Duration) time.Duration {
	if newDraining(s.workers) != nil {
		usual += operation.DrainGrace
	}
	return usual
}

// tryTogether makes a trial with the other pods.
func (s *searchStep) tryTogether(
	ctx context.Context, step *reportv1.Step, trial *reportv1.Trial, order reportv1.TrialOrder,
) (float64, error) {
	order.Start = time.Now().Add(s.lead)
	if err := s.pod.Trials.Order(ctx, order); err != nil {
		return 0, fmt.Errorf("telling the other load pods: %w", err)
	}
	own, counted, err := s.take(ctx, step, order)
	if err != nil {
		return 0, err
	}
	answers, err := s.answers(ctx, order)
	if err != nil {
		return 0, err
	}
	answers = slices.Insert(answers, 0, own)
	trial.Millis = s.length(order.Confirmation).Milliseconds()
	for pod, answer := range answers {
		if answer.LateMicros > 0 {
			s.lead = min(2*s.lead, lastLead)
			trial.LimitedBy, trial.OddsToOne = reportv1.LimitedByGenerator, search.OddsToOne(0)
			trial.Because = fmt.Sprintf("load pod %d learnt of the trial %s after its start", pod,
				(time.Duration(answer.LateMicros) * time.Microsecond).Round(time.Millisecond))
			return 0, nil
		}
	}
	parts := make([]reportv1.Step, 0, len(answers))
	for pod, answer := range answers {
		if answer.Measured == nil || answer.Measured.Arrivals == nil || pod > 0 && !counted.add(answer.InTime) {
			return 0, fmt.Errorf("load pod %d did not tell what it measured", pod)
		}
		parts = append(parts, *answer.Measured)
	}
	return s.judge(trial, counted, parts)
}

// take makes this pod's part of a trial, and says what became of it. The tally is nil if it is too late.
func (s *searchStep) take(
	ctx context.Context, step *reportv1.Step, order reportv1.TrialOrder,
) (reportv1.TrialAnswer, *tally, error) {
	answer := reportv1.TrialAnswer{Step: order.Step, Number: order.Number}
	now := time.Now()
	if late := now.Sub(order.Start); late >= 0 {
		answer.LateMicros = max(1, late.Microseconds())
		// What is left of an earlier trial is not added to what the others measure in this one.
		step.Operations, step.Arrivals, step.Drain = nil, nil, nil
		return answer, nil, nil
	}
	// From here on by the clock that nobody sets.
	order.Start = now.Add(order.Start.Sub(now))
	counted, err := s.perform(ctx, step, order)
	if err != nil {
		return answer, nil, err
	}
	for place := range counted.inTime {
		answer.InTime = append(answer.InTime, counted.inTime[place].Load())
	}
	answer.Measured = new(withoutIntervals(*step))
	return answer, counted, nil
}

// withoutIntervals is a step without what no trial is judged by.
func withoutIntervals(step reportv1.Step) reportv1.Step {
	step.Operations = slices.Clone(step.Operations)
	for i := range step.Operations {
		one := &step.Operations[i]
		one.Intervals, one.IntervalErrors, one.IntervalTimes = nil, nil, nil
	}
	step.Search, step.Pings, step.Steady = nil, nil, nil
	return step
}

// answers are what the other pods say of a trial, in their order.
func (s *searchStep) answers(ctx context.Context, order reportv1.TrialOrder) ([]reportv1.TrialAnswer, error) {
	answers := make([]reportv1.TrialAnswer, s.only().senders-1)
	group, listening := errgroup.WithContext(ctx)
	group.SetLimit(answersAtATime)
	patience := s.patience(answering)
	for i := range answers {
		pod := i + 1
		group.Go(func() error {
			patient, cancel := context.WithTimeoutCause(listening, patience,
				fmt.Errorf("it did not say what became of trial %d within %s", order.Number, patience))
			defer cancel()
			answer, err := s.pod.Trials.Answered(patient, pod, order)
			if err == nil && answer.Failed != "" {
				err = errors.New(answer.Failed)
			}
			if err != nil {
				return fmt.Errorf("load pod %d: %w", pod, err)
			}
			answers[i] = answer
			return nil
		})
	}
	return answers, group.Wait()
}

// interrupted says whether this pod is taken away. It says nothing to the others then: they would fail for it by
// themselves, and hide from the operator, which ends them, why the run fails.
func interrupted(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTaken)
}

// dismiss tells the other pods that there is no other trial, and why if that is no good reason.
func (s *searchStep) dismiss(ctx context.Context, err error) error {
	over := reportv1.TrialOrder{Step: s.index, Number: s.tried + 1, Percent: 100, Over: true}
	if err != nil {
		over.Failed = measure.Brief(err)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), parting)
		defer cancel()
	}
	if told := s.pod.Trials.Order(ctx, over); told != nil {
		return fmt.Errorf("telling the other load pods that the search is over: %w", told)
	}
	return nil
}

// follow goes through the trials that pod 0 orders, and leaves in the step what was measured in the last one.
func (s *searchStep) follow(ctx context.Context, step *reportv1.Step) error {
	if len(s.all) == 0 {
		return nil
	}
	for {
		order, err := s.next(ctx)
		if err != nil {
			return err
		}
		s.tried = order.Number
		s.percent.Store(max(s.percent.Load(), int64(min(max(order.Percent, 0), 100))))
		answer := reportv1.TrialAnswer{Step: order.Step, Number: order.Number}
		switch {
		case order.Failed != "":
			return fmt.Errorf("load pod 0 gave the search up: %s", order.Failed)
		case order.Over:
			// Nothing of a trial is left beside the report.
			return s.pod.Trials.Answer(ctx, answer)
		}
		if answer, _, err = s.take(ctx, step, order); err != nil {
			err = fmt.Errorf("trying %d operations/s: %w", order.Rate, err)
			s.giveUp(ctx, order, err)
			return err
		}
		if err := s.pod.Trials.Answer(ctx, answer); err != nil {
			return fmt.Errorf("telling load pod 0 what became of trial %d: %w", order.Number, err)
		}
	}
}

// next waits for the next order.
func (s *searchStep) next(ctx context.Context) (reportv1.TrialOrder, error) {
	patience := s.patience(between)
	patient, cancel := context.WithTimeoutCause(ctx, patience,
		fmt.Errorf("load pod 0 did not say within %s what comes after trial %d", patience, s.tried))
	defer cancel()
	order, err := s.pod.Trials.Next(patient, s.index, s.tried)
	if err != nil {
		return order, fmt.Errorf("waiting for the next trial: %w", err)
	}
	if !order.Over && (order.Rate < s.planned.Search.Lowest || order.Rate > s.planned.Search.Highest) {
		return order, fmt.Errorf("load pod 0 ordered %d operations/s, which the plan does not allow", order.Rate)
	}
	return order, nil
}

// giveUp tells pod 0 why this pod fails.
func (s *searchStep) giveUp(ctx context.Context, order reportv1.TrialOrder, err error) {
	if interrupted(ctx) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
	defer cancel()
	answer := reportv1.TrialAnswer{Step: order.Step, Number: order.Number, Failed: measure.Brief(err)}
	if told := s.pod.Trials.Answer(ctx, answer); told != nil {
		s.pod.Log.Warn("Load pod 0 could not be told that this one ends", "error", told)
	}
}

// merge is what all pods measured in a trial, percentiles by merged histograms.
func (s *searchStep) merge(parts []reportv1.Step) (reportv1.Step, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	reports := make([]reportv1.Report, 0, len(parts))
	for _, part := range parts {
		reports = append(reports, reportv1.Report{Version: reportv1.Version, Steps: []reportv1.Step{part}})
	}
	merged, err := result.Merge(reports)
	if err != nil {
		return reportv1.Step{}, fmt.Errorf("merging what the load pods measured: %w", err)
	}
	return merged.Steps[0], nil
}

// generatorLimit says why the load generator may have been the limit in a trial: that of one pod is enough.
func generatorLimit(whole reportv1.Step, parts []reportv1.Step) (string, error) {
	if len(parts) > 1 {
		for pod, part := range parts {
			why, err := result.GeneratorLimit(part)
			if err != nil {
				return "", fmt.Errorf("load pod %d: %w", pod, err)
			}
			if why != "" {
				return fmt.Sprintf("load pod %d: %s", pod, why), nil
			}
		}
	}
	return result.GeneratorLimit(whole)
}
