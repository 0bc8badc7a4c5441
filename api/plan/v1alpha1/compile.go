package v1alpha1

import (
	"strings"

	"k8s.io/utils/ptr"

	"github.com/mongobench/mongobench-operator/api/presets"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Names of the steps that a plan begins with. A step of a workload cannot have one of them.
const (
	StepNamePrepare = "prepare"
	StepNameLoad    = "load"
	StepNameIndex   = "index"
	StepNameVerify  = "verify"
)

// idField is the name of the field that every document has.
const idField = "_id"

// Compile turns a valid specification into the plan of its run, with presets and sweeps written out and every default
// filled in. It is a pure function, and two specifications that mean the same give the same plan.
func Compile(spec benchv1alpha1.BenchmarkRunSpec) Plan {
	spec, _ = presets.Expand(spec) // What is wrong with a preset, the validation has told.
	generator := ptr.Deref(spec.LoadGenerator, benchv1alpha1.LoadGenerator{})
	plan := Plan{
		Version:     Version,
		Seed:        ptr.Deref(spec.Seed, benchv1alpha1.DefaultSeed),
		Pods:        int(ptr.Deref(generator.Pods, benchv1alpha1.DefaultPods)),
		Client:      Client(ptr.Deref(generator.Client, benchv1alpha1.ClientAuto)),
		Database:    ptr.Deref(spec.Dataset.Database, benchv1alpha1.DefaultDatabase),
		Collections: make([]Collection, 0, len(spec.Dataset.Collections)),
		Steps:       make([]Step, 0, len(spec.Workload.Steps)+4),
	}
	for _, collection := range spec.Dataset.Collections {
		plan.Collections = append(plan.Collections, compileCollection(collection))
	}
	plan.Steps = append(plan.Steps, loadingSteps(spec.Dataset.Load)...)
	for _, step := range spec.Workload.Steps {
		plan.Steps = append(plan.Steps, compileStep(step, defaultCollection(spec.Dataset))...)
	}
	return plan
}

func defaultCollection(dataset benchv1alpha1.Dataset) string {
	if len(dataset.Collections) == 0 {
		return ""
	}
	return dataset.Collections[0].Name
}

func loadingSteps(declared *benchv1alpha1.Load) []Step {
	load := ptr.Deref(declared, benchv1alpha1.Load{})
	indexLater := ptr.Deref(load.Indexes, benchv1alpha1.IndexesBeforeLoad) == benchv1alpha1.IndexesAfterLoad
	steps := make([]Step, 0, 4)
	steps = append(steps, Step{Name: StepNamePrepare, Kind: StepPrepare, WithoutIndexes: indexLater}, Step{
		Name:           StepNameLoad,
		Kind:           StepLoad,
		Threads:        int(ptr.Deref(load.Threads, benchv1alpha1.DefaultLoadThreads)),
		BatchDocuments: int(ptr.Deref(load.BatchDocuments, benchv1alpha1.DefaultLoadBatchDocuments)),
		Ordered:        ptr.Deref(load.Order, benchv1alpha1.WriteUnordered) == benchv1alpha1.WriteOrdered,
	})
	if indexLater {
		steps = append(steps, Step{Name: StepNameIndex, Kind: StepIndex})
	}
	return append(steps, Step{Name: StepNameVerify, Kind: StepVerify, Check: compileCheck(load.Verify)})
}

func compileCheck(declared *benchv1alpha1.Verification) Check {
	switch ptr.Deref(declared, benchv1alpha1.VerifyCount) {
	case benchv1alpha1.VerifySample:
		return CheckSample
	case benchv1alpha1.VerifyAll:
		return CheckAll
	default:
		return ""
	}
}

func compileCollection(declared benchv1alpha1.Collection) Collection {
	options := ptr.Deref(declared.Options, benchv1alpha1.CollectionOptions{})
	collection := Collection{
		Name:          declared.Name,
		DocumentCount: ptr.Deref(declared.DocumentCount, 0),
		Fields:        compileFields(declared),
		Compressor:    strings.ToLower(string(ptr.Deref(options.Compressor, ""))),
	}
	if options.Capped != nil {
		collection.CappedBytes = options.Capped.SizeBytes
		collection.CappedDocuments = ptr.Deref(options.Capped.MaxDocuments, 0)
	}
	for _, index := range declared.Indexes {
		collection.Indexes = append(collection.Indexes, compileIndex(index))
	}
	return collection
}

// compileFields puts _id first, where the server would put it too, so that the bytes that are sent are those that are
// stored.
func compileFields(collection benchv1alpha1.Collection) []Field {
	fields := make([]Field, 0, len(collection.Fields)+1)
	fields = append(fields, Field{Name: idField, Value: Value{
		Type: TypeObjectID,
		Seed: derivedSeed(collection.Name, idField),
	}})
	for _, declared := range collection.Fields {
		field := Field{Name: declared.Name, Value: compileField(declared, collection.Name)}
		if declared.Name == idField {
			fields[0] = field
			continue
		}
		fields = append(fields, field)
	}
	return fields
}

func compileIndex(declared benchv1alpha1.Index) Index {
	index := Index{
		Name:               ptr.Deref(declared.Name, ""),
		Keys:               make([]IndexKey, 0, len(declared.Keys)),
		ExpireAfterSeconds: declared.ExpireAfterSeconds,
	}
	for _, key := range declared.Keys {
		kind := ptr.Deref(key.Type, benchv1alpha1.IndexKeyAscending)
		index.Keys = append(index.Keys, IndexKey{Field: key.Field, Order: order(string(kind))})
	}
	for _, property := range declared.Properties {
		index.Unique = index.Unique || property == benchv1alpha1.IndexUnique
		index.Sparse = index.Sparse || property == benchv1alpha1.IndexSparse
	}
	return index
}

// order is how the server writes the order of a key of an index or of a sort.
func order(declared string) string {
	switch declared {
	case string(benchv1alpha1.IndexKeyDescending):
		return "-1"
	case string(benchv1alpha1.IndexKeyHashed):
		return "hashed"
	default:
		return "1"
	}
}
