package result

import (
	"fmt"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// maxStartSkew is how far from the published instant, and from one another, pods may begin. At the shortest step, one
// second, it leaves 95 % of the window to all pods together.
const maxStartSkew = 50 * time.Millisecond

// startSkew doubts a step that pods began apart: by one server's clock, which all of them compared theirs with, or late
// by a pod's own clock.
func startSkew(step judged) doubtful {
	own := micros(magnitude(step.StartSkewMicros))
	clock, apart := apart(step.Step)
	switch {
	case apart > maxStartSkew && apart >= own:
		return doubtful{int64(apart), fmt.Sprintf("step %q: load pods began it %s apart by the clock of %s (±%s), and %s "+
			"are allowed; their own clocks differ by %s: synchronise the nodes' clocks, and see whether their CPUs are free",
			step.Name, apart.Round(time.Millisecond), clock.Member, micros(clock.Clock.UncertaintyMicros), maxStartSkew,
			micros(clock.Clock.SpreadMicros()))}
	case own > maxStartSkew:
		return doubtful{int64(own), fmt.Sprintf("step %q: a load pod began %s from the agreed instant, and %s are allowed; "+
			"see whether the nodes' clocks agree and their CPUs are free", step.Name, own.Round(time.Millisecond), maxStartSkew)}
	default:
		return doubtful{}
	}
}

// clockStepped doubts a step in which the clock of a load pod's machine was set. What was timed is right all the same,
// for it is timed by the monotonic clock; what several pods did is no more known to have been at the same time.
func clockStepped(step judged) doubtful {
	by := micros(step.ClockStepMicros)
	if by == 0 {
		return doubtful{}
	}
	way := "forward"
	if by < 0 {
		way = "back"
	}
	return doubtful{magnitude(step.ClockStepMicros), fmt.Sprintf("step %q: while it went on, the wall clock of a load pod's "+
		"machine was set %s by %s; what was timed is not by that clock and is right, but instants before and after, the "+
		"windows of several pods, and what the servers did meanwhile may be that far apart: see what sets the clock (a time "+
		"service that has lost its source, a virtual machine that was stopped), and repeat the run", step.Name, way,
		by.Abs().Round(time.Millisecond))}
}

// apart is how far apart the pods of a step began by the clock that tells it most exactly, of those that most pods
// asked.
func apart(step reportv1.Step) (by reportv1.Ping, apart time.Duration) {
	for _, ping := range step.Pings {
		if ping.Clock == nil || ping.Pods < by.Pods ||
			ping.Pods == by.Pods && ping.Clock.UncertaintyMicros >= by.Clock.UncertaintyMicros {
			continue
		}
		by = ping
	}
	if by.Clock == nil {
		return by, 0
	}
	return by, by.Clock.LastStart.Sub(by.Clock.FirstStart)
}

func micros(count int64) time.Duration { return time.Duration(count) * time.Microsecond }
