package result

import (
	"fmt"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// unsettling are the actions after which a replica set may elect, or a member be away.
var unsettling = []string{
	string(benchv1alpha1.ActionStepDown), string(benchv1alpha1.ActionFreeze), string(benchv1alpha1.ActionDeletePod),
	string(benchv1alpha1.ActionPartition),
}

// The states of a member that serves: of a primary and of a secondary, as replSetGetStatus numbers them.
const (
	primaryState   = 1
	secondaryState = 2
)

// election doubts a step in which a replica set elected or lost a member, until an action asked for it. It is known of
// servers that are observed alone, to about a second: an election in the second before the window is in the window, too.
func election(step judged) doubtful {
	from, until, asked := step.MeasureStart, step.WindowEnd(), false
	if step.Search != nil { // Every trial counts.
		from = step.Start
	}
	for _, action := range step.Actions {
		at := step.MeasureStart.Add(time.Duration(action.AtMillis) * time.Millisecond)
		if action.Error == "" && slices.Contains(unsettling, action.Type) && at.Before(until) {
			until, asked = at, true
		}
	}
	watched := elections{from: step.ByMember(from), until: step.ByMember(until), asked: asked}
	held, who := watched.held(step.members)
	const advice = "which no action of the step asked for; requests fail or wait meanwhile, and caches of the new primary " +
		"are others: see in the servers' logs why, and repeat the run"
	switch {
	case held > 0:
		return doubtful{held + 1, fmt.Sprintf("step %q: a replica set held %s while it was measured%s, %s", step.Name,
			present.Plural(held, "election"), who, advice)}
	default:
		if lost := watched.lost(step.members); lost != "" {
			return doubtful{1, fmt.Sprintf("step %q: while it was measured %s, %s", step.Name, lost, advice)}
		}
		return doubtful{}
	}
}

// elections are looked for in the samples between two instants of the members' clock, and from the last one before.
type elections struct {
	from, until time.Time
	// asked says that until is when an action was asked for: an answer may take as long as an interval, and then tells
	// of what came after.
	asked bool
}

// samples of a series that are known.
func (e elections) samples(member reportv1.Member, name string) []int64 {
	first, last := Slots(member, e.from, e.until)
	if e.asked {
		last--
	}
	if last <= 0 {
		return nil
	}
	return known(values(member, name, first-2, last))
}

// held is how many elections there were: each raises the term of its set. Who became primary is said where it was seen.
func (e elections) held(members []reportv1.Member) (count int64, who string) {
	for _, member := range members {
		if terms := e.samples(member, reportv1.SeriesReplicationTerm); len(terms) > 0 {
			count = max(count, slices.Max(terms)-terms[0])
		}
		states := e.samples(member, reportv1.SeriesReplicationState)
		if len(states) > 0 && states[0] != primaryState && states[len(states)-1] == primaryState {
			count, who = max(count, 1), ", and made "+member.Name+" the primary"
		}
	}
	return count, who
}

// lost says which member went away, if one did.
func (e elections) lost(members []reportv1.Member) string {
	for _, member := range members {
		away := e.samples(member, reportv1.SeriesUnreachable)
		if len(away) > 0 && slices.Max(away) > away[0] {
			return fmt.Sprintf("server %s lost sight of %s of its replica set", member.Name,
				present.Plural(slices.Max(away)-away[0], "member"))
		}
		states := e.samples(member, reportv1.SeriesReplicationState)
		out := func(state int64) bool { return state != primaryState && state != secondaryState }
		if len(states) > 0 && !out(states[0]) && slices.ContainsFunc(states, out) {
			return fmt.Sprintf("server %s was neither primary nor secondary for a time", member.Name)
		}
	}
	return ""
}

// serverThrottled doubts a step in which a CPU limit cut into the bursts of a server.
func serverThrottled(step judged) doubtful {
	var worst doubtful
	for _, member := range step.members {
		limit, told := limitOf(step.server, member, step.Step)
		if !told || !cutsBursts(limit, step.Step) || int64(limit.Percent) <= worst.severity {
			continue
		}
		worst = doubtful{int64(limit.Percent), fmt.Sprintf("%s, although it used %d %% of it on the whole: bursts were cut, "+
			"and the highest percentiles are waits for the next period of 100 ms; raise the CPU limit of the target, so that "+
			"it holds what several threads use at once", limit.stopped(), limit.Used)}
	}
	return worst
}

// cutsBursts says whether a limit stopped a server that did not need all of it. A load that changes by plan may go to
// the limit for a part of its time on purpose.
func cutsBursts(limit CPULimit, step reportv1.Step) bool {
	changes := step.Steady == nil && tooLittle(step) == ""
	return limit.Percent >= limitedPercent && limit.Used != unknown && limit.Used < busyPercent && !changes
}

// doubted says whether a limit is a reason for doubt, and so no remark.
func doubted(report reportv1.Report, limit CPULimit) bool {
	return slices.ContainsFunc(report.Steps, func(step reportv1.Step) bool {
		return step.Name == limit.Step && cutsBursts(limit, step)
	})
}
