package result

import (
	"fmt"
	"slices"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

const (
	// limitedPercent is from how much on a server's CPU limit is spoken of: with more than one part in a hundred the 99th
	// percentile is a wait for the limit.
	limitedPercent = 1
	// wholeLimitPercent of its limit is all that a server can use over a second. The kernel gives out the limit in slices
	// of some milliseconds for each processor, and takes back what is left of them.
	wholeLimitPercent = 95
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
}

// String says it in a sentence.
func (l CPULimit) String() string {
	limit := "its CPU limit"
	if l.Millis > 0 {
		limit += fmt.Sprintf(" of %g cores", float64(l.Millis)/1000)
	}
	how := fmt.Sprintf("%s stopped server %s in %d %% of the scheduler's periods in which it had work", limit, l.Member,
		l.Percent)
	if l.Sampled {
		how = fmt.Sprintf("server %s used all of %s in %d %% of the samples", l.Member, limit, l.Percent)
	}
	return fmt.Sprintf("step %q: %s; the figures are those of that limit, and latencies of tens of milliseconds are "+
		"waits for the next period of 100 ms: raise the limit, or ask for less", l.Step, how)
}

// CPULimits are the servers whose CPU limit is in the figures: of each the step in which it is most. That is no doubt,
// since the limit was asked for, but such latencies are not the server's own.
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
	limit.Millis = server.CPULimitMillis
	periods := during(member, step, reportv1.SeriesPeriods)
	throttled := during(member, step, reportv1.SeriesThrottledPeriods)
	if all := sumKnown(periods); all > 0 {
		limit.Percent = int(sumKnown(throttled) * hundred / all)
		return limit, true
	}
	user, system := during(member, step, reportv1.SeriesCPUUser), during(member, step, reportv1.SeriesCPUSystem)
	samples, full := 0, 0
	for i := range min(len(user), len(system)) {
		if user[i] < 0 || system[i] < 0 {
			continue
		}
		samples++
		if (user[i]+system[i])*hundred >= wholeLimitPercent*limit.Millis {
			full++
		}
	}
	if samples == 0 || limit.Millis == 0 {
		return limit, false
	}
	limit.Sampled, limit.Percent = true, full*hundred/samples
	return limit, true
}

// during are the samples of a series whose interval lies within the window of a step.
func during(member reportv1.Member, step reportv1.Step, name string) []int64 {
	at := slices.IndexFunc(member.Series, func(series reportv1.Series) bool { return series.Name == name })
	interval := time.Duration(member.IntervalMillis) * time.Millisecond
	if at < 0 || interval <= 0 {
		return nil
	}
	var values []int64
	for i, value := range member.Series[at].Values {
		end := member.Start.Add(time.Duration(i) * interval)
		if !end.Add(-interval).Before(step.MeasureStart) && !end.After(step.End) {
			values = append(values, value)
		}
	}
	return values
}

func sumKnown(values []int64) int64 {
	var total int64
	for _, value := range values {
		total += max(0, value)
	}
	return total
}
