package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/admit"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/quota"
)

// A run that had begun starts over when it is suspended, or when something was taken away from it and its retryLimit
// allows another attempt:
//
//	cause ──▶ the attempt is in the status, which is that of a run before its turn but for the place that it holds
//	      ──▶ everything that the attempt made is removed ──▶ the place is free, and the run gets in line again
//
// The status comes first, so that nobody takes what is missing for lost. No report was stored: only a run that ends
// stores one.

const (
	// nodeGrace is how long a load pod that failed by itself may wait for a better cause in a run that may start over.
	// A node that died makes load pods fail at once, and is found silent by Kubernetes after 40 to 50 seconds.
	nodeGrace = 60 * time.Second
	// removalTime is how long what an attempt made may take to go away. Pods on a node that is gone stay until
	// Kubernetes forgets the node, which takes minutes.
	removalTime = 10 * time.Minute
	// maxAttemptMessage bounds what the status says of an attempt.
	maxAttemptMessage = 256
)

// attempts are those of a run: the present one, and those that were given up.
type attempts struct{ *state }

func (s *state) attempts() attempts { return attempts{s} }

// grace is how long a cause may wait for a better one.
func (s attempts) grace(cause *failure) time.Duration {
	if (cause.reason == loadRole.failed || cause.reason == gatewayRole.failed) && s.left() > 0 {
		return nodeGrace
	}
	return causeGrace
}

// retries says whether a run starts over for a cause instead of failing.
func (s attempts) retries(cause *failure) bool {
	return slices.Contains(benchv1alpha1.RetriedReasons, cause.reason) && s.left() > 0
}

// left is how often the run may start over by itself.
func (s attempts) left() int {
	left := int(*s.normal().RetryLimit)
	for _, attempt := range s.Run.Status.Attempts {
		if attempt.Reason != benchv1alpha1.ReasonSuspended {
			left--
		}
	}
	return left
}

// startingOver decides on a run that had begun and is to stop. One that is resumed meanwhile goes that way to its end
// as well. One whose load pods are done is finished rather than thrown away.
func startingOver(s *state) *Decision {
	if !admit.Holds(s.Run) {
		return nil
	}
	var decision Decision
	switch {
	case admit.Stopping(s.Run):
		decision = s.attempts().takeDown()
	case admit.Suspended(s.Run) && s.stage.name != benchv1alpha1.StageCollecting:
		decision = s.attempts().startOver(because(benchv1alpha1.ReasonSuspended, "spec.suspend is true"))
	case s.Quota.Evicted() && s.stage.name != benchv1alpha1.StageCollecting:
		why := because(benchv1alpha1.ReasonSuspended, "Kueue takes its room back: %s", s.Quota.Why())
		decision = s.attempts().startOver(why)
	default:
		return nil
	}
	return &decision
}

// held is what Kueue keeps a run waiting for; nothing when it does not.
func held(s *state) string {
	if s.Quota.Admitted() || admit.Suspended(s.Run) {
		return ""
	}
	return s.Quota.Why()
}

// startOver gives up the present attempt.
func (s attempts) startOver(cause *failure) Decision {
	earlier := slices.DeleteFunc(slices.Clone(s.Run.Status.Attempts), func(a benchv1alpha1.AttemptStatus) bool {
		return a.Reason == benchv1alpha1.ReasonSuspended
	})
	now := metav1.NewTime(s.Now.UTC().Truncate(time.Second))
	given := benchv1alpha1.AttemptStatus{
		Reason: cause.reason, Message: condition.Cut(cause.message, maxAttemptMessage), StartTime: now, EndTime: now,
	}
	if began := stageOf(s.Run.Status.Stages, benchv1alpha1.StageProvisioning); began != nil {
		given.StartTime = metav1.NewTime(began.StartTime.Truncate(time.Second))
	}
	decision := Decision{Leave: true, Drop: cuts(&s.Observation), Datasets: datasets(s.state), Wait: pollPeriod}
	left := remaining(&s.Observation)
	s.stage = stages[0] // Queued
	decision.Status = s.running()
	decision.Status.Attempts = slices.Concat(earlier, []benchv1alpha1.AttemptStatus{given})
	s.tellRemoval(&decision.Status, given, left)
	return decision
}

// takeDown removes what the attempt made that was given up, and then lets the run get in line. What does not go away
// ends a run that starts over by itself, for it would be in its own way; one that is suspended gives its place back.
func (s attempts) takeDown() Decision {
	given := benchv1alpha1.AttemptStatus{Reason: benchv1alpha1.ReasonSuspended} // As operators before this one left it.
	if last := admit.GivenUp(s.Run); last != nil {
		given = *last
	}
	decision := Decision{Datasets: datasets(s.state), Wait: pollPeriod}
	left := remaining(&s.Observation)
	s.stage = stages[0] // Queued
	over := !given.EndTime.IsZero() && s.Now.Sub(given.EndTime.Time) >= removalTime
	switch {
	case len(left) == 0 || over && given.Reason == benchv1alpha1.ReasonSuspended:
		decision.Unplace = true
		decision.Status = s.running()
		if s.Quota.Evicted() {
			decision.Quota = quota.Vacate
		}
	case over:
		decision.Leave, decision.Unplace = true, true
		decision.Status = s.failed(because(given.Reason, "%s; the run does not start over, for after %s these were "+
			"still there: %s", given.Message, removalTime, strings.Join(left, ", ")))
	default:
		decision.Status = s.running()
		s.tellRemoval(&decision.Status, given, left)
	}
	return decision
}

// tellRemoval has the status of a run that starts over hold its place, and say what is left.
func (s attempts) tellRemoval(
	status *benchv1alpha1.BenchmarkRunStatus, given benchv1alpha1.AttemptStatus, left []string,
) {
	why := "the run was suspended and will start over"
	if given.Reason != benchv1alpha1.ReasonSuspended {
		why = fmt.Sprintf("attempt %d was given up (%s: %s) and the run starts over", len(status.Attempts), given.Reason,
			given.Message)
	}
	why += "; what it created is being removed"
	c := condition.In(&status.Conditions, s.Run.Generation, s.Now)
	c.True(benchv1alpha1.RunAdmitted, benchv1alpha1.ReasonAdmitted, condition.Short(why))
	c.True(benchv1alpha1.RunProgressing, s.stage.name, condition.Short(why+": "+strings.Join(left, ", ")))
}
