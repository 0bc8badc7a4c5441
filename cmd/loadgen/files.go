package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec/schema"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// kindRun is the kind of object that can be run.
const kindRun = "BenchmarkRun"

// placing says where the load of a run comes from, which a file leaves open: it checks a run for it, once it has set
// in the object what depends on it.
type placing interface {
	set(spec map[string]any)
	check(run *benchv1alpha1.BenchmarkRun) error
}

// readRun reads the BenchmarkRun of a file, for a load from this process alone, and the ConfigMaps that are in the same
// file.
func readRun(path string) (*benchv1alpha1.BenchmarkRun, configMaps, error) {
	return readRunFor(path, oneProcess{})
}

func readRunFor(path string, load placing) (*benchv1alpha1.BenchmarkRun, configMaps, error) {
	content, err := readAll(path)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the run: %w", err)
	}
	var found map[string]any
	beside := configMaps{}
	for document := range strings.SplitSeq("\n"+string(content), "\n---") {
		run, err := beside.parse([]byte(document))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		if run != nil && found != nil {
			return nil, nil, fmt.Errorf("%s: there is more than one %s; run them one by one", path, kindRun)
		}
		if run != nil {
			found = run
		}
	}
	if found == nil {
		return nil, nil, fmt.Errorf("%s: there is no %s in it", path, kindRun)
	}
	run, err := checked(found, path, load)
	return run, beside, err
}

// declared is the run of the flags: that of a preset, or of a file with the ConfigMaps that it has.
func (f *declaration) declared(load placing) (*benchv1alpha1.BenchmarkRun, configMaps, error) {
	if f.preset == "" {
		return readRunFor(f.run, load)
	}
	run := &benchv1alpha1.BenchmarkRun{}
	run.APIVersion, run.Kind = benchv1alpha1.GroupVersion.String(), kindRun
	run.Spec.Preset = &benchv1alpha1.Preset{
		Name: benchv1alpha1.PresetName(f.preset), Parameters: maps.Clone(f.parameters), WarmupSeconds: new(int32(f.warmup)),
	}
	object, err := benchv1alpha1.ToUnstructured(run)
	if err != nil {
		return nil, nil, fmt.Errorf("--preset %s: %w", f.preset, err)
	}
	found, err := checked(object, "--preset "+f.preset, load)
	return found, nil, err
}

// ready checks the plan of a run, makes the folder of its results, and returns the plan as it is handed on.
func (f *declaration) ready(plan planv1.Plan, folder string) ([]byte, error) {
	if err := engine.Check(plan); err != nil {
		return nil, fmt.Errorf("%s%s: %w", f.run, f.preset, err)
	}
	if err := makeFolder(folder); err != nil {
		return nil, err
	}
	return planv1.Encode(plan)
}

// checked returns a run that was declared at a place, once it is one that the API server would take and that makes
// sense.
func checked(object map[string]any, place string, load placing) (*benchv1alpha1.BenchmarkRun, error) {
	if spec, ok := object["spec"].(map[string]any); ok {
		if spec["target"] == nil && spec["targetRef"] == nil {
			// By hand the target is --uri, so that a file may leave it out.
			spec["targetRef"] = map[string]any{"name": "uri"}
		}
		load.set(spec)
	}
	run := &benchv1alpha1.BenchmarkRun{}
	err := schema.Check(object)
	schema.Forget()
	if err == nil {
		err = benchv1alpha1.FromUnstructured(object, run)
	}
	if err == nil {
		err = load.check(run)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	return run, nil
}

// ample checks a run without the memory limit of load pods, and returns it so.
func ample(declared *benchv1alpha1.BenchmarkRun) (*benchv1alpha1.BenchmarkRun, error) {
	run := declared.DeepCopy()
	if run.Spec.LoadGenerator == nil {
		run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{}
	}
	generator := run.Spec.LoadGenerator
	if generator.Resources == nil {
		generator.Resources = &corev1.ResourceRequirements{}
	}
	limits := corev1.ResourceList{corev1.ResourceMemory: *resource.NewQuantity(math.MaxInt64, resource.BinarySI)}
	if cpu, declared := generator.Resources.Limits[corev1.ResourceCPU]; declared {
		limits[corev1.ResourceCPU] = cpu
	}
	generator.Resources.Limits = limits
	return run, validation.ValidateRun(run).ToAggregate()
}

// oneProcess is the placing of a load that comes from this process alone.
type oneProcess struct{}

func (oneProcess) set(map[string]any) {}

// check checks a run as this process makes it: all in one process, which has the memory of the machine, or what
// GOMEMLIMIT leaves of it.
func (oneProcess) check(declared *benchv1alpha1.BenchmarkRun) error {
	run, err := ample(declared)
	if err != nil {
		return err
	}
	memory := min(debug.SetMemoryLimit(-1), machineMemory()) // The limit is not changed.
	run.Spec.LoadGenerator.Pods = new(int32(1))
	if needed := validation.Memory(run.Spec).Bytes; needed > memory {
		return fmt.Errorf("the run needs about %d MiB of memory in one process, and it has %d MiB: lower the threads or "+
			"the documents in a batch, raise GOMEMLIMIT if it is set, or take a larger machine", needed>>20, memory>>20)
	}
	return nil
}

// configMaps are the data of ConfigMaps, by their names and keys.
type configMaps map[string]map[string]string

// parse returns nil for a document of another kind: a file may hold objects that are not this program's. It keeps
// ConfigMaps.
func (c configMaps) parse(document []byte) (map[string]any, error) {
	var object map[string]any
	if err := yaml.Unmarshal(document, &object); err != nil {
		return nil, err
	}
	if object["kind"] == "ConfigMap" {
		var kept corev1.ConfigMap
		err := yaml.Unmarshal(document, &kept)
		c[kept.Name] = kept.Data
		return nil, err
	}
	if object["kind"] != kindRun {
		return nil, nil
	}
	content, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return nil, err
	}
	clear(object)
	return object, kjson.UnmarshalCaseSensitivePreserveInts(content, &object)
}

func readAll(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(path)
}

// makeFolder makes the folder of the results before anything is measured, so that nothing is measured in vain.
func makeFolder(folder string) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("making the folder of the results: %w", err)
	}
	return nil
}

// writeResults writes a report in every form, its histograms, and the servers' diagnostic data.
func writeResults(folder string, report reportv1.Report) error {
	if folder == "" {
		return nil
	}
	forms := map[string]func(io.Writer) error{
		"report.txt":  func(to io.Writer) error { return output.Text(to, report) },
		"report.json": func(to io.Writer) error { return output.JSON(to, report) },
		"report.csv":  func(to io.Writer) error { return output.CSV(to, report) },
	}
	plots, failures := output.Plots(report)
	for _, plot := range plots {
		forms[plot.Name] = plot.Write
	}
	for _, file := range output.DiagnosticFiles(report) {
		forms[file.Name] = func(to io.Writer) error { _, err := to.Write(file.Data); return err }
	}
	for name, write := range forms {
		if err := writeFile(filepath.Join(folder, name), write); err != nil {
			failures = errors.Join(failures, fmt.Errorf("writing %s: %w", name, err))
		}
	}
	return failures
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
