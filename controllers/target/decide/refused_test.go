package decide

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/internal/podfault"
	"github.com/mongobench/mongobench-operator/controllers/internal/settings"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// TestWhatIsRefusedForGoodIsGivenUpSoon: long before provisioningSeconds are over, and not at once.
func TestWhatIsRefusedForGoodIsGivenUpSoon(t *testing.T) {
	refusal := podfault.Fault{Reason: benchv1alpha1.ReasonForbidden, Message: "Service is invalid", Terminal: true}
	quota := podfault.Fault{Reason: benchv1alpha1.ReasonQuotaExceeded, Message: "exceeded quota"}
	for name, tc := range map[string]struct {
		fault podfault.Fault
		after time.Duration
		want  bool
	}{
		"for seconds it may be about to be allowed":          {refusal, podfault.RefusalGrace - time.Second, false},
		"after that it is given up":                          {refusal, podfault.RefusalGrace, true},
		"a quota that may get room is waited for":            {quota, inTime, false},
		"a quota too is given up at the end of the deadline": {quota, tooLate, true},
	} {
		t.Run(name, func(t *testing.T) {
			o := starting(tc.after)
			o.ApplyFault = tc.fault
			status := decided(o).Status
			if got := condition.IsTrue(status.Conditions, benchv1alpha1.TargetStalled); got != tc.want {
				t.Errorf("stalled is %t; %+v", got, status.Conditions)
			}
			if said := condition.Find(status.Conditions, benchv1alpha1.TargetReady); said.Reason != tc.fault.Reason {
				t.Errorf("Ready says %s: %s", said.Reason, said.Message)
			}
		})
	}
}

// withQueue is a target with labels whose members are ready and whose topology Job was made.
func withQueue(labels map[string]string) Observation {
	o := starting(inTime)
	for i := range o.MemberPods {
		targettest.Ready(&o.MemberPods[i], start)
	}
	o.Target.Labels = labels
	for _, object := range decided(o).Desired {
		if job, ok := object.(*batchv1.Job); ok {
			o.TopologyJob = job
		}
	}
	return o
}

// TestTheTopologyJobIsInTheQueueOfItsTarget: a cluster may let no Job go that is in none.
func TestTheTopologyJobIsInTheQueueOfItsTarget(t *testing.T) {
	for name, tc := range map[string]struct {
		labels map[string]string
		says   string
	}{
		"with a queue": {
			map[string]string{naming.QueueLabel: "team", naming.PriorityLabel: "low", "other": "stays"},
			`Job set-topology is suspended; Kueue admits it from queue "team"`,
		},
		"without": {nil, "give the target the label kueue.x-k8s.io/queue-name"},
	} {
		t.Run(name, func(t *testing.T) {
			o := withQueue(tc.labels)
			got := o.TopologyJob.Labels
			if got[naming.QueueLabel] != tc.labels[naming.QueueLabel] || got["other"] != "" ||
				got[naming.PriorityLabel] != tc.labels[naming.PriorityLabel] {
				t.Errorf("the Job has the labels %v", got)
			}
			o.TopologyJob.Spec.Suspend = new(true)
			ready := condition.Find(decided(o).Status.Conditions, benchv1alpha1.TargetReady)
			if !strings.Contains(ready.Message, tc.says) {
				t.Errorf("Ready says %q, want %q in it", ready.Message, tc.says)
			}
		})
	}
}

// TestAnImageThatIsNotAllowedIsRefused with its place, before anything is made.
func TestAnImageThatIsNotAllowedIsRefused(t *testing.T) {
	o := observe(targettest.ReplicaSet("bench", "set", 3))
	o.Settings.AllowedImages = []string{"docker.io/library/mongo"}
	o.Target.Spec.MongoDB.Image = new("evil.example.com/mongo:6.0.5")
	decision := decided(o)
	said := condition.Find(decision.Status.Conditions, benchv1alpha1.TargetAccepted)
	if said.Reason != benchv1alpha1.ReasonInvalid ||
		!strings.HasPrefix(said.Message, "spec.mongodb.image: Invalid value") {
		t.Errorf("Accepted says %s: %s", said.Reason, said.Message)
	}
	if len(decision.Desired) > 0 {
		t.Errorf("%d objects are made", len(decision.Desired))
	}
}

// TestATargetOfALaterVersionIsRefused also where that version has accepted it.
func TestATargetOfALaterVersionIsRefused(t *testing.T) {
	o := observe(targettest.ReplicaSet("bench", "set", 3))
	o.Target.Status = decided(o).Status
	o.Target.Spec = benchv1alpha1.BenchmarkTargetSpec{}
	decision := decided(o)
	said := condition.Find(decision.Status.Conditions, benchv1alpha1.TargetAccepted)
	if said.Reason != benchv1alpha1.ReasonInvalid || !strings.Contains(said.Message, "exactly one of mongodb, mariadb") {
		t.Errorf("Accepted says %s: %s", said.Reason, said.Message)
	}
	if len(decision.Desired) > 0 {
		t.Errorf("%d objects are made", len(decision.Desired))
	}
}

// TestAFeatureWhoseGateIsOffIsRefused with its place and the gate, before anything is made.
func TestAFeatureWhoseGateIsOffIsRefused(t *testing.T) {
	o := observe(targettest.ReplicaSet("bench", "set", 3))
	o.Settings.Gates = settings.Gates{settings.GateMongoDBCommunity: false}
	o.Target.Spec.MongoDB.Provider = new(benchv1alpha1.ProviderMongoDBCommunity)
	decision := decided(o)
	said := condition.Find(decision.Status.Conditions, benchv1alpha1.TargetAccepted)
	if said.Reason != benchv1alpha1.ReasonInvalid ||
		!strings.HasPrefix(said.Message, "spec.mongodb.provider: Forbidden") ||
		!strings.Contains(said.Message, "the feature gate MongoDBCommunity off") {
		t.Errorf("Accepted says %s: %s", said.Reason, said.Message)
	}
	if len(decision.Desired) > 0 {
		t.Errorf("%d objects are made", len(decision.Desired))
	}
}

// TestTheMembersStayAsTheyBegan under an operator that has another image of the load generator: two of them would
// change the set in turn.
func TestTheMembersStayAsTheyBegan(t *testing.T) {
	o := observe(targettest.ReplicaSet("bench", "set", 3))
	first := setsOf(decided(o))
	if len(first) == 0 {
		t.Fatal("there are no sets")
	}
	o.StatefulSets = first
	o.Settings.LoadgenImage = "other.example.com/loadgen:2"
	if diff := cmp.Diff(first, setsOf(decided(o))); diff != "" {
		t.Errorf("changed (-first +other):\n%s", diff)
	}
}

func setsOf(decision Decision) []*appsv1.StatefulSet {
	var sets []*appsv1.StatefulSet
	for _, object := range decision.Desired {
		if set, ok := object.(*appsv1.StatefulSet); ok {
			sets = append(sets, set)
		}
	}
	return sets
}
