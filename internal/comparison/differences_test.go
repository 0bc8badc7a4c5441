package comparison_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/testing/targettest"
)

// like is a pair of two runs a side that differ in nothing.
func like() comparison.Pair {
	pair := pairOf(readP99, []int64{1000, 1001}, []int64{1000, 1001})
	for _, side := range []*comparison.Side{&pair.Baseline, &pair.Candidate} {
		side.Spec.Target = new(targettest.MongoDB("6.0.5"))
	}
	return pair
}

func set(side *comparison.Side, field, value string) {
	for _, sample := range side.Samples {
		sample.Fingerprint[field] = value
	}
}

func TestDifferences(t *testing.T) {
	between := func(field, baseline, candidate string) []comparison.Difference {
		return []comparison.Difference{
			{Field: field, Baseline: []string{baseline}, Candidate: []string{candidate}},
		}
	}
	tests := map[string]struct {
		change  func(*comparison.Pair)
		ignored []string
		want    []comparison.Difference
	}{
		"like runs differ in nothing": {change: func(*comparison.Pair) {}},
		"another kernel is named": {
			change: func(p *comparison.Pair) { set(&p.Candidate, "kernels", "6.9.0") },
			want:   between("kernels", "6.1.0", "6.9.0"),
		},
		"a round trip that is twice as long is noise": {
			change: func(p *comparison.Pair) {
				set(&p.Baseline, "roundTripMicros", "900")
				set(&p.Candidate, "roundTripMicros", "1800")
			},
		},
		"a round trip that is 0.3 ms longer is noise": {
			change: func(p *comparison.Pair) {
				set(&p.Baseline, "roundTripMicros", "90")
				set(&p.Candidate, "roundTripMicros", "390")
			},
		},
		"an existing dataset that has grown a little is the same": {
			change: func(p *comparison.Pair) {
				set(&p.Baseline, "foundDocuments", "1000000")
				set(&p.Candidate, "foundDocuments", "1049999")
			},
		},
		"an existing dataset that has grown is named": {
			change: func(p *comparison.Pair) {
				set(&p.Baseline, "foundBytes", "1000000")
				set(&p.Candidate, "foundBytes", "1060000")
			},
			want: between("foundBytes", "1000000", "1060000"),
		},
		"a round trip to another zone is named": {
			change: func(p *comparison.Pair) {
				set(&p.Baseline, "roundTripMicros", "190")
				set(&p.Candidate, "roundTripMicros", "1100")
			},
			want: between("roundTripMicros", "190", "1100"),
		},
		"a round trip that was not measured says nothing": {
			change: func(p *comparison.Pair) { set(&p.Candidate, "roundTripMicros", "1100") },
		},
		"load pods beside the members are named": {
			change: func(p *comparison.Pair) {
				set(&p.Baseline, "sharedNodes", "None")
				set(&p.Candidate, "sharedNodes", "All")
			},
			want: between("sharedNodes", "None", "All"),
		},
		"another kernel is ignored by name": {
			change:  func(p *comparison.Pair) { set(&p.Candidate, "kernels", "6.9.0") },
			ignored: []string{"kernels"},
		},
		"a version that is declared is no difference": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target.MongoDB.Version = "7.0.2"
				set(&p.Candidate, "version", "7.0.2")
				set(&p.Candidate, "gitVersion", "abc")
				set(&p.Candidate, "defaultWriteConcern", "w: majority")
			},
		},
		"a version that is not declared is one": {
			change: func(p *comparison.Pair) { set(&p.Candidate, "version", "6.0.6") },
			want:   between("version", "6.0.5", "6.0.6"),
		},
		"a version that is declared does not explain another cache limit by resources": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target.MongoDB.Version = "7.0.2"
				set(&p.Candidate, "cpuLimitMillicores", "500")
			},
			want: between("cpuLimitMillicores", "", "500"),
		},
		"what is declared does not hide a difference within a side": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target.MongoDB.Version = "7.0.2"
				set(&p.Candidate, "version", "7.0.2")
				p.Candidate.Samples[1].Fingerprint["version"] = "7.0.3"
			},
			want: []comparison.Difference{
				{Field: "version", Baseline: []string{"6.0.5"}, Candidate: []string{"7.0.2", "7.0.3"}},
			},
		},
		"a cache that is declared is no difference": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target.MongoDB.Engine = &benchv1alpha1.EngineSpec{
					WiredTiger: &benchv1alpha1.WiredTigerSpec{CacheMebibytes: ptr.To[int64](256)},
				}
				set(&p.Baseline, "cacheMebibytes", "512")
				set(&p.Candidate, "cacheMebibytes", "256")
			},
		},
		"a cache that follows from the memory is declared with it": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target.MongoDB.Resources = targettest.Limits("", "4Gi")
				set(&p.Baseline, "cacheMebibytes", "256")
				set(&p.Candidate, "cacheMebibytes", "1536")
				set(&p.Candidate, "memoryLimitMebibytes", "4096")
			},
		},
		"quantities that are written differently are the same": {
			change: func(p *comparison.Pair) {
				p.Baseline.Spec.Target.MongoDB.Resources = targettest.Limits("1", "")
				p.Candidate.Spec.Target.MongoDB.Resources = targettest.Limits("1000m", "")
				set(&p.Candidate, "cpuLimitMillicores", "1000")
			},
			want: between("cpuLimitMillicores", "", "1000"),
		},
		"a dataset changes the plan": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Seed = ptr.To[int64](7)
				set(&p.Candidate, "datasetHash", "b")
				set(&p.Candidate, "workloadHash", "b")
			},
		},
		"a workload does not change the dataset": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Workload.Steps = []benchv1alpha1.Step{{Name: "read"}}
				set(&p.Candidate, "datasetHash", "b")
				set(&p.Candidate, "workloadHash", "b")
			},
			want: between("datasetHash", "", "b"),
		},
		"another target by reference is another deployment": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target = nil
				p.Candidate.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "big"}
				set(&p.Candidate, "version", "8.0.0")
				set(&p.Candidate, "storageClass", "fast")
				set(&p.Candidate, "generatorVersion", "2")
			},
			want: between("generatorVersion", "", "2"),
		},
		"another target by reference may keep collections in something else": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target = nil
				p.Candidate.Spec.TargetRef = &benchv1alpha1.NameReference{Name: "merged"}
				set(&p.Candidate, "datasetHash", "b")
				set(&p.Candidate, "workloadHash", "b")
			},
		},
		"another engine of a MariaDB tells its durability in other settings": {
			change: func(p *comparison.Pair) {
				p.Baseline.Spec.Target = &targettest.MariaDB("bench", "rows").Spec
				p.Candidate.Spec.Target = &targettest.MariaDB("bench", "rows").Spec
				p.Candidate.Spec.Target.MariaDB.Engine = new(benchv1alpha1.MariaDBMyRocks)
				set(&p.Baseline, "defaultWriteConcern", "innodb_flush_log_at_trx_commit 1")
				set(&p.Candidate, "defaultWriteConcern", "rocksdb_flush_log_at_trx_commit 1")
				set(&p.Candidate, "storageEngine", "MyRocks")
			},
		},
		"a target that is there leaves durability open": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target = &targettest.External("bench", "elsewhere").Spec
				set(&p.Candidate, "workloadHash", "b")
			},
		},
		"durability that is declared is a difference all the same": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target.MongoDB.Durability = new(benchv1alpha1.DurabilitySynced)
				set(&p.Candidate, "workloadHash", "b")
				set(&p.Baseline, "durability", "Memory")
				set(&p.Candidate, "durability", "Synced")
			},
			want: between("durability", "Memory", "Synced"),
		},
		"durability is ignored by its name": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target.MongoDB.Durability = new(benchv1alpha1.DurabilitySynced)
				set(&p.Candidate, "workloadHash", "b")
				set(&p.Baseline, "durability", "Memory")
				set(&p.Candidate, "durability", "Synced")
			},
			ignored: []string{"durability"},
		},
		"another database that is declared is another deployment": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target = &targettest.MariaDB("bench", "rows").Spec
				for field, value := range map[string]string{
					"product": "MariaDB", "version": "10.11.19", "storageEngine": "InnoDB", "workloadHash": "b",
				} {
					set(&p.Candidate, field, value)
				}
			},
		},
		"how long a sync took is no difference": {
			change: func(p *comparison.Pair) { set(&p.Candidate, "syncP99Micros", "370") },
		},
		"merge trees are another dataset": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Target.MongoDB.Engine = &benchv1alpha1.EngineSpec{
					WiredTiger: &benchv1alpha1.WiredTigerSpec{Type: new(benchv1alpha1.WiredTigerLSM)},
				}
				set(&p.Candidate, "storageEngine", "wiredTiger LSM")
				set(&p.Candidate, "datasetHash", "b")
			},
		},
		"deadlines explain nothing": {
			change: func(p *comparison.Pair) {
				p.Candidate.Spec.Deadlines = &benchv1alpha1.Deadlines{LoadingSeconds: ptr.To[int32](7)}
				set(&p.Candidate, "workloadHash", "b")
			},
			want: between("workloadHash", "", "b"),
		},
		"what is known of one side only is a difference": {
			change: func(p *comparison.Pair) { set(&p.Candidate, "kernels", "") },
			want:   between("kernels", "6.1.0", ""),
		},
		"what is known of no side is none": {
			change: func(p *comparison.Pair) {
				set(&p.Baseline, "kernels", "")
				set(&p.Candidate, "kernels", "")
			},
		},
		"a field that this release does not know counts": {
			change: func(p *comparison.Pair) { set(&p.Candidate, "hugePages", "always") },
			want:   between("hugePages", "", "always"),
		},
		"a side without runs differs in nothing": {
			change: func(p *comparison.Pair) { p.Baseline.Samples = nil },
			want:   nil,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			pair := like()
			tc.change(&pair)
			if diff := cmp.Diff(tc.want, comparison.Differences(pair, tc.ignored)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnlikeRunsAreNotJudged(t *testing.T) {
	pair := pairOf(readP99, []int64{1000, 1001, 1002, 1003, 1004}, []int64{1200, 1201, 1202, 1203, 1204})
	set(&pair.Candidate, "kernels", "6.9.0")
	pair.Candidate.Samples[2].Fingerprint["kernels"] = ""
	line := comparison.Compare([]comparison.Pair{pair}, only(benchv1alpha1.MetricP99Micros))[0]
	want := "unlike runs: kernels is unknown and 6.9.0 against 6.1.0; " +
		"p99 of find in step read: 1.20 ms, 20 % more than the baseline of 1.00 ms (20 to 20 %)"
	if line.Verdict != benchv1alpha1.VerdictInconclusive || line.Message != want || line.PMillionths != nil {
		t.Errorf("got %s, %q", line.Verdict, line.Message)
	}
	settings := only(benchv1alpha1.MetricP99Micros)
	settings.IgnoreDifferences = []string{"kernels"}
	line = comparison.Compare([]comparison.Pair{pair}, settings)[0]
	if line.Verdict != benchv1alpha1.VerdictRegressed {
		t.Errorf("with the kernels ignored, got %s, %q", line.Verdict, line.Message)
	}
}

func TestMessagesAreNoLongerThanAStatusTakes(t *testing.T) {
	pair := pairOf(readP99, []int64{1000}, []int64{1200})
	for _, field := range []string{"version", "gitVersion", "serverImages", "generatorImage", "kernels"} {
		set(&pair.Baseline, field, strings.Repeat("b", 500))
		set(&pair.Candidate, field, strings.Repeat("µ", 500))
	}
	line := comparison.Compare([]comparison.Pair{pair}, only(benchv1alpha1.MetricP99Micros))[0]
	if length := len([]rune(line.Message)); length > 512 {
		t.Errorf("a message of %d characters: %s", length, line.Message)
	}
	if !strings.Contains(line.Message, "2 more fields") {
		t.Errorf("what is not named is not counted: %s", line.Message)
	}
}

func TestRunsInDoubtDecideOnlyWhereThatIsAllowed(t *testing.T) {
	pair := pairOf(readP99, []int64{1000, 1001, 1002, 1003, 1004}, []int64{1200, 1201, 1202, 1203, 1204})
	pair.Baseline.Samples[0].Doubts = []string{benchv1alpha1.ReasonNotSteady}
	pair.Candidate.Samples[1].Doubts = []string{benchv1alpha1.ReasonGeneratorSaturated}
	pair.Candidate.Samples[2].Doubts = []string{benchv1alpha1.ReasonNotSteady}
	line := comparison.Compare([]comparison.Pair{pair}, only(benchv1alpha1.MetricP99Micros))[0]
	const want = "3 of the 10 runs in doubt: GeneratorSaturated, NotSteady"
	if line.Verdict != benchv1alpha1.VerdictInconclusive || !strings.HasPrefix(line.Message, want+"; spec.allowDoubts") {
		t.Errorf("got %s, %q, want a begin of %q", line.Verdict, line.Message, want)
	}
	settings := only(benchv1alpha1.MetricP99Micros)
	settings.AllowDoubts = []string{benchv1alpha1.ReasonNotSteady}
	line = comparison.Compare([]comparison.Pair{pair}, settings)[0]
	const one = "1 of the 10 runs in doubt: GeneratorSaturated; "
	if line.Verdict != benchv1alpha1.VerdictInconclusive || !strings.HasPrefix(line.Message, one) {
		t.Errorf("with one reason allowed: got %s, %q, want a begin of %q", line.Verdict, line.Message, one)
	}
	settings.AllowDoubts = append(settings.AllowDoubts, benchv1alpha1.ReasonGeneratorSaturated)
	line = comparison.Compare([]comparison.Pair{pair}, settings)[0]
	if line.Verdict != benchv1alpha1.VerdictRegressed || !strings.HasSuffix(line.Message, "; "+want) {
		t.Errorf("with both allowed: got %s, %q, want an end of %q", line.Verdict, line.Message, want)
	}
}
