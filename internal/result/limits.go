package result

import (
	"fmt"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

const (
	// limitedPercent is from how much on a server's CPU limit is spoken of: with more than one part in a hundred the 99th
	// percentile is a wait for the limit.
	limitedPercent = 1
	// wholeLimitPercent of its limit is all that a server can use over a second. The kernel gives out the limit in slices
	// of some milliseconds for each processor, and takes back what is left of them.
	wholeLimitPercent = 95
	// busyPercent of its limit is where a server is taken to be driven to it. By the simplest model of a queue the wait
	// for a processor is u/(1-u) times the work at utilisation u: three times at 75 %. From there on waiting is what this
	// much work on this much CPU costs, and that is what was asked for. Below, the work would have fitted: a server that
	// is stopped all the same had bursts, such as of several threads at once, which used up the period's share within
	// some milliseconds and then waited for up to 100 ms, the length of a period (Linux, Documentation/scheduler/
	// sched-bwc.rst). Such a wait is the cgroup's and not the server's, in few operations, and so all of the p99.
	busyPercent = 75
)

// limited are the roles of servers to which the limit of a deployment's data members applies.
var limited = []string{"standalone", "primary", "secondary"}

// CPULimit is how a server stood against its CPU limit while a step was measured.
type CPULimit struct {
	Step, Member string
	// Percent of the scheduler's periods with work in which the limit stopped the server; or, Sampled, of the samples
	// between which it used all of its limit, where the kernel could not be asked.
	Percent int
	Sampled bool
	// Millis is the limit in thousandths of a core; 0 when it is not known.
	Millis int64
	// Used is how much of the limit the server used on the whole, in percent; -1 when it is not known.
	Used int64
}

// String says it in a sentence.
func (l CPULimit) String() string {
	return l.stopped() + "; the figures are those of that limit, and latencies of tens of milliseconds are waits for " +
		"the next period of 100 ms: raise the limit, or ask for less"
}

// stopped says how often the limit stopped the server.
func (l CPULimit) stopped() string {
	limit := "its CPU limit"
	if l.Millis > 0 {
		limit += fmt.Sprintf(" of %g cores", float64(l.Millis)/1000)
	}
	how := fmt.Sprintf("%s stopped server %s in %d %% of the scheduler's periods in which it had work", limit, l.Member,
		l.Percent)
	if l.Sampled {
		how = fmt.Sprintf("server %s used all of %s in %d %% of the samples", l.Member, limit, l.Percent)
	}
	return fmt.Sprintf("step %q: %s", l.Step, how)
}

// CPULimits are the servers whose CPU limit is in the figures: of each the step in which it is most. Of a server that
// was driven to its limit that is no doubt, since the limit was asked for, but such latencies are not the server's own.
func CPULimits(report reportv1.Report) []CPULimit {
	return slices.DeleteFunc(worstLimits(report), func(limit CPULimit) bool { return limit.Percent < limitedPercent })
}

// ThrottledPercent is that of the server and the step for which it is most; nil when it is known of none.
func ThrottledPercent(report reportv1.Report) *int32 {
	var most *int32
	for _, limit := range worstLimits(report) {
		if most == nil || int32(limit.Percent) > *most {
			most = new(int32(limit.Percent))
		}
	}
	return most
}

// worstLimits are, of the servers of which it is known, the steps in which the CPU limit stopped them most.
func worstLimits(report reportv1.Report) []CPULimit {
	var found []CPULimit
	for _, member := range report.Members {
		var worst *CPULimit
		for _, step := range report.Steps {
			if step.Kind != reportv1.KindMeasure {
				continue
			}
			if limit, known := limitOf(report.Server, member, step); known && (worst == nil || limit.Percent > worst.Percent) {
				worst = &limit
			}
		}
		if worst != nil {
			found = append(found, *worst)
		}
	}
	return found
}

// limitOf looks at a server while a step was measured.
func limitOf(server reportv1.Server, member reportv1.Member, step reportv1.Step) (CPULimit, bool) {
	limit := CPULimit{Step: step.Name, Member: member.Name}
	if !slices.Contains(limited, member.Role) {
		return limit, false
	}
	limit.Millis, limit.Used = server.CPULimitMillicores, unknown
	used := cpuMillis(member, step)
	if len(used) > 0 && limit.Millis > 0 {
		limit.Used = usedMillis(member, step) * hundred / limit.Millis
	}
	periods := during(member, step, reportv1.SeriesPeriods)
	throttled := during(member, step, reportv1.SeriesThrottledPeriods)
	if all := sumKnown(periods); all > 0 {
		limit.Percent = int(sumKnown(throttled) * hundred / all)
		return limit, true
	}
	if limit.Used == unknown {
		return limit, false
	}
	full := 0
	for _, millis := range used {
		if millis*hundred >= wholeLimitPercent*limit.Millis {
			full++
		}
	}
	limit.Sampled, limit.Percent = true, full*hundred/len(used)
	return limit, true
}

// cpuMillis are the thousandths of a core that a server used between the samples of a step.
func cpuMillis(member reportv1.Member, step reportv1.Step) []int64 {
	user, system := during(member, step, reportv1.SeriesCPUUser), during(member, step, reportv1.SeriesCPUSystem)
	var used []int64
	for i := range min(len(user), len(system)) {
		if user[i] >= 0 && system[i] >= 0 {
			used = append(used, user[i]+system[i])
		}
	}
	return used
}

// usedMillis are the thousandths of a core that a server used on the whole, while it was at work; -1 when that is not
// known.
func usedMillis(member reportv1.Member, step reportv1.Step) int64 {
	used := MeanKnown(cpuMillis(member, step))
	if used == unknown {
		return unknown
	}
	return used * rested(step)
}

func sumKnown(values []int64) int64 {
	var total int64
	for _, value := range values {
		total += max(0, value)
	}
	return total
}
