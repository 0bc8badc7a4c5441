package v1alpha1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// told is what the methods of a target tell of it.
type told struct {
	Product             benchv1alpha1.Product
	Member              string
	Topology            benchv1alpha1.Topology
	Version             string
	Durability          *benchv1alpha1.Durability
	Pods                *benchv1alpha1.PodSettings
	Restarts            benchv1alpha1.MemberRestarts
	ProvisioningSeconds *int32
}

func tell(spec *benchv1alpha1.BenchmarkTargetSpec) told {
	return told{
		Product: spec.Product(), Member: spec.Member(), Topology: spec.Topology(), Version: spec.Version(),
		Durability: spec.Durability(), Pods: spec.Pods(), Restarts: spec.MemberRestarts(),
		ProvisioningSeconds: spec.ProvisioningSeconds(),
	}
}

func TestWhatATargetTells(t *testing.T) {
	const all = "podSettings: {labels: {a: b}}, provisioningSeconds: 60"
	settings := &benchv1alpha1.PodSettings{Labels: map[string]string{"a": "b"}}
	majority, synced, flushed := benchv1alpha1.DurabilityMajority, benchv1alpha1.DurabilitySynced,
		benchv1alpha1.DurabilityOSCache
	tests := map[string]struct {
		spec string
		want told
	}{
		"nothing": {"{}", told{Topology: benchv1alpha1.TopologyStandalone}},
		"a MongoDB": {"{mongodb: {version: 6.0.5}}", told{
			Product: benchv1alpha1.ProductMongoDB, Member: "mongodb", Topology: benchv1alpha1.TopologyStandalone,
			Version: "6.0.5",
		}},
		"a standalone": {"{mongodb: {standalone: {}}}", told{
			Product: benchv1alpha1.ProductMongoDB, Member: "mongodb", Topology: benchv1alpha1.TopologyStandalone,
		}},
		"a replica set with all": {
			"{mongodb: {version: 6.0.5, replicaSet: {}, durability: Majority, memberRestarts: Tolerate, " + all + "}}", told{
				Product: benchv1alpha1.ProductMongoDB, Member: "mongodb", Topology: benchv1alpha1.TopologyReplicaSet,
				Version: "6.0.5", Durability: &majority, Restarts: benchv1alpha1.MemberRestartsTolerate, Pods: settings,
				ProvisioningSeconds: new(int32(60)),
			},
		},
		"a sharded cluster": {"{mongodb: {version: 6.0.5, sharded: {}}}", told{
			Product: benchv1alpha1.ProductMongoDB, Member: "mongodb", Topology: benchv1alpha1.TopologySharded,
			Version: "6.0.5",
		}},
		"a MariaDB": {"{mariadb: {version: 10.11.6, durability: Synced, memberRestarts: Fail, " + all + "}}", told{
			Product: benchv1alpha1.ProductMariaDB, Member: "mariadb", Topology: benchv1alpha1.TopologyStandalone,
			Version: "10.11.6", Durability: &synced, Restarts: benchv1alpha1.MemberRestartsFail, Pods: settings,
			ProvisioningSeconds: new(int32(60)),
		}},
		"a FerretDB": {"{ferretdb: {version: 1.24.0, " + all + "}}", told{
			Product: benchv1alpha1.ProductFerretDB, Member: "ferretdb", Topology: benchv1alpha1.TopologyStandalone,
			Version: "1.24.0", Pods: settings, ProvisioningSeconds: new(int32(60)),
		}},
		"an existing database": {"{external: {uriSecretRef: {name: a, key: b}}}", told{
			Product: benchv1alpha1.ProductMongoDB, Member: "external", Topology: benchv1alpha1.TopologyExternal,
		}},
		"an existing MariaDB": {"{external: {product: MariaDB, durability: OSCache, " + all + "}}", told{
			Product: benchv1alpha1.ProductMariaDB, Member: "external", Topology: benchv1alpha1.TopologyExternal,
			Durability: &flushed, Pods: settings, ProvisioningSeconds: new(int32(60)),
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var spec benchv1alpha1.BenchmarkTargetSpec
			decode(t, []byte(tc.spec), &spec)
			if diff := cmp.Diff(tc.want, tell(&spec)); diff != "" {
				t.Errorf("what it tells (-want +got):\n%s", diff)
			}
		})
	}
}

// TestADeploymentIsPartOfItsTarget: what is set through the methods is in the target.
func TestADeploymentIsPartOfItsTarget(t *testing.T) {
	for _, text := range []string{"{mongodb: {}}", "{mariadb: {}}", "{ferretdb: {}}"} {
		var spec benchv1alpha1.BenchmarkTargetSpec
		decode(t, []byte(text), &spec)
		spec.Deployment().Version = "5.0"
		settings := &benchv1alpha1.PodSettings{}
		*spec.PodsField() = settings
		if spec.Version() != "5.0" || spec.Pods() != settings {
			t.Errorf("%s: version %q and pod settings %v, want those that were set", text, spec.Version(), spec.Pods())
		}
	}
}

func TestWhatIsNotDeployedHasNoDeployment(t *testing.T) {
	var none benchv1alpha1.BenchmarkTargetSpec
	if none.Deployment() != nil || none.PodsField() != nil {
		t.Error("a target of no member has a deployment or pod settings")
	}
	external := benchv1alpha1.BenchmarkTargetSpec{External: &benchv1alpha1.ExternalTarget{}}
	if external.Deployment() != nil || external.PodsField() == nil {
		t.Error("an existing database has a deployment, or no pod settings for its topology Job")
	}
}
