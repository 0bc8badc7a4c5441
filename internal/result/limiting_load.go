package result

import (
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// keptSchedule is that an open loop sent what was due: then its throughput is what was asked for, however busy anything
// is. A search ends at its maximum in the same way.
func keptSchedule(e evidence) sighting {
	if e.Search != nil {
		if e.Search.LimitedBy != reportv1.LimitedByMaximum {
			return sighting{}
		}
		return sighting{reportv1.CertaintyLikely, present.Count(e.Search.Found) +
			"/s kept the objective, and no higher rate was to be tried"}
	}
	for _, part := range e.parts {
		if !sentAll(part) {
			return sighting{}
		}
	}
	if len(e.parts) > 0 {
		return sighting{reportv1.CertaintyLikely, fmt.Sprintf("each group sent what was due; threads were with operations "+
			"for %d %% of their time%s", e.engaged, e.cpuText())}
	}
	if !sentAll(e.judged) {
		return sighting{}
	}
	arrivals := e.summary.Arrivals
	return sighting{reportv1.CertaintyLikely, fmt.Sprintf("%s/s were due and %s/s were sent; threads were with "+
		"operations for %d %% of their time%s", present.Count(arrivals.RequestedPerSecond),
		present.Count(arrivals.AchievedPerSecond), e.engaged, e.cpuText())}
}

// sentAll says whether an open loop sent what was due.
func sentAll(step judged) bool {
	arrivals := step.summary.Arrivals
	return arrivals != nil && arrivals.Due > 0 && arrivals.Dropped == 0 && arrivals.Skipped == 0 &&
		!missedByMuch(step)
}

// missedByMuch says that more operations were sent after the end than are under way when a window ends.
func missedByMuch(step judged) bool {
	arrivals := step.summary.Arrivals
	return arrivals.Late > int64(step.Threads) && arrivals.Late > arrivals.Due/maxShortfall
}

// busyGenerator is the load generator itself, as the doubts see it.
func busyGenerator(e evidence) sighting {
	if e.Search != nil && e.Search.LimitedBy == reportv1.LimitedByGenerator {
		return sighting{reportv1.CertaintyLikely, "the load generator was late itself at higher rates"}
	}
	generator := e.Generator
	if saturation(e.judged).severity > 0 {
		return sighting{reportv1.CertaintyLikely, fmt.Sprintf("a load pod used up to %d %% of its CPU, and its limit kept "+
			"it from running for %s", max(generator.BusiestPodPercent, generator.BusiestSecondPercent),
			present.Micros(generator.ThrottledMicros))}
	}
	if e.late == nil {
		return sighting{}
	}
	// Every reply waits for the load generator as for anything else.
	late, service := e.delay.reply.Mean(), e.service().MeanMicros
	return sighting{
		graded(e.share(late/float64(max(service, 1))), possibleShare, likelyShare),
		fmt.Sprintf("the load generator's own delay is %s on average, of a mean service time of %s",
			present.Micros(int64(late)), present.Micros(service)),
	}
}

// scarceThreads is that operations of an open loop waited for a thread, while none of them took long.
func scarceThreads(e evidence) sighting {
	if e.Search != nil && e.Search.LimitedBy == reportv1.LimitedByThreads {
		return sighting{reportv1.CertaintyLikely, fmt.Sprintf("no one of %d threads was free at higher rates, while the "+
			"target was not busy", e.Threads)}
	}
	parts := e.parts
	if len(parts) == 0 {
		parts = []judged{e.judged}
	}
	for _, part := range parts {
		if tooFewThreads(part).severity > 0 {
			return sighting{reportv1.CertaintyLikely, fmt.Sprintf("no thread was free for %.0f %% of the operations that were "+
				"due, which then waited up to %s (p99) for one of %d", part.queued*hundred,
				present.Micros(part.summary.Arrivals.Lag.P99Micros), part.Threads)}
		}
	}
	return sighting{}
}

// The shares of the operations that a shard has, in percent of what it had if they were spread evenly, from which on
// it is told: with a quarter more the others have nothing to do for a fifth of the time, with half more for a third.
const (
	warmShard = 125
	hotterBy  = 150
)

// engagedPercent is how much of their time threads are with operations when they do not wait for anything else.
const engagedPercent = 90

// hotShard is that one of several servers which take operations had far more of them. It limits a load that would send
// more if it could.
func hotShard(e evidence) sighting {
	var total, most float64
	hottest, servers := "", e.primaries()
	for _, member := range servers {
		rate, _ := e.mean(member, "operations.all")
		if total += rate; rate > most {
			most, hottest = rate, member.Name
		}
	}
	if len(servers) < 2 || total == 0 || e.engaged < engagedPercent {
		return sighting{}
	}
	even := total / float64(len(servers))
	return sighting{graded(most*hundred/even, warmShard, hotterBy), fmt.Sprintf("server %s had %.0f %% of the operations "+
		"(%s/s) of %d shards", hottest, most*hundred/total, present.Count(int64(most)), len(servers))}
}

// nothingSeen is that no cause was. That more threads would bring more is then likely, but one step does not show it.
func nothingSeen(e evidence) reportv1.Limit {
	found := reportv1.Limit{By: reportv1.LimitedByNothingSeen, Certainty: reportv1.CertaintyLikely}
	observed := false
	for _, member := range e.servers {
		_, told := e.mean(member, "operations.all")
		observed = observed || told
	}
	switch {
	case !observed:
		found.Certainty = reportv1.CertaintyPossible
		found.Because = "no server was observed in the window"
		found.Try = "let a user with the role clusterMonitor measure, for at least some seconds"
		return found
	case e.engaged < engagedPercent:
		found.Try = "use more threads or less think time: the threads had time left"
	default:
		found.Try = "use more threads: a sweep shows whether they bring more"
	}
	found.Because = fmt.Sprintf("%s were with operations for %d %% of their time, and nothing that is observed was near "+
		"a limit%s", present.Plural(int64(e.Threads), "thread"), e.engaged, e.cpuText())
	return found
}
