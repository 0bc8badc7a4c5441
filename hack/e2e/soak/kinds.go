package soak

import (
	"math/rand/v2"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/harness"
)

// Kind is a kind of run.
type Kind struct {
	Name string
	// Tolerant says that the run's target bears the loss of members.
	Tolerant bool
	target   func(version string) *benchv1alpha1.BenchmarkTargetSpec
	// change is what else the target is; nil for nothing.
	change func(*benchv1alpha1.BenchmarkTargetSpec)
	pods   int32
}

var versions = []string{"4.2.6", "4.4.2", "5.0.4", "6.0.5"}

// kinds are what is chosen from.
var kinds = []Kind{
	{Name: "standalone", target: harness.Standalone},
	{Name: "standalone-volume", target: harness.Standalone, change: onVolumes},
	{Name: "standalone-two-pods", target: harness.Standalone, pods: 2},
	{Name: "replica-set", target: harness.ReplicaSet},
	{Name: "replica-set-tls", target: harness.ReplicaSet, change: encrypted},
	{Name: "replica-set-disk", target: harness.ReplicaSet, change: onNodes},
	{Name: "replica-set-tolerant", target: harness.ReplicaSet, change: tolerant, Tolerant: true},
	{Name: "shards", target: shards, change: onVolumes},
	{Name: "shards-disk", target: shards},
}

// Draw chooses a kind, and makes a run of it.
func Draw(random *rand.Rand) (Kind, *benchv1alpha1.BenchmarkRun) {
	kind := kinds[random.IntN(len(kinds))]
	run := harness.Run(runName, kind.target(versions[random.IntN(len(versions))]))
	if kind.change != nil {
		kind.change(run.Spec.Target)
	}
	run.Spec.Seed = new(random.Int64N(1 << 32))
	run.Spec.Dataset = harness.Dataset(1000 + random.Int64N(60_000))
	step := harness.Mixed("mixed", 3+random.Int32N(15))
	step.Retry = new(benchv1alpha1.RetryOnce)
	run.Spec.Workload.Steps = []benchv1alpha1.Step{step}
	harness.FlatOut(run)
	if kind.pods > 0 {
		run.Spec.LoadGenerator.Pods = new(kind.pods)
	}
	run.Spec.Deadlines = &benchv1alpha1.Deadlines{
		SchedulingSeconds: new(int32(240)), LoadingSeconds: new(int32(240)), MeasuringSeconds: new(int32(240)),
	}
	run.Spec.Target.MongoDB.ProvisioningSeconds = new(int32(240))
	return kind, run
}

func shards(version string) *benchv1alpha1.BenchmarkTargetSpec {
	spec := harness.Sharded(version, 2)
	spec.MongoDB.Sharded.MembersPerShard = new(int32(2))
	return spec
}

func encrypted(spec *benchv1alpha1.BenchmarkTargetSpec) {
	spec.MongoDB.Security = &benchv1alpha1.SecuritySpec{TLS: &benchv1alpha1.TLSSpec{Mode: new(benchv1alpha1.TLSRequired)}}
}

func tolerant(spec *benchv1alpha1.BenchmarkTargetSpec) {
	spec.MongoDB.MemberRestarts = new(benchv1alpha1.MemberRestartsTolerate)
}

// onVolumes keeps the data of a member that comes back; onNodes does not.
func onVolumes(spec *benchv1alpha1.BenchmarkTargetSpec) {
	spec.MongoDB.Storage = harness.Claim()
}

func onNodes(spec *benchv1alpha1.BenchmarkTargetSpec) {
	spec.MongoDB.Storage = harness.Directory("")
}
