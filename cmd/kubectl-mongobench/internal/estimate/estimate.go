package estimate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/utils/ptr"

	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/cmd/kubectl-mongobench/internal/cluster"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/schema"
	"github.com/mongobench/mongobench-operator/internal/spec/validation"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

// Estimate is what files will take.
type Estimate struct {
	Runs   []Run   `json:"runs"`
	Suites []Suite `json:"suites"`
	// Reference is the run that loads are reckoned by; nil without.
	Reference *Reference `json:"reference,omitempty"`
}

// Run is what one run will take.
type Run struct {
	Name string `json:"name"`
	// Pods of the target, of a duet also those of the baseline's, and the load pods.
	Pods    []Pods       `json:"pods"`
	Dataset []Collection `json:"dataset"`
	Time    Time         `json:"time"`
	// LoadMemoryBytes is the resident memory that a load pod takes at most, replies aside.
	LoadMemoryBytes int64 `json:"loadMemoryBytes"`
	// Warnings are about what will not do, and NotCounted is what is left out.
	Warnings   []string `json:"warnings,omitempty"`
	NotCounted []string `json:"notCounted"`
	Fits       *Fit     `json:"fits,omitempty"`

	target, baseline, load []Pods
}

// Surroundings are what an estimate needs besides a specification.
type Surroundings struct {
	// Declared are the targets of the files, and Standing the names of those that the cluster has.
	Declared map[string]benchv1alpha1.BenchmarkTarget
	Standing []string
	// Reference is a finished run of the same namespace; nil without.
	Reference *Reference
}

// Of reckons what files will take. Files that make no sense are an ErrUsage.
func Of(objects Objects, around Surroundings) (Estimate, error) {
	estimate := Estimate{Runs: []Run{}, Suites: []Suite{}, Reference: around.Reference}
	for i := range objects.Runs {
		run := &objects.Runs[i]
		if errs := validation.ValidateRun(run); len(errs) > 0 {
			return estimate, fmt.Errorf("%w: run %s: %w", cluster.ErrUsage, run.Name, errs.ToAggregate())
		}
		found, err := runOf(run.Name, run.Spec, around)
		if err != nil {
			return estimate, fmt.Errorf("%w: run %s: %w", cluster.ErrUsage, run.Name, err)
		}
		estimate.Runs = append(estimate.Runs, found)
	}
	for i := range objects.Suites {
		found, err := suiteOf(&objects.Suites[i], around)
		if err != nil {
			return estimate, fmt.Errorf("%w: suite %s: %w", cluster.ErrUsage, objects.Suites[i].Name, err)
		}
		estimate.Suites = append(estimate.Suites, found)
	}
	return estimate, nil
}

// runOf reckons one run.
func runOf(name string, declared benchv1alpha1.BenchmarkRunSpec, around Surroundings) (Run, error) {
	plan := spec.Compile(declared)
	collections, err := Dataset(plan)
	if err != nil {
		return Run{}, err
	}
	run := Run{
		Name: name, Dataset: collections, Time: timeOf(plan), LoadMemoryBytes: validation.Memory(declared).Bytes,
		NotCounted: notCounted(plan),
	}
	run.Time.Load, run.Time.Rest = around.Reference.load(collections), around.Reference.rest()
	target := declared.Target
	if target == nil && declared.TargetRef != nil {
		target = run.referred(declared.TargetRef.Name, around)
	}
	run.target = run.standing(plan, target, collections)
	if plan.Duet != nil {
		if err := run.takeTurns(*plan.Duet, declared.Duet.Baseline.TargetRef.Name, around); err != nil {
			return Run{}, err
		}
	}
	run.load = append([]Pods{LoadPods(declared)}, GatewayPods(declared)...)
	run.Pods = slices.Concat(run.target, run.baseline, run.load)
	return run, nil
}

// standing are the pods of a target that holds these collections; none when it is not made together with the run.
func (r *Run) standing(
	plan planv1alpha1.Plan, target *benchv1alpha1.BenchmarkTargetSpec, collections []Collection,
) []Pods {
	if target == nil {
		return nil
	}
	r.NotCounted = append(r.NotCounted, madeByOthers(*target)...)
	r.Warnings = append(r.Warnings, tight(plan, *target, collections)...)
	return TargetPods(*target)
}

// takeTurns adds the other side of a duet, whose target stands at the same time.
func (r *Run) takeTurns(duet planv1alpha1.Duet, name string, around Surroundings) error {
	collections, err := Dataset(duet.Baseline)
	if err != nil {
		return fmt.Errorf("the baseline: %w", err)
	}
	warnings := len(r.Warnings)
	r.baseline = r.standing(duet.Baseline, r.referred(name, around), collections)
	for i := range r.baseline {
		r.baseline[i].Part = "baseline " + r.baseline[i].Part
	}
	for i := range r.Warnings[warnings:] {
		r.Warnings[warnings+i] = "the baseline: " + r.Warnings[warnings+i]
	}
	r.NotCounted = append(r.NotCounted, "the windows of the duet: durationSeconds of each side at most, and fewer once "+
		"every line is decided")
	return nil
}

// referred finds the target that a run refers to: its pods count only where it is made together with the run.
func (r *Run) referred(name string, around Surroundings) *benchv1alpha1.BenchmarkTargetSpec {
	declared, ok := around.Declared[name]
	switch {
	case slices.Contains(around.Standing, name):
		r.NotCounted = append(r.NotCounted, fmt.Sprintf("target %s, which stands already", name))
	case ok:
		return &declared.Spec
	default:
		r.NotCounted = append(r.NotCounted,
			fmt.Sprintf("target %s, which is neither in the files nor in the namespace", name))
	}
	return nil
}

// notCounted says what of a plan costs time or room that cannot be predicted.
func notCounted(plan planv1alpha1.Plan) []string {
	left := []string{"journals and oplogs"}
	if slices.ContainsFunc(plan.Collections, func(c planv1alpha1.Collection) bool { return len(c.Indexes) > 0 }) {
		left = append(left, "indexes: their size, and the time to build them")
	}
	inserts := false
	for _, step := range plan.Steps {
		switch {
		case step.Kind == planv1alpha1.StepBalance:
			left = append(left, "the time until shards hold even shares")
		case step.Kind == planv1alpha1.StepVerify && step.Check != "":
			left = append(left, fmt.Sprintf("the time to verify the dataset (%s)", step.Check))
		}
		inserts = inserts || slices.ContainsFunc(step.Operations, insertsDocuments)
	}
	if inserts {
		left = append(left, "documents that steps insert")
	}
	return left
}

func insertsDocuments(operation planv1alpha1.Operation) bool {
	return insertsRequested(operation.Request) || slices.ContainsFunc(operation.Operations, insertsRequested)
}

func insertsRequested(request benchv1alpha1.Request) bool {
	return request.WhenMissing == benchv1alpha1.MissingInsert || strings.HasPrefix(string(request.Kind), "Insert")
}

func madeByOthers(target benchv1alpha1.BenchmarkTargetSpec) []string {
	mongoDB := ptr.Deref(target.MongoDB, benchv1alpha1.MongoDBTarget{})
	if ptr.Deref(mongoDB.Provider, "") == benchv1alpha1.ProviderMongoDBCommunity {
		return []string{"the agents that the MongoDB Community Operator puts beside members"}
	}
	return nil
}

// tight says that the documents of a member do not fit on its volume as they are.
func tight(
	plan planv1alpha1.Plan, target benchv1alpha1.BenchmarkTargetSpec, collections []Collection,
) []string {
	if target.Topology() == benchv1alpha1.TopologyExternal {
		return nil
	}
	target = spec.NormaliseTarget(target)
	shards, byClient := int64(1), false
	if target.Topology() == benchv1alpha1.TopologySharded {
		shards = int64(*target.MongoDB.Sharded.Shards)
		byClient = *target.MongoDB.Sharded.Router == benchv1alpha1.RouterClient
	}
	each := int64(0)
	for i, c := range collections {
		if byClient || plan.Stored()[i].Sharding != nil {
			each += c.Bytes / shards
		} else {
			each += c.Bytes
		}
	}
	volume := product.VolumeOf(target).Size.Value()
	if each <= volume {
		return nil
	}
	return []string{fmt.Sprintf("a member holds %s of documents before compression, and its volume has %s",
		present.Bytes(each), present.Bytes(volume))}
}

// total is what pods ask for and may use together.
func total(all []Pods) (requests, limits capacity.Amount, volumes int64) {
	for _, pods := range all {
		one := pods.Requests
		one.Pods = 1
		requests = requests.Plus(one.Times(pods.Count))
		limits = limits.Plus(pods.Limits.Times(pods.Count))
		if pods.Volume != nil {
			volumes += pods.Volume.Bytes * int64(pods.Count)
		}
	}
	return requests, limits, volumes
}

// larger orders sets of pods by what they ask for.
func larger(a, b []Pods) int {
	first, _, _ := total(a)
	second, _, _ := total(b)
	return cmp.Or(cmp.Compare(first.CPUMillis, second.CPUMillis), cmp.Compare(first.MemoryBytes, second.MemoryBytes))
}

const (
	// mostSampled documents of a collection are made to learn how long they are, and fewer of long ones: sampledBytes
	// in all, yet leastSampled documents.
	mostSampled  = 1000
	leastSampled = 10
	sampledBytes = 32 << 20
)

// Collection is what one collection will hold once everything is loaded.
type Collection struct {
	Name      string `json:"name"`
	Documents int64  `json:"documents"`
	// DocumentBytes is the mean length, in BSON and so before compression, of Sampled documents that were made.
	DocumentBytes int64 `json:"documentBytes"`
	Sampled       int64 `json:"sampled"`
	// Bytes of all documents, without indexes.
	Bytes int64 `json:"bytes"`
}

// Dataset makes some documents of each collection, evenly over all of them, and reckons with their mean length. A
// collection that grows counts with its last size.
func Dataset(plan planv1alpha1.Plan) ([]Collection, error) {
	all := make([]Collection, 0, len(plan.Collections))
	for _, declared := range plan.Stored() {
		found := Collection{Name: declared.Name, Documents: max(declared.DocumentCount, declared.GrowsTo)}
		if found.Documents > 0 {
			generator, err := document.Compile(plan.Seed, declared)
			if err != nil {
				return nil, err
			}
			found.sample(generator)
		}
		if declared.CappedDocuments > 0 {
			found.Bytes = min(found.Bytes, declared.CappedDocuments*found.DocumentBytes)
		}
		if declared.CappedBytes > 0 {
			found.Bytes = min(found.Bytes, declared.CappedBytes)
		}
		all = append(all, found)
	}
	return all, nil
}

func (c *Collection) sample(generator *document.Generator) {
	made := generator.Append(nil, 0)
	c.Sampled = min(c.Documents, mostSampled, max(leastSampled, sampledBytes/int64(len(made))))
	sum := int64(0)
	for i := range c.Sampled {
		made = generator.Append(made[:0], i*(c.Documents/c.Sampled))
		sum += int64(len(made))
	}
	c.DocumentBytes = (sum + c.Sampled/2) / c.Sampled
	c.Bytes = c.Documents * c.DocumentBytes
}

// sizeOf is the number of documents in all collections, and of their bytes.
func sizeOf(all []Collection) (documents, bytes int64) {
	for _, c := range all {
		documents, bytes = documents+c.Documents, bytes+c.Bytes
	}
	return documents, bytes
}

// Objects are what there is of mongobench in files.
type Objects struct {
	Runs    []benchv1alpha1.BenchmarkRun
	Suites  []benchv1alpha1.BenchmarkSuite
	Targets map[string]benchv1alpha1.BenchmarkTarget
}

// Read reads files, folders, addresses, standard input or a kustomization, and asks no API server what is in them.
// Objects of other kinds are left out.
func Read(files resource.FilenameOptions) (Objects, error) {
	objects := Objects{Targets: map[string]benchv1alpha1.BenchmarkTarget{}}
	if err := files.RequireFilenameOrKustomize(); err != nil {
		return objects, fmt.Errorf("%w: %w", cluster.ErrUsage, err)
	}
	infos, err := resource.NewLocalBuilder().Unstructured().Local().FilenameParam(false, &files).Flatten().Do().Infos()
	if err != nil {
		return objects, fmt.Errorf("%w: reading the files: %w", cluster.ErrUsage, err)
	}
	for _, info := range infos {
		object, ok := info.Object.(*unstructured.Unstructured)
		if !ok || object.GroupVersionKind().GroupVersion() != benchv1alpha1.GroupVersion {
			continue
		}
		if err := objects.add(object); err != nil {
			return objects, fmt.Errorf("%w: reading %s %s: %w", cluster.ErrUsage, object.GetKind(), object.GetName(), err)
		}
	}
	if len(objects.Runs)+len(objects.Suites) == 0 {
		return objects, fmt.Errorf("%w: there is no BenchmarkRun and no BenchmarkSuite in it", cluster.ErrUsage)
	}
	return objects, nil
}

func (o *Objects) add(object *unstructured.Unstructured) error {
	if err := schema.Check(object.Object); err != nil {
		return err
	}
	kind, err := cluster.ParseKind(object.GetKind())
	if err != nil {
		return err
	}
	typed := kind.New()
	if err := benchv1alpha1.FromUnstructured(object.Object, typed); err != nil {
		return err
	}
	switch typed := typed.(type) {
	case *benchv1alpha1.BenchmarkSuite:
		o.Suites = append(o.Suites, *typed)
	case *benchv1alpha1.BenchmarkTarget:
		o.Targets[typed.Name] = *typed
	case *benchv1alpha1.BenchmarkRun:
		o.Runs = append(o.Runs, *typed)
	}
	return nil
}
