package estimate_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/estimate"
	"github.com/mongobench/mongobench-operator/config/samples"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

// of reckons a sample.
func of(t *testing.T, name string, around estimate.Surroundings) estimate.Estimate {
	t.Helper()
	found, err := estimate.Of(sample(t, name), around)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEverySampleHasAnEstimate(t *testing.T) {
	for _, name := range samples.Names() {
		found := of(t, name, estimate.Surroundings{})
		if len(found.Runs)+len(found.Suites) == 0 {
			t.Errorf("%s: there is nothing in it", name)
		}
		for _, run := range found.Runs {
			// How long a recording is, only the recording tells.
			timeless := run.Time.LeastSeconds <= 0 && name != "replay"
			if timeless || len(run.Pods) == 0 || run.Time.Load != nil && run.Time.Load.HighSeconds > 0 {
				t.Errorf("%s: %+v", name, run)
			}
		}
	}
}

func TestMoreThreadsNeedMoreMemory(t *testing.T) {
	objects := sample(t, "standalone")
	memory := func() int64 {
		found, err := estimate.Of(objects, estimate.Surroundings{})
		if err != nil {
			t.Fatal(err)
		}
		return found.Runs[0].LoadMemoryBytes
	}
	few := memory()
	objects.Runs[0].Spec.Workload.Steps[0].Threads = new(int32(1000))
	if many := memory(); many-few < 1000*10<<10 {
		t.Errorf("a load pod takes %d bytes with a few threads, and %d with a thousand", few, many)
	}
}

func TestADatasetIsAsLongAsItsDocuments(t *testing.T) {
	plan := spec.Compile(sample(t, "standalone").Runs[0].Spec)
	plan.Collections[0].DocumentCount = 5000
	generator, err := document.Compile(plan.Seed, plan.Collections[0])
	if err != nil {
		t.Fatal(err)
	}
	want := int64(0)
	for record := range int64(5000) {
		want += int64(len(generator.Append(nil, record)))
	}
	found, err := estimate.Dataset(plan)
	if err != nil {
		t.Fatal(err)
	}
	got := found[0]
	if got.Sampled != 1000 || got.Documents != 5000 || math.Abs(float64(got.Bytes-want)) > 0.02*float64(want) {
		t.Errorf("got %+v, want %d bytes within 2 %%", got, want)
	}
}

func TestSizesThatAreNotThoseOfTheDocumentsLoaded(t *testing.T) {
	plan := spec.Compile(sample(t, "standalone").Runs[0].Spec)
	sizes := map[string]struct {
		change func(c *planv1alpha1.Collection)
		check  func(c estimate.Collection) bool
	}{
		"a collection that begins empty": {
			func(c *planv1alpha1.Collection) { c.DocumentCount = 0 },
			func(c estimate.Collection) bool { return c.Documents == 0 && c.Bytes == 0 },
		},
		"a collection that grows": {
			func(c *planv1alpha1.Collection) { c.DocumentCount, c.GrowsTo = 10, 1000 },
			func(c estimate.Collection) bool { return c.Documents == 1000 && c.Bytes == 1000*c.DocumentBytes },
		},
		"a capped collection": {
			func(c *planv1alpha1.Collection) { c.CappedBytes = 4096 },
			func(c estimate.Collection) bool { return c.Bytes == 4096 },
		},
		"a collection capped by its documents": {
			func(c *planv1alpha1.Collection) { c.CappedBytes, c.CappedDocuments = 1<<30, 7 },
			func(c estimate.Collection) bool { return c.Bytes == 7*c.DocumentBytes },
		},
	}
	for name, tc := range sizes {
		t.Run(name, func(t *testing.T) {
			changed := plan
			changed.Collections = []planv1alpha1.Collection{plan.Collections[0]}
			tc.change(&changed.Collections[0])
			found, err := estimate.Dataset(changed)
			if err != nil || !tc.check(found[0]) {
				t.Errorf("got %+v, %v", found, err)
			}
		})
	}
}

func TestLeastTimes(t *testing.T) {
	count := func(n int64) *int64 { return &n }
	cases := map[string]struct {
		step benchv1alpha1.Step
		want estimate.StepTime
	}{
		"a duration": {
			benchv1alpha1.Step{WarmupSeconds: new(int32(5)), DurationSeconds: new(int32(60))},
			estimate.StepTime{Name: "step", LeastSeconds: 65},
		},
		"a number of operations": {
			benchv1alpha1.Step{WarmupSeconds: new(int32(5)), OperationCount: count(1000)},
			estimate.StepTime{Name: "step", LeastSeconds: 5, Open: true},
		},
		"a number of operations with pauses": {
			benchv1alpha1.Step{OperationCount: count(1000), Threads: new(int32(10)), ThinkTimeMicros: count(500_000)},
			estimate.StepTime{Name: "step", LeastSeconds: 50, Open: true},
		},
		"a number of operations at a rate": {
			benchv1alpha1.Step{OperationCount: count(1000), Arrival: &benchv1alpha1.Arrival{OperationsPerSecond: count(50)}},
			estimate.StepTime{Name: "step", LeastSeconds: 20, Open: true},
		},
		"a number of operations at rates that rise": {
			benchv1alpha1.Step{OperationCount: count(1000), Arrival: &benchv1alpha1.Arrival{
				Stages: []benchv1alpha1.ArrivalStage{
					{Seconds: 10, FromOperationsPerSecond: count(0), OperationsPerSecond: 100},
				},
			}},
			estimate.StepTime{Name: "step", LeastSeconds: 10, Open: true},
		},
		"a search": {
			benchv1alpha1.Step{WarmupSeconds: new(int32(5)), DurationSeconds: new(int32(60)), Search: &benchv1alpha1.Search{
				LimitMicros: 1, MaxOperationsPerSecond: 10, TrialSeconds: new(int32(7)),
			}},
			estimate.StepTime{Name: "step", LeastSeconds: 12, Open: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects := sample(t, "standalone")
			step := &objects.Runs[0].Spec.Workload.Steps[0]
			tc.step.Name, tc.step.Operations = "step", step.Operations
			*step = tc.step
			found, err := estimate.Of(objects, estimate.Surroundings{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]estimate.StepTime{tc.want}, found.Runs[0].Time.Steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}

// finished is a run of the sample standalone that took one second to load its 100,000 documents.
func finished(t *testing.T, name string, created time.Time) benchv1alpha1.BenchmarkRun {
	t.Helper()
	run := sample(t, "standalone").Runs[0]
	run.Name, run.CreationTimestamp = name, metav1.NewTime(created)
	rate := int64(100_000)
	run.Status.Result = &benchv1alpha1.Result{Load: &benchv1alpha1.LoadResult{DocumentsPerSecond: &rate}}
	at := func(seconds int) metav1.MicroTime {
		return metav1.NewMicroTime(created.Add(time.Duration(seconds) * time.Second))
	}
	for i, stage := range []string{"Queued", "Provisioning", "Loading", "Measuring", "CleaningUp"} {
		run.Status.Stages = append(run.Status.Stages, benchv1alpha1.StageStatus{
			Name: stage, StartTime: at(10 * i), CompletionTime: new(at(10*i + i)),
		})
	}
	return run
}

func TestALoadIsReckonedByTheYoungestRunThatLoaded(t *testing.T) {
	skipped := finished(t, "skipped", noon.Add(time.Hour))
	skipped.Status.Result.Load = nil
	going := finished(t, "going", noon.Add(time.Hour))
	going.Status.Result = nil
	reference := estimate.ReferenceOf([]benchv1alpha1.BenchmarkRun{
		finished(t, "older", noon.Add(-time.Hour)), finished(t, "younger", noon), skipped, going,
	})
	if reference == nil || reference.Run != "younger" || reference.RestSeconds != 1+4 {
		t.Fatalf("got %+v", reference)
	}
	around := estimate.Surroundings{Reference: reference}
	same := of(t, "standalone", around).Runs[0].Time
	if load := same.Load; load == nil || math.Abs(load.LowSeconds-1) > 0.02 || math.Abs(load.HighSeconds-1) > 0.02 {
		t.Errorf("the same dataset takes %+v, want a second", load)
	}
	if diff := cmp.Diff(&estimate.Span{LowSeconds: 5, HighSeconds: 5}, same.Rest); diff != "" {
		t.Errorf("the rest (-want +got):\n%s", diff)
	}
	// The documents of the suite are shorter: by their number the load takes longer than by their bytes.
	suite := of(t, "suite", around).Suites[0]
	load := suite.Load
	if load == nil || math.Abs(load.HighSeconds-10*0.05) > 1e-6 || load.LowSeconds >= load.HighSeconds {
		t.Errorf("ten loads of 5,000 documents take %+v", load)
	}
	if got := estimate.ReferenceOf([]benchv1alpha1.BenchmarkRun{skipped, going}); got != nil {
		t.Errorf("got %+v of runs that loaded nothing", got)
	}
}

func TestASuiteIsTheSumOfItsRuns(t *testing.T) {
	objects := sample(t, "suite")
	find := func(t *testing.T) estimate.Suite {
		t.Helper()
		found, err := estimate.Of(objects, estimate.Surroundings{Reference: &estimate.Reference{
			Run: "a", DocumentsPerSecond: 5000, DocumentBytes: 100, RestSeconds: 2,
		}})
		if err != nil {
			t.Fatal(err)
		}
		return found.Suites[0]
	}
	alone := find(t)
	if alone.Runs != 10 || len(alone.Variants) != 2 || alone.Variants[0].Repetitions != 5 || alone.LeastSeconds != 90 {
		t.Errorf("got %d runs, %+v, %g s", alone.Runs, alone.Variants, alone.LeastSeconds)
	}
	if counts := countsOf(alone.Pods); counts != "1 members, 1 topology Job, 1 load pods" {
		t.Errorf("at once there are %s", counts)
	}
	spec := &objects.Suites[0].Spec
	spec.Parallelism = new(int32(5))
	several := find(t)
	if counts := countsOf(several.Pods); several.LeastSeconds != 18 || counts != "5 members, 5 topology Job, 5 load pods" {
		t.Errorf("five at a time take %g s and %s", several.LeastSeconds, counts)
	}
	spec.Parallelism, spec.TargetReuse = nil, new(benchv1alpha1.TargetReusePerVariant)
	shared := find(t)
	if counts := countsOf(shared.Pods); counts != "2 members, 2 topology Job, 1 load pods" {
		t.Errorf("with targets that are shared there are %s", counts)
	}
	if got, want := *shared.Rest, (estimate.Span{LowSeconds: 4, HighSeconds: 20}); got != want {
		t.Errorf("with targets that are shared the rest is %+v, want %+v", got, want)
	}
	spec.Order = new(benchv1alpha1.SuiteSequential)
	if counts := countsOf(find(t).Pods); counts != "1 members, 1 topology Job, 1 load pods" {
		t.Errorf("with targets that are shared, one after the other, there are %s", counts)
	}
}

func TestADuetHasBothTargets(t *testing.T) {
	objects := sample(t, "standalone")
	baseline := *objects.Runs[0].Spec.Target.DeepCopy()
	baseline.MongoDB.Resources.Limits[corev1.ResourceCPU] = *amount("3")
	objects.Runs[0].Spec.Duet = &benchv1alpha1.Duet{
		Baseline: benchv1alpha1.DuetBaseline{TargetRef: benchv1alpha1.NameReference{Name: "old"}},
	}
	step := &objects.Runs[0].Spec.Workload.Steps[0]
	step.WarmupSeconds, step.DurationSeconds = new(int32(5)), new(int32(60))
	find := func(around estimate.Surroundings) estimate.Run {
		found, err := estimate.Of(objects, around)
		if err != nil {
			t.Fatal(err)
		}
		return found.Runs[0]
	}
	const own, load = "1 members, 1 topology Job, ", "1 load pods"
	stands := find(estimate.Surroundings{Standing: []string{"old"}})
	left := strings.Join(stands.NotCounted, "; ")
	if got := countsOf(stands.Pods); got != own+load || !strings.Contains(left, "target old,") {
		t.Errorf("beside a target that stands there are %s, not counted: %s", got, left)
	}
	both := find(estimate.Surroundings{Declared: map[string]benchv1alpha1.BenchmarkTarget{"old": {Spec: baseline}}})
	if got := countsOf(both.Pods); got != own+"1 baseline members, 1 baseline topology Job, "+load {
		t.Errorf("there are %s", got)
	}
	if got := both.Pods[2].Limits.CPUMillis; got != 3000 {
		t.Errorf("the baseline's member has a limit of %d, want that of its target", got)
	}
	if got := both.Time.Steps[0]; got.LeastSeconds != 5 || !got.Open {
		t.Errorf("the step takes %+v, want the warm-up and more: it ends when it knows", got)
	}
}

func TestTheTargetsOfASuiteOfDuets(t *testing.T) {
	objects := sample(t, "duet")
	find := func() estimate.Suite {
		found, err := estimate.Of(objects, estimate.Surroundings{})
		if err != nil {
			t.Fatal(err)
		}
		return found.Suites[0]
	}
	const other = "1 baseline members, 1 baseline topology Job, "
	alone := find()
	if got := countsOf(alone.Pods); got != "1 members, 1 topology Job, "+other+"1 load pods" {
		t.Errorf("at once there are %s", got)
	}
	if left := strings.Join(alone.NotCounted, ";"); strings.Contains(left, "target ") {
		t.Errorf("not counted is %s, and the suite makes both targets", left)
	}
	dimension := &objects.Suites[0].Spec.Matrix.Dimensions[0]
	for _, name := range []string{"again", "once-more"} {
		choice := dimension.Choices[1]
		choice.Name = name
		dimension.Choices = append(dimension.Choices, choice)
	}
	if got := countsOf(find().Pods); got != "1 members, 1 topology Job, "+other+"1 load pods" {
		t.Errorf("of three duets, one after the other, there are %s", got)
	}
	objects.Suites[0].Spec.Parallelism = new(int32(2))
	if got := countsOf(find().Pods); got != "2 members, 2 topology Job, "+other+"2 load pods" {
		t.Errorf("of three duets, two at a time, there are %s", got)
	}
}

func TestASuiteTellsWhatItsRunsStore(t *testing.T) {
	found, err := estimate.Of(sample(t, "suite"), estimate.Surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	suite := found.Suites[0]
	if suite.MostReportBytes != 10*900<<10 || suite.HistorySizeLimit != 512<<20 {
		t.Errorf("reports take %d bytes of %d, want ten times 900 KiB of 512 MiB", suite.MostReportBytes,
			suite.HistorySizeLimit)
	}
}

func TestATargetThatIsReferredTo(t *testing.T) {
	objects := sample(t, "standalone")
	declared := benchv1alpha1.BenchmarkTarget{Spec: *objects.Runs[0].Spec.Target}
	objects.Runs[0].Spec.Target = nil
	objects.Runs[0].Spec.TargetRef = &benchv1alpha1.NameReference{Name: "shared"}
	files := map[string]benchv1alpha1.BenchmarkTarget{"shared": declared}
	const all, load = "1 members, 1 topology Job, 1 load pods", "1 load pods"
	stands := []string{"shared"}
	for name, tc := range map[string]struct {
		around estimate.Surroundings
		pods   string
		says   string
	}{
		"and is in the files":                {estimate.Surroundings{Declared: files}, all, ""},
		"and stands":                         {estimate.Surroundings{Standing: stands}, load, "stands already"},
		"and stands, and is in the files":    {estimate.Surroundings{Standing: stands, Declared: files}, load, "stands"},
		"and is nowhere that could be found": {estimate.Surroundings{}, load, "neither in the files"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := estimate.Of(objects, tc.around)
			if err != nil {
				t.Fatal(err)
			}
			run := found.Runs[0]
			if left := strings.Join(run.NotCounted, "; "); countsOf(run.Pods) != tc.pods || !strings.Contains(left, tc.says) {
				t.Errorf("got %s, not counted: %s", countsOf(run.Pods), left)
			}
		})
	}
}

func TestAVolumeThatIsTooSmall(t *testing.T) {
	objects := sample(t, "standalone")
	objects.Runs[0].Spec.Dataset.Collections[0].DocumentCount = new(int64(1_000_000_000))
	found, err := estimate.Of(objects, estimate.Surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	if got := found.Runs[0].Warnings; len(got) != 1 || !strings.Contains(got[0], "its volume has 2 GiB") {
		t.Errorf("the warnings are %q", got)
	}
}

func TestFilesThatMakeNoSense(t *testing.T) {
	header := "apiVersion: mongobench.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: a}\n"
	for name, content := range map[string]string{
		"nothing to be run":    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		"an unknown field":     header + "spec: {fly: true}\n",
		"a run without fields": header + "spec: {}\n",
		"no YAML":              "a: b: c",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file.yaml")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			objects, err := estimateFile(path)
			if err == nil {
				_, err = estimate.Of(objects, estimate.Surroundings{})
			}
			if !errors.Is(err, cluster.ErrUsage) {
				t.Errorf("got %v", err)
			}
		})
	}
}
