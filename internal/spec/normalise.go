package spec

import (
	"cmp"
	"math"
	"slices"

	"k8s.io/utils/ptr"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/catalogue"
	"github.com/mongobench/mongobench-operator/internal/spec/presets"
)

// Normalise returns the specification of a run with its preset expanded and every default filled in. Lists keep their
// order, so that the path of a field means the same before and after. What has no default stays unset, and so does what
// the server decides.
func Normalise(declared benchv1alpha1.BenchmarkRunSpec) benchv1alpha1.BenchmarkRunSpec {
	return normalise(declared, ptr.Deref(declared.Target, benchv1alpha1.BenchmarkTargetSpec{}))
}

// normalise is Normalise for a run that is measured on this target.
func normalise(
	declared benchv1alpha1.BenchmarkRunSpec, on benchv1alpha1.BenchmarkTargetSpec,
) benchv1alpha1.BenchmarkRunSpec {
	expanded, _ := presets.Expand(declared) // Validation reports what is wrong with a preset.
	spec := expanded.DeepCopy()
	if spec.Target != nil {
		if deployment := spec.Target.Deployment(); deployment != nil && ActsOnMembers(spec.Workload.Steps) {
			product.Default(&deployment.MemberRestarts, benchv1alpha1.MemberRestartsTolerate)
		}
		target(spec.Target)
	}
	product.Default(&spec.Seed, benchv1alpha1.DefaultSeed)
	product.Default(&spec.RetryLimit, benchv1alpha1.DefaultRetryLimit)
	product.Default(&spec.CleanupPolicy, benchv1alpha1.DefaultCleanupPolicy)
	spec.LoadGenerator = new(LoadGenerator(spec.LoadGenerator))
	product.Default(&spec.LoadGenerator.Client, catalogue.Of(on).DefaultClient(on))
	spec.Deadlines = new(Deadlines(spec.Deadlines))
	duet(spec.Duet)
	dataset(&spec.Dataset)
	for i := range spec.Workload.Steps {
		step(&spec.Workload.Steps[i], &spec.Dataset, *spec.LoadGenerator.Pods)
		product.Default(&spec.Workload.Steps[i].Retry, defaultRetry(*spec.LoadGenerator.Client))
	}
	return *spec
}

// NormaliseOn is Normalise for a run that is measured on this target, unless it declares its own.
func NormaliseOn(
	declared benchv1alpha1.BenchmarkRunSpec, target benchv1alpha1.BenchmarkTargetSpec,
) benchv1alpha1.BenchmarkRunSpec {
	if declared.Target != nil {
		return Normalise(declared)
	}
	spec := normalise(declared, target)
	if spec.Target == nil {
		spec.Target = new(NormaliseTarget(target))
	}
	return spec
}

// LoadGenerator is that of a run with every default but for the client's, which depends on the target.
func LoadGenerator(declared *benchv1alpha1.LoadGenerator) benchv1alpha1.LoadGenerator {
	generator := ptr.Deref(declared.DeepCopy(), benchv1alpha1.LoadGenerator{})
	product.Default(&generator.Pods, benchv1alpha1.DefaultPods)
	product.Resources(&generator.Resources, benchv1alpha1.DefaultLoadResources)
	outlets(&generator)
	// Direct is as if nothing were said, so that the hashes of runs stay those of releases without gateways.
	if generator.Through != nil && *generator.Through == benchv1alpha1.WayDirect {
		generator.Through = nil
	}
	if generator.Through != nil {
		gateway := product.Section(&generator.Gateway)
		product.Default(&gateway.OperationsPerRequest, benchv1alpha1.DefaultOperationsPerRequest)
		product.Default(&gateway.PoolSize, benchv1alpha1.DefaultGatewayPoolSize)
		product.Default(&gateway.Pods, benchv1alpha1.DefaultGatewayPods)
		product.Resources(&gateway.Resources, benchv1alpha1.DefaultLoadResources)
		if gateway.PodSettings == nil {
			gateway.PodSettings = generator.PodSettings
		}
	}
	return generator
}

// outlets fills in what load pods write and send elsewhere.
func outlets(generator *benchv1alpha1.LoadGenerator) {
	if logs := generator.Logs; logs != nil {
		if len(logs.Kinds) == 0 {
			logs.Kinds = []benchv1alpha1.LogKind{benchv1alpha1.LogHistograms, benchv1alpha1.LogOperations}
		}
		product.Default(&logs.Format, benchv1alpha1.DefaultLogFormat)
		product.Default(&logs.SamplesPerSecond, benchv1alpha1.DefaultSamplesPerSecond)
	}
	for i := range generator.Push {
		product.Default(&generator.Push[i].IntervalSeconds, benchv1alpha1.DefaultPushSeconds)
	}
}

// Deadlines are those of a run with every default, but for measuring: the steps of the plan add up to its deadline.
func Deadlines(declared *benchv1alpha1.Deadlines) benchv1alpha1.Deadlines {
	deadlines := ptr.Deref(declared, benchv1alpha1.Deadlines{})
	product.Default(&deadlines.SchedulingSeconds, benchv1alpha1.DefaultSchedulingSeconds)
	product.Default(&deadlines.QueueingSeconds, benchv1alpha1.DefaultQueueingSeconds)
	product.Default(&deadlines.LoadingSeconds, benchv1alpha1.DefaultLoadingSeconds)
	product.Default(&deadlines.StoringSeconds, benchv1alpha1.DefaultStoringSeconds)
	return deadlines
}

// Database is where a run's dataset is.
func Database(declared benchv1alpha1.Dataset) string {
	product.Default(&declared.Database, benchv1alpha1.DefaultDatabase)
	return *declared.Database
}

// SharesDatabase says whether a run lets others that say so, too, measure in its database at the same time.
func SharesDatabase(declared benchv1alpha1.BenchmarkRunSpec) bool {
	concurrency := declared.Concurrency
	return concurrency != nil && concurrency.Database != nil && *concurrency.Database == benchv1alpha1.DatabaseShared
}

// ActsOnMembers says whether any step has an action that the operator carries out on the pods of the target.
func ActsOnMembers(steps []benchv1alpha1.Step) bool {
	byOperator := func(action benchv1alpha1.Action) bool { return action.Type.ByOperator() }
	return slices.ContainsFunc(steps, func(step benchv1alpha1.Step) bool {
		return slices.ContainsFunc(step.Actions, byOperator)
	})
}

func dataset(dataset *benchv1alpha1.Dataset) {
	product.Default(&dataset.Database, benchv1alpha1.DefaultDatabase)
	load := product.Section(&dataset.Load)
	product.Default(&load.Threads, benchv1alpha1.DefaultLoadThreads)
	product.Default(&load.BatchDocuments, benchv1alpha1.DefaultLoadBatchDocuments)
	product.Default(&load.Order, benchv1alpha1.WriteUnordered)
	product.Default(&load.Indexes, benchv1alpha1.IndexesBeforeLoad)
	product.Default(&load.Verify, benchv1alpha1.VerifyCount)
	product.Default(&load.Reuse, benchv1alpha1.ReuseIfClean)
	if existing := dataset.Existing; existing != nil {
		product.Default(&existing.Writes, benchv1alpha1.DefaultExistingWrites)
		product.Default(&existing.SampledKeys, benchv1alpha1.DefaultSampledKeys)
	}
	for i := range dataset.Collections {
		collection(&dataset.Collections[i])
	}
}

func collection(collection *benchv1alpha1.Collection) {
	if collection.View != nil {
		collection.View.Pipeline = cmp.Or(collection.View.Pipeline, "[]")
	}
	for j := range collection.Fields {
		product.Default(&collection.Fields[j].PresencePercent, benchv1alpha1.DefaultPresencePercent)
		value(&collection.Fields[j].Generator)
		nested(collection.Fields[j].Document)
		array(collection.Fields[j].Array)
	}
	for j := range collection.SearchIndexes {
		index := &collection.SearchIndexes[j]
		index.Type = cmp.Or(index.Type, benchv1alpha1.SearchIndexText)
	}
	for j := range collection.Indexes {
		key(collection.Indexes[j].Keys)
	}
	if options := collection.Options; options != nil && options.Validator != nil {
		product.Default(&options.Validator.Level, benchv1alpha1.ValidationStrict)
		product.Default(&options.Validator.Action, benchv1alpha1.ValidationError)
	}
	if collection.Sharding != nil {
		key(collection.Sharding.Key)
		product.Default(&collection.Sharding.MaxImbalancePercent, benchv1alpha1.DefaultMaxImbalancePercent)
	}
}

func key(parts []benchv1alpha1.IndexKey) {
	for i := range parts {
		product.Default(&parts[i].Type, benchv1alpha1.IndexKeyAscending)
	}
}

// onlyCollection is the name of the collection that operations and actions without one work on. Of several none is
// taken, since which one is first changes when a patch or another owner adds one.
func onlyCollection(dataset *benchv1alpha1.Dataset) string {
	if len(dataset.Collections) != 1 {
		return ""
	}
	return dataset.Collections[0].Name
}

// Growing is the index of the collection that grows: of several the one that is named; negative when none is.
func Growing(spec *benchv1alpha1.BenchmarkRunSpec) int {
	name := onlyCollection(&spec.Dataset)
	if growth := spec.Workload.Growth; growth != nil && growth.Collection != nil {
		name = *growth.Collection
	}
	return slices.IndexFunc(spec.Dataset.Collections, func(c benchv1alpha1.Collection) bool { return c.Name == name })
}

func step(step *benchv1alpha1.Step, dataset *benchv1alpha1.Dataset, pods int32) {
	collection := onlyCollection(dataset)
	if len(step.ThreadSweep) == 0 && len(step.Groups) == 0 {
		own := threads(step.Arrival, step.Search, pods)
		if step.Replay != nil {
			own = max(benchv1alpha1.DefaultReplayThreads, pods)
		}
		product.Default(&step.Threads, own)
	}
	for i := range step.Groups {
		group(&step.Groups[i], pods)
	}
	product.Default(&step.WarmupSeconds, 0)
	replay(step.Replay)
	stepThinkTime(step)
	if step.Connections != nil {
		product.Default(&step.Connections.Idle, 0)
		step.Connections.Reuse = cmp.Or(step.Connections.Reuse, benchv1alpha1.ConnectionReuseAlways)
	}
	arrival(step.Arrival)
	search(step.Search, ptr.Deref(step.DurationSeconds, 0))
	for i := range step.AbortOn {
		threshold(&step.AbortOn[i])
	}
	for i := range step.Objectives {
		product.Default(&step.Objectives[i].Percent, benchv1alpha1.DefaultObjectivePercent)
	}
	for i := range step.Actions {
		action(&step.Actions[i], collection)
	}
	inheritFlows(step)
	for i := range step.Operations {
		name := collection
		if !needsCollection(&step.Operations[i]) && len(dataset.Collections) > 0 {
			name = dataset.Collections[0].Name
		}
		normaliseOperation(&step.Operations[i], name)
	}
}

// defaultRetry is what a client does where a step does not say.
func defaultRetry(client benchv1alpha1.Client) benchv1alpha1.RetryPolicy {
	if client == benchv1alpha1.ClientApplication {
		return benchv1alpha1.RetryConnectionString
	}
	return benchv1alpha1.RetryNever
}

func arrival(arrival *benchv1alpha1.Arrival) {
	if arrival == nil {
		return
	}
	product.Default(&arrival.Process, benchv1alpha1.DefaultArrivalProcess)
	product.Default(&arrival.MaxQueued, benchv1alpha1.DefaultMaxQueued)
	for i := range arrival.Stages {
		product.Default(&arrival.Stages[i].FromOperationsPerSecond, arrival.Stages[i].OperationsPerSecond)
	}
}

func threshold(threshold *benchv1alpha1.AbortThreshold) {
	product.Default(&threshold.ForSeconds, benchv1alpha1.DefaultAbortSeconds)
	if threshold.LimitMicros != nil {
		product.Default(&threshold.Percentile, benchv1alpha1.PercentileP99)
	}
}

func search(search *benchv1alpha1.Search, confirmation int32) {
	if search == nil {
		return
	}
	product.Default(&search.Percentile, benchv1alpha1.PercentileP99)
	product.Default(&search.MinOperationsPerSecond, benchv1alpha1.DefaultMinRate)
	product.Default(&search.TrialSeconds, benchv1alpha1.DefaultTrialSeconds)
	product.Default(&search.TolerancePercent, benchv1alpha1.DefaultTolerancePercent)
	product.Default(&search.Process, benchv1alpha1.DefaultSearchProcess)
	product.Default(&search.MaxSeconds, searchSeconds(search, confirmation))
}

// searchSeconds is the time of a search that says nothing of it.
func searchSeconds(search *benchv1alpha1.Search, confirmation int32) int32 {
	seconds := int64(benchv1alpha1.DefaultSearchTrials)*TrialSeconds(search) +
		int64(benchv1alpha1.DefaultConfirmations)*int64(confirmation)
	const week = 7 * 24 * 60 * 60
	return int32(min(seconds, week))
}

// TrialSeconds is the least time of a trial of a normalised search: a long limit takes a long trial.
func TrialSeconds(search *benchv1alpha1.Search) int64 {
	trial := planv1.Search{TrialSeconds: int(*search.TrialSeconds), LimitMicros: search.LimitMicros}.LeastTrial()
	return int64(math.Ceil(trial.Seconds()))
}

func action(action *benchv1alpha1.Action, collection string) {
	product.Default(&action.Member, benchv1alpha1.ActionMemberPrimary)
	switch action.Type {
	case benchv1alpha1.ActionFreeze, benchv1alpha1.ActionPartition:
		product.Default(&action.DurationSeconds, benchv1alpha1.DefaultActionSeconds)
	case benchv1alpha1.ActionRefineShardKey, benchv1alpha1.ActionReshardCollection, benchv1alpha1.ActionAnalyzeShardKey:
		product.Default(&action.Collection, collection)
		key(action.Key)
	case benchv1alpha1.ActionCreateIndex:
		product.Default(&action.Collection, collection)
		if action.Index != nil {
			key(action.Index.Keys)
		}
	case benchv1alpha1.ActionDropIndex, benchv1alpha1.ActionMoveCollection, benchv1alpha1.ActionUnshardCollection,
		benchv1alpha1.ActionCompact:
		product.Default(&action.Collection, collection)
	default:
	}
}

// NormaliseTarget returns the specification of a target with every default filled in. An External target has only those
// that say what it is: nothing of it is deployed. What the server decides stays unset.
func NormaliseTarget(declared benchv1alpha1.BenchmarkTargetSpec) benchv1alpha1.BenchmarkTargetSpec {
	normal := declared.DeepCopy()
	target(normal)
	return *normal
}

func target(target *benchv1alpha1.BenchmarkTargetSpec) {
	if external := target.External; external != nil {
		product.Default(&external.Product, target.Product())
		product.Default(&external.AllowExisting, false)
		product.Default(&external.ProvisioningSeconds, benchv1alpha1.DefaultProvisioningSeconds)
		return
	}
	deployment := target.Deployment()
	if deployment == nil {
		return // Nothing is known of it: a target that is only referred to.
	}
	catalogue.Of(*target).Normalise(target)
	product.Surroundings(deployment)
}
