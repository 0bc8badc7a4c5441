package soak

import (
	"strings"
	"testing"
	"time"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

func TestJudge(t *testing.T) {
	begin := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	end := begin.Add(time.Minute)
	success := Outcome{
		Succeeded: true, Reason: benchv1alpha1.ReasonCompleted, MeasuredFrom: begin.Add(-time.Second), MeasuredUntil: end,
	}
	lost := Outcome{Reason: benchv1alpha1.ReasonTargetLost, Message: "pod bench-mongod-0 is gone"}
	loadLost := Outcome{Reason: benchv1alpha1.ReasonLoadPodLost, Message: "load pod bench-load-0-abcde was deleted"}
	failed := Outcome{Reason: benchv1alpha1.ReasonLoadPodFailed, Message: "load pod bench-load-0-abcde: no primary"}
	member := Kill{Component: Member, Pod: "bench-mongod-0", At: begin, Used: true, Certain: true}
	unused := Kill{Component: Member, Pod: "bench-mongod-0", At: begin, Certain: true}
	load := Kill{Component: Load, Pod: "bench-load-0-abcde", At: begin, Used: true, Certain: true}
	ended := Kill{Component: Load, Pod: "bench-load-0-abcde", At: begin, Certain: true}
	loading := Kill{
		Component: Load, Pod: "bench-load-0-abcde", At: begin.Add(-2 * time.Second), Used: true, Certain: true,
	}
	late := Kill{Component: Load, Pod: "bench-load-0-abcde", At: end.Add(-time.Second), Used: true, Certain: true}
	harmless := []Kill{{Component: Topology, Pod: "bench-topology-abcde"}, {Component: Manager, Pod: "manager"}}
	for name, tc := range map[string]struct {
		outcome   Outcome
		kills     []Kill
		tolerated bool
		want      string
	}{
		"nothing was deleted, and it succeeded":             {outcome: success},
		"nothing was deleted, and it failed":                {outcome: failed, want: "nothing was deleted"},
		"topology and manager are borne":                    {outcome: success, kills: harmless},
		"topology and manager are no reason to fail":        {outcome: failed, kills: harmless, want: "of none of topology"},
		"a member was lost, and it says so":                 {outcome: lost, kills: []Kill{member}},
		"a member was lost, and it succeeded":               {outcome: success, kills: []Kill{member}, want: "1m0s before"},
		"a member was lost, and it says something else":     {outcome: failed, kills: []Kill{member}, want: "of none of"},
		"a member was lost and borne":                       {outcome: success, kills: []Kill{member}, tolerated: true},
		"a member was lost before it was used, and is back": {outcome: success, kills: []Kill{unused}},
		"a member was lost before it was used, and named":   {outcome: lost, kills: []Kill{unused}},
		"a load pod was lost, and it says so":               {outcome: loadLost, kills: []Kill{load}},
		"a load pod was lost, and it succeeded":             {outcome: success, kills: []Kill{load}, want: "before the end"},
		"a load pod was lost, and it blames itself":         {outcome: failed, kills: []Kill{load}, want: "of none of"},
		"a load pod was lost while loading":                 {outcome: success, kills: []Kill{loading}},
		"a load pod was lost that had ended":                {outcome: success, kills: []Kill{ended}},
		"a load pod had ended, and is blamed":               {outcome: loadLost, kills: []Kill{ended}, want: "nothing was"},
		"a load pod was lost as good as at the end":         {outcome: success, kills: []Kill{late}},
		"another load pod is named by its index": {
			outcome: Outcome{Reason: benchv1alpha1.ReasonLoadPodLost, Message: "load pod 1 is gone"}, kills: []Kill{load},
			want: "of none of",
		},
		"a load pod is named by its index": {
			outcome: Outcome{Reason: benchv1alpha1.ReasonLoadPodLost, Message: "load pod 0, pod 1 are gone"},
			kills:   []Kill{load},
		},
		"a member of a shard was lost until the deadline": {
			outcome: Outcome{
				Reason:  benchv1alpha1.ReasonDeadlineExceeded,
				Message: "3 of 4 members are ready (shard1: 1 of 2)",
			},
			kills: []Kill{{Component: Member, Pod: "bench-shard1-0", At: begin, Certain: true}},
		},
		"the topology Job was kept from its work": {
			outcome: Outcome{
				Reason:  benchv1alpha1.ReasonDeadlineExceeded,
				Message: "Job bench-topology had to begin again, 5 of its pods failed or were deleted",
			},
			kills: harmless,
		},
		"another pod is named": {outcome: lost, kills: []Kill{load}, want: "of none of"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Judge(tc.outcome, tc.kills, tc.tolerated)
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
