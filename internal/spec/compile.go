package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// idField is the name of the field that every document has.
const idField = "_id"

// Compile turns a valid specification into the plan of its run, with presets and sweeps written out and every default
// filled in. It is a pure function, and two specifications that mean the same give the same plan. A target that is only
// referred to counts as one without settings.
func Compile(spec benchv1alpha1.BenchmarkRunSpec) planv1.Plan {
	return CompileDuet(NormaliseOn(spec, benchv1alpha1.BenchmarkTargetSpec{}), benchv1alpha1.BenchmarkTargetSpec{})
}

// CompileNormal is Compile for what NormaliseOn returned, without its duet.
func CompileNormal(spec benchv1alpha1.BenchmarkRunSpec) planv1.Plan {
	load := spec.Dataset.Load
	plan := planv1.Plan{
		Version: planv1.Version,
		Seed:    *spec.Seed,

		OperationSeed: ptr.Deref(spec.OperationSeed, 0),

		Pods:        int(*spec.LoadGenerator.Pods),
		Processors:  int(ptr.Deref(spec.LoadGenerator.Processors, 0)),
		Client:      *spec.LoadGenerator.Client,
		Database:    *spec.Dataset.Database,
		Collections: make([]planv1.Collection, 0, len(spec.Dataset.Collections)),
		Steps:       make([]planv1.Step, 0, len(spec.Workload.Steps)+4),
	}
	if gateway := spec.LoadGenerator.Gateway; gateway != nil {
		plan.Gateway = &planv1.Gateway{
			OperationsPerRequest: int(*gateway.OperationsPerRequest), PoolSize: int(*gateway.PoolSize),
			Pods: int(*gateway.Pods), CPUMillicores: gateway.Resources.Limits.Cpu().MilliValue(),
		}
	}
	collections := spec.Dataset.Collections
	if at := Growing(&spec); at > 0 { // The load generator grows the first.
		collections = slices.Concat(collections[at:at+1], collections[:at], collections[at+1:])
	}
	for _, file := range spec.Dataset.Files {
		plan.DataFiles = append(plan.DataFiles, planv1.DataFile{
			Name: file.Name, File: CompileFile(file.FileSource), Format: file.Format,
		})
	}
	for _, collection := range collections {
		compiled := CompileCollection(collection)
		compiled.Type = collectionType(*spec.Target)
		plan.Collections = append(plan.Collections, compiled)
	}
	plan = plan.Referred()
	sizes := benchv1alpha1.CheckpointSizes(spec.Workload.Growth)
	grow(plan.Collections, sizes)
	if plan.Existing = compileExisting(spec.Dataset.Existing); plan.Existing != nil {
		plan.Steps = append(plan.Steps, planv1.Step{Name: planv1.StepNameSurvey, Kind: planv1.StepSurvey})
	} else {
		plan.Steps = append(plan.Steps, loadingSteps(load, plan.Collections)...)
	}
	measured := make([]planv1.Step, 0, len(spec.Workload.Steps))
	for _, step := range spec.Workload.Steps {
		measured = append(measured, compileStep(step, plan.Client, plan.Database)...)
		if search := measured[len(measured)-1].Search; search != nil {
			search.Together = plan.Pods > 1
		}
	}
	plan.Steps = append(plan.Steps, growingSteps(load, sizes, measured)...)
	declareDurability(&plan, *spec.Target)
	// Dates around the instant of the load are too old when the dataset is found again.
	// Nor is it known what a file held when they were loaded.
	plan.ReloadAlways = *load.Reuse == benchv1alpha1.ReuseNever || plan.DatedFromLoad() || len(plan.DataFiles) > 0
	plan.Dataset = datasetFingerprint(plan)
	return plan
}

func compileExisting(declared *benchv1alpha1.ExistingDataset) *planv1.Existing {
	if declared == nil {
		return nil
	}
	return &planv1.Existing{
		Writable: *declared.Writes == benchv1alpha1.ExistingWritesAllowed, SampledKeys: int64(*declared.SampledKeys),
	}
}

// loadingSteps bring the dataset into the target.
func loadingSteps(load *benchv1alpha1.Load, collections []planv1.Collection) []planv1.Step {
	indexLater := *load.Indexes == benchv1alpha1.IndexesAfterLoad
	steps := make([]planv1.Step, 0, 5)
	steps = append(steps,
		planv1.Step{Name: planv1.StepNamePrepare, Kind: planv1.StepPrepare, WithoutIndexes: indexLater},
		loadStep(load, planv1.StepNameLoad))
	if indexLater || slices.ContainsFunc(collections, planv1.Collection.Searched) {
		steps = append(steps, planv1.Step{Name: planv1.StepNameIndex, Kind: planv1.StepIndex})
	}
	spread := func(c planv1.Collection) bool { return c.Sharding != nil }
	if slices.ContainsFunc(collections, spread) {
		steps = append(steps, planv1.Step{Name: planv1.StepNameBalance, Kind: planv1.StepBalance})
	}
	verify := planv1.Step{Name: planv1.StepNameVerify, Kind: planv1.StepVerify}
	if *load.Verify != benchv1alpha1.VerifyCount {
		verify.Check = *load.Verify
	}
	return append(steps, verify)
}

func loadStep(load *benchv1alpha1.Load, name string) planv1.Step {
	return planv1.Step{
		Name:           name,
		Kind:           planv1.StepLoad,
		Threads:        int(*load.Threads),
		BatchDocuments: int(*load.BatchDocuments),
		Ordered:        *load.Order == benchv1alpha1.WriteOrdered,
	}
}

// CompileCollection makes the plan's form of one collection of a normalised specification.
func CompileCollection(declared benchv1alpha1.Collection) planv1.Collection {
	if declared.View != nil {
		view := *declared.View
		view.Pipeline = compileWritten(view.Pipeline)
		return planv1.Collection{Name: declared.Name, View: &view}
	}
	options := ptr.Deref(declared.Options, benchv1alpha1.CollectionOptions{})
	collection := planv1.Collection{
		Name:          declared.Name,
		DocumentCount: ptr.Deref(declared.DocumentCount, 0),
		Copies:        int64(ptr.Deref(declared.Copies, 0)),
		Fields:        compileFields(declared),
		Sharding:      compileSharding(declared.Sharding),
		Compressor:    strings.ToLower(string(ptr.Deref(options.Compressor, ""))),
		Clustered:     options.Clustered,
		TimeSeries:    options.TimeSeries,
		Collation:     options.Collation,

		PreAndPostImages: ptr.Deref(options.ChangeStreamPreAndPostImages, "") == benchv1alpha1.Enabled,
	}
	if options.Validator != nil {
		validator := *options.Validator
		validator.Filter = compileWritten(validator.Filter)
		collection.Validator = &validator
	}
	if options.Capped != nil {
		collection.CappedBytes = options.Capped.SizeBytes
		collection.CappedDocuments = ptr.Deref(options.Capped.MaxDocuments, 0)
	}
	if declared.Documents != nil {
		collection.DocumentsFrom, collection.Fields = declared.Documents.File, []planv1.Field{}
	}
	for _, index := range declared.Indexes {
		collection.Indexes = append(collection.Indexes, CompileIndex(index))
	}
	for _, index := range declared.SearchIndexes {
		index.Definition = compileWritten(index.Definition)
		collection.SearchIndexes = append(collection.SearchIndexes, index)
	}
	return collection
}

// collectionType is what the target keeps its collections in, empty for the server's default.
func collectionType(target benchv1alpha1.BenchmarkTargetSpec) string {
	declared := ptr.Deref(target.MongoDB, benchv1alpha1.MongoDBTarget{})
	engine := ptr.Deref(declared.Engine, benchv1alpha1.EngineSpec{})
	wiredTiger := ptr.Deref(engine.WiredTiger, benchv1alpha1.WiredTigerSpec{})
	if ptr.Deref(wiredTiger.Type, "") == benchv1alpha1.WiredTigerLSM {
		return planv1.TypeLSM
	}
	return ""
}

// compileFields puts _id first, where the server would put it too, so that the bytes that are sent are those that are
// stored.
func compileFields(collection benchv1alpha1.Collection) []planv1.Field {
	fields := make([]planv1.Field, 0, len(collection.Fields)+1)
	fields = append(fields, planv1.Field{Name: idField, Value: planv1.Value{
		Type: benchv1alpha1.GeneratorObjectID,
		Seed: derivedSeed(collection.Name, idField),
	}})
	for _, declared := range collection.Fields {
		field := planv1.Field{Name: declared.Name, Value: compileField(declared, collection.Name)}
		if declared.Name == idField {
			fields[0] = field
			continue
		}
		fields = append(fields, field)
	}
	return nestArrays(collection.Name, "", fields)
}

// CompileIndex makes the plan's form of an index of a normalised specification.
func CompileIndex(declared benchv1alpha1.Index) planv1.Index {
	index := planv1.Index{
		Name:               ptr.Deref(declared.Name, ""),
		Keys:               CompileKey(declared.Keys),
		ExpireAfterSeconds: declared.ExpireAfterSeconds,
		PartialFilter:      compileWritten(declared.PartialFilter),
		WildcardProjection: compileWritten(declared.WildcardProjection),
		Collation:          declared.Collation,
		Text:               declared.Text,
	}
	for _, property := range declared.Properties {
		index.Unique = index.Unique || property == benchv1alpha1.IndexUnique
		index.Sparse = index.Sparse || property == benchv1alpha1.IndexSparse
		index.Hidden = index.Hidden || property == benchv1alpha1.IndexHidden
	}
	return index
}

// order is how the server writes the order of a key of an index or of a sort.
func order(declared string) string {
	switch declared {
	case string(benchv1alpha1.IndexKeyDescending):
		return "-1"
	case string(benchv1alpha1.IndexKeyHashed):
		return planv1.OrderHashed
	case string(benchv1alpha1.IndexKeyText):
		return planv1.OrderText
	case string(benchv1alpha1.IndexKeySphere2D):
		return planv1.OrderSphere2D
	case string(benchv1alpha1.IndexKeyPlane2D):
		return planv1.OrderPlane2D
	default:
		return "1"
	}
}

func compileSharding(declared *benchv1alpha1.Sharding) *planv1.Sharding {
	if declared == nil {
		return nil
	}
	sharding := &planv1.Sharding{
		Key:                 CompileKey(declared.Key),
		InitialChunks:       int(ptr.Deref(declared.InitialChunks, 0)),
		SplitPoints:         compileConstants(declared.SplitPoints),
		MaxImbalancePercent: int(*declared.MaxImbalancePercent),
	}
	for _, zone := range declared.Zones {
		compiled := planv1.Zone{Name: zone.Name, Min: compileBound(zone.Min), Max: compileBound(zone.Max)}
		for _, shard := range zone.Shards {
			compiled.Shards = append(compiled.Shards, int(shard))
		}
		sharding.Zones = append(sharding.Zones, compiled)
	}
	return sharding
}

// CompileKey makes the plan's form of the key of an index, or of a shard key.
func CompileKey(declared []benchv1alpha1.IndexKey) []planv1.IndexKey {
	keys := make([]planv1.IndexKey, 0, len(declared))
	for _, key := range declared {
		keys = append(keys, planv1.IndexKey{Field: key.Field, Order: order(string(*key.Type))})
	}
	return keys
}

// datasetFormat changes when the load generator makes other documents for the same declaration: what an earlier version
// loaded is then another dataset.
const datasetFormat = "dataset.mongobench.dev/v1alpha1"

// datasetFingerprint is the SHA-256, in hexadecimal, of all that the documents and their places depend on once they are
// loaded. By how many threads, in what batches, and when the indexes were built is no part of it.
func datasetFingerprint(plan planv1.Plan) string {
	collections := slices.Clone(plan.Collections)
	for i := range collections {
		sharding := collections[i].Sharding
		if sharding == nil {
			// Where a collection will grow to decides about the split points of a sharded one, and about nothing else.
			collections[i].GrowsTo = 0
			continue
		}
		spread := *sharding
		spread.MaxImbalancePercent = 0
		collections[i].Sharding = &spread
	}
	existing := plan.Existing
	if existing != nil { // Whether it may be written to makes no other documents.
		existing = &planv1.Existing{SampledKeys: existing.SampledKeys}
	}
	hash := sha256.New()
	// Of these types nothing fails to be encoded, and a hash takes everything.
	_ = json.NewEncoder(hash).Encode(struct {
		Format      string              `json:"format"`
		Seed        int64               `json:"seed"`
		Database    string              `json:"database"`
		Collections []planv1.Collection `json:"collections"`
		Existing    *planv1.Existing    `json:"existing,omitempty"`
		DataFiles   []planv1.DataFile   `json:"dataFiles,omitempty"`
	}{datasetFormat, plan.Seed, plan.Database, collections, existing, plan.DataFiles})
	return hex.EncodeToString(hash.Sum(nil))
}
