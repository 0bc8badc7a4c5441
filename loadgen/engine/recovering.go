package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
)

const (
	// recoveryLimit is how long a target is waited for after a trial that failed.
	recoveryLimit = 30 * time.Second
	// A probe sends one operation for each probeShare that the target is known to carry, and never more than
	// highestProbe a second. It lasts for shortestProbe, or until it has sent probeOperations, but not for longestProbe.
	probeShare                  = 10
	highestProbe                = 50
	probeOperations             = 10
	shortestProbe, longestProbe = time.Second, 10 * time.Second
	// recoveredFactor is how many times slower than usual a target that has recovered may be.
	recoveredFactor = 2
)

// probe is what a low rate saw of the target.
type probe struct {
	// service is the median of the service times, and slowest the longest response time but for one in ten.
	service, slowest time.Duration
}

// recover waits until the target has recovered from the last trial, if that was too much for it. Nothing of the load
// generator's is left by then: every operation was answered, or given up. What is left is in the servers, and they show
// it: by their counters, and by how long they take for a rate that is far below what they can do.
func (s *searchStep) recover(ctx context.Context, trial *reportv1.Trial) error {
	began := time.Now()
	switch {
	case s.tried == 0:
		var err error
		s.usual, err = s.probe(ctx)
		return err
	case s.search.LastKept():
		return nil
	}
	for {
		found, err := s.probe(ctx)
		if err != nil {
			return err
		}
		if trial.Unsettled = s.unsettled(found); trial.Unsettled == "" {
			s.usual.service = min(s.usual.service, found.service)
			s.usual.slowest = min(s.usual.slowest, found.slowest)
		}
		trial.RecoveryMillis = time.Since(began).Milliseconds()
		if trial.Unsettled == "" || time.Since(began) >= recoveryLimit {
			return nil
		}
	}
}

// unsettled says why the target has not recovered; empty when it has.
func (s *searchStep) unsettled(found probe) string {
	if pressed, able := s.pod.Observer.(loadgen.Pressed); able {
		if why := pressed.Pressed(); why != "" {
			return why
		}
	}
	switch {
	case found.service > recoveredFactor*s.usual.service:
		return fmt.Sprintf("half of its probes take %s and more, and %s before the search",
			found.service.Round(time.Microsecond), s.usual.service.Round(time.Microsecond))
	case found.slowest > max(s.limit(), recoveredFactor*s.usual.slowest):
		return fmt.Sprintf("one in ten of its probes takes longer than %s", found.slowest.Round(time.Microsecond))
	}
	return ""
}

// probe sends few operations for a short time.
func (s *searchStep) probe(ctx context.Context) (probe, error) {
	rate := min(max(s.planned.Search.Lowest, s.search.HighestKept()/probeShare), highestProbe)
	length := time.Duration(probeOperations) * time.Second / time.Duration(rate)
	length = min(max(length, shortestProbe), longestProbe)
	var mutex sync.Mutex
	var service, response []time.Duration
	s.listen(func(_ *worker, result outcome) {
		mutex.Lock()
		defer mutex.Unlock()
		service = append(service, result.replied.Sub(result.sent))
		response = append(response, result.replied.Sub(result.due))
	})
	defer s.listen(nil)
	begin := time.Now()
	label := fmt.Sprintf("probe after trial %d", s.tried)
	bounds := window{begin: begin, end: begin.Add(length), label: label, alone: true}
	err := s.prepare(ctx, bounds, rate)
	if err != nil || len(service) == 0 {
		return probe{}, err
	}
	slices.Sort(service)
	slices.Sort(response)
	return probe{service: service[len(service)/2], slowest: response[len(response)*9/10]}, nil
}
