package decide

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// byCommunity is a replica set that uses all that the Community Operator can be told.
func byCommunity() *benchv1alpha1.BenchmarkTarget {
	target := targettest.ReplicaSet("bench", "theirs", 3)
	target.Spec.MongoDB.Provider = new(benchv1alpha1.ProviderMongoDBCommunity)
	target.Spec.MongoDB.Databases = []string{"shop", "stock"}
	target.Spec.MongoDB.Storage = targettest.Claim("", "fast")
	target.Spec.MongoDB.Parameters = []benchv1alpha1.ServerParameter{{Name: "notablescan", Value: "true"}}
	target.Spec.MongoDB.Engine = &benchv1alpha1.EngineSpec{WiredTiger: &benchv1alpha1.WiredTigerSpec{
		CacheMebibytes: new(int64(2048)), Compressor: new(benchv1alpha1.CompressorZstd),
		JournalCompressor:      new(benchv1alpha1.CompressorNone),
		IndexPrefixCompression: new(benchv1alpha1.Disabled), JournalCommitMillis: new(int32(7)),
		CheckpointSeconds: new(int32(13)),
	}}
	target.Spec.MongoDB.Resources = targettest.Limits("", "4Gi")
	return target
}

// communityIn is what is seen of it in this phase.
func communityIn(phase, message string, uri SecretState) Observation {
	o := observe(byCommunity())
	o.Community = Provided{Secret: uri, Object: &unstructured.Unstructured{Object: map[string]any{
		"status": map[string]any{"phase": phase, "message": message},
	}}}
	return o
}

// communityCases are all that the Community Operator is waited for by.
func communityCases() map[string]readinessCase {
	missing := observe(byCommunity())
	missing.Community.KindMissing = true
	ready := communityIn("Running", "", SecretFound)
	ready.Target.Status.Connection = &benchv1alpha1.TargetConnection{}
	stopped := communityIn("Pending", "scaling", SecretFound)
	stopped.Target.Status.Connection = &benchv1alpha1.TargetConnection{}
	late := communityIn("Failed", "no agent", SecretMissing)
	late.Target.Status.ProvisioningStartTime = seconds(start.Add(-tooLate))
	late.Target.Status.Conditions = accepted(late)
	return map[string]readinessCase{
		"the Community Operator is not installed": {
			o:    missing,
			want: want{reason: benchv1alpha1.ReasonProviderMissing, message: "install the MongoDB Community Operator"},
		},
		"the Community Operator was just asked": {
			o:    observe(byCommunity()),
			want: want{reason: benchv1alpha1.ReasonProviderPending, message: "has not said anything yet"},
		},
		"the Community Operator is at work": {
			o:    communityIn("Pending", "not yet", SecretMissing),
			want: want{reason: benchv1alpha1.ReasonProviderPending, message: "theirs: phase Pending: not yet"},
		},
		"the Community Operator failed and tries again": {
			o:    communityIn("Failed", "no agent", SecretMissing),
			want: want{reason: benchv1alpha1.ReasonProviderFailed, message: "MongoDBCommunity theirs: no agent"},
		},
		"the Community Operator failed for too long": {
			o:    late,
			want: want{benchv1alpha1.ReasonProviderFailed, true, "provisioningSeconds): MongoDBCommunity theirs: no agent"},
		},
		"a set runs and its connection string is not there": {
			o: communityIn("Running", "", SecretKeyMissing),
			want: want{
				reason: benchv1alpha1.ReasonProviderPending, message: "Secret theirs-admin-mongobench has no key connectionString",
			},
		},
		"a set runs and is looked at": {
			o:    communityIn("Running", "", SecretFound),
			want: want{reason: benchv1alpha1.ReasonTopologyPending, message: ""},
		},
		"a set that was ready is": {
			o:    ready,
			want: want{reason: benchv1alpha1.ReasonReady, message: "replica set theirs of 3 members is ready"},
		},
		"a set that was ready is no more": {
			o:    stopped,
			want: want{reason: benchv1alpha1.ReasonProviderPending, message: "scaling"},
		},
	}
}

func accepted(o Observation) []metav1.Condition {
	decision := decided(o)
	return slices.DeleteFunc(decision.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type != benchv1alpha1.TargetAccepted
	})
}

// TestAReplicaSetKeepsTheClaimsThatItWasMadeWith has one that an earlier version asked for: a StatefulSet takes no
// other templates, and its operator would fail.
func TestAReplicaSetKeepsTheClaimsThatItWasMadeWith(t *testing.T) {
	o := communityIn("Running", "", SecretFound)
	claims := []any{map[string]any{"metadata": map[string]any{"name": "data-volume"}}}
	if err := unstructured.SetNestedSlice(o.Community.Object.Object, claims, communityClaimsPath...); err != nil {
		t.Fatal(err)
	}
	made := of[*unstructured.Unstructured](decided(o).Desired)
	if len(made) != 1 {
		t.Fatalf("%d objects are asked for, want the replica set", len(made))
	}
	got, _, err := unstructured.NestedSlice(made[0].Object, communityClaimsPath...)
	if diff := cmp.Diff(claims, got); diff != "" || err != nil {
		t.Errorf("claims (-want +got), %v:\n%s", err, diff)
	}
}
