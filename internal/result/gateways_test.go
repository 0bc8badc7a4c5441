package result_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

func TestAGatewayThatMayHaveBeenTheLimitIsDoubted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		seen reportv1.Gateway
		want string
	}{
		"one with room":    {reportv1.Gateway{CPUPercent: 89, Requests: 9, RequestMicros: 1000, PoolWaitMicros: 100}, ""},
		"one that is busy": {reportv1.Gateway{CPUPercent: 90}, "gateway g:1 used 90 % of its CPU"},
		"one that its limit stopped": {
			reportv1.Gateway{CPUPercent: 50, ThrottledMicros: 1_000_000}, "was kept from running by its CPU limit for 1s",
		},
		"one with a small pool": {
			reportv1.Gateway{PoolSize: 2, Requests: 10, RequestMicros: 1000, PoolWaitMicros: 101},
			"had requests wait for one of its 2 sessions for 10 % of their time",
		},
		"one that was lost": {reportv1.Gateway{Lost: true}, "did not answer for its part of the step"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := podReport(t, 100)
			tc.seen.Name = "g:1"
			report.Steps[1].Gateways = []reportv1.Gateway{{Name: "g:0"}, tc.seen}
			doubts, err := result.Doubts(report)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, doubt := range doubts {
				if doubt.Reason == benchv1alpha1.ReasonGatewaySaturated {
					got = doubt.Message
				}
			}
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("doubted by %q, want %q", got, tc.want)
			}
		})
	}
}

// Each load pod looks at every gateway, and what it sees of one is of all load pods: it is not added up.
func TestWhatSeveralPodsSeeOfAGatewayIsOneGateway(t *testing.T) {
	t.Parallel()
	first, second := podReport(t, 100), podReport(t, 100)
	first.Steps[1].Gateways = []reportv1.Gateway{{Name: "a", Requests: 5}, {Name: "b", Requests: 7}}
	second.Steps[1].Gateways = []reportv1.Gateway{{Name: "a", Requests: 6}, {Name: "b", Lost: true}, {Name: "c"}}
	merged, err := result.Merge([]reportv1.Report{first, second})
	if err != nil {
		t.Fatal(err)
	}
	want := []reportv1.Gateway{{Name: "a", Requests: 6}, {Name: "b", Requests: 7, Lost: true}, {Name: "c"}}
	if diff := cmp.Diff(want, merged.Steps[1].Gateways); diff != "" {
		t.Errorf("merged gateways (-want +got):\n%s", diff)
	}
}
