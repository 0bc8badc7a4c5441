package result_test

import (
	"strings"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestACPULimitThatStopsAServerIsTold(t *testing.T) {
	t.Parallel()
	series := func(name string, value int64) reportv1.Series {
		values := make([]int64, 40)
		for i := range values {
			values[i] = value
		}
		values[0] = -1
		return reportv1.Series{Name: name, Values: values}
	}
	cpu := func(user, system int64) []reportv1.Series {
		return []reportv1.Series{series("cpu.user", user), series("cpu.system", system)}
	}
	for name, tc := range map[string]struct {
		role   string
		limit  int64
		series []reportv1.Series
		want   string
	}{
		"by the kernel": {
			"primary", 700, append(cpu(500, 30), series("cpu.periods", 10), series("cpu.throttledPeriods", 4)),
			"its CPU limit of 0.7 cores stopped server a:1 in 40 % of the scheduler's periods",
		},
		"by the kernel, never": {
			"primary", 700, append(cpu(700, 1), series("cpu.periods", 10), series("cpu.throttledPeriods", 0)), "",
		},
		"by the kernel, while the limit is not known": {
			"primary", 0, append(cpu(5, 3), series("cpu.periods", 10), series("cpu.throttledPeriods", 4)),
			"its CPU limit stopped server a:1 in 40 % of the scheduler's periods",
		},
		"by the CPU time": {
			"standalone", 700, cpu(500, 190),
			"used all of its CPU limit of 0.7 cores in 100 %",
		},
		"by the CPU time, never":         {"standalone", 700, cpu(400, 190), ""},
		"a limit that is not known":      {"standalone", 0, cpu(500, 190), ""},
		"a router, whose limit is other": {"mongos", 700, cpu(500, 190), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := podReport(t, 100)
			report.Server.CPULimitMillicores = tc.limit
			report.Steps[1].Steady = &reportv1.Steady{Reached: true}
			report.Members = []reportv1.Member{{
				Name: "a:1", Role: tc.role, Start: noon.Add(-time.Second), IntervalMillis: 1000, Series: tc.series,
			}}
			got := strings.Join(result.Remarks(report), "; ")
			if !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("remarks %q, want %q", got, tc.want)
			}
			if doubts, err := result.Doubts(report); err != nil || len(doubts) > 0 {
				t.Errorf("doubts %+v (error %v) of a server at its limit, or not stopped by it", doubts, err)
			}
		})
	}
}

func TestALoadThatWasInterruptedIsRemarked(t *testing.T) {
	report := reportv1.Report{Steps: []reportv1.Step{
		{Name: "load", Documents: 300, ResumedDocuments: 700},
		{Name: "again", Skipped: "it lies there", ResumedDocuments: 700},
	}}
	got := strings.Join(result.Remarks(report), "; ")
	if want := `step "load": 700 of 1000 documents were loaded before an interruption`; !strings.HasPrefix(got, want) ||
		strings.Contains(got, "again") {
		t.Errorf("remarks %q, want %q and nothing of the step that was skipped", got, want)
	}
}
