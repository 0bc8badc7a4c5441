package result_test

import (
	"strings"
	"testing"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestSearchesThatDoNotKnowTheLimitAreDoubted(t *testing.T) {
	for name, tc := range map[string]struct {
		search reportv1.Search
		want   string
	}{
		"the target":  {reportv1.Search{Found: 900, Below: 940, LimitedBy: reportv1.LimitedByTarget}, ""},
		"the maximum": {reportv1.Search{Found: 900, LimitedBy: reportv1.LimitedByMaximum}, ""},
		"the threads": {
			reportv1.Search{Found: 1900, LimitedBy: reportv1.LimitedByThreads, Trials: []reportv1.Trial{
				{Rate: 2000, LimitedBy: reportv1.LimitedByThreads, Because: "operations waited"}, {Rate: 1900, Kept: true},
			}},
			"at 1,900/s and above: all 7 threads were busy at higher rates, and the target was not; give the step more " +
				"threads; at 2,000/s operations waited",
		},
		"the generator": {
			reportv1.Search{Found: 900, LimitedBy: reportv1.LimitedByGenerator},
			"at 900/s and above: the load generator was the limit",
		},
		"the time": {
			reportv1.Search{Found: 900, Below: 1200, LimitedBy: reportv1.LimitedByTime},
			"between 900/s and 1,200/s: its time was over",
		},
	} {
		t.Run(name, func(t *testing.T) {
			report := reportv1.Report{Steps: []reportv1.Step{
				{Name: "find", Kind: reportv1.KindMeasure, Threads: 7, Search: &tc.search},
			}}
			doubts, err := result.Doubts(report)
			if err != nil {
				t.Fatal(err)
			}
			if len(doubts) != min(1, len(tc.want)) {
				t.Fatalf("doubts %+v, want %q", doubts, tc.want)
			}
			if tc.want == "" {
				return
			}
			if doubts[0].Reason != benchv1alpha1.ReasonSearchLimited || !strings.Contains(doubts[0].Message, tc.want) {
				t.Errorf("got %+v, want %q", doubts[0], tc.want)
			}
		})
	}
}

func TestASearchThatWasCutIsNotToldToTakeMoreTime(t *testing.T) {
	search := reportv1.Search{Found: 900, Below: 1200, LimitedBy: reportv1.LimitedByTime}
	for cut, want := range map[string]int{"find": 1, "another": 2} {
		doubts, err := result.Doubts(reportv1.Report{
			Partial: &reportv1.Partial{Cause: reportv1.PartialInterrupted, Step: cut},
			Steps:   []reportv1.Step{{Name: "find", Kind: reportv1.KindMeasure, Threads: 7, Search: &search}},
		})
		if err != nil || len(doubts) != want || doubts[0].Reason != benchv1alpha1.ReasonPartial {
			t.Errorf("cut in step %q: doubts %+v, error %v; want %d", cut, doubts, err, want)
		}
	}
}

func TestGeneratorLimitIsWhatTheDoubtsSayOfIt(t *testing.T) {
	step := reportv1.Step{Name: "find", Kind: reportv1.KindMeasure, Generator: reportv1.Generator{BusiestPodPercent: 95}}
	if why, err := result.GeneratorLimit(step); err != nil || !strings.HasPrefix(why, "a load pod used 95 %") {
		t.Errorf("got %q, error %v", why, err)
	}
	step.Generator.BusiestPodPercent = 50
	if why, err := result.GeneratorLimit(step); err != nil || why != "" {
		t.Errorf("got %q, error %v of a generator with time to spare", why, err)
	}
}
