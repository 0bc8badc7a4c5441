package v1alpha1_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// fieldComment finds a field of a types file with the comment in front of it.
var fieldComment = regexp.MustCompile(`(?m)((?:^\t// .*\n)+)^\t([A-Z]\w*)\s+\S+\s+` + "`json:\"(\\w+)")

// TestCommentsTellTheDefaults compares what the comments of the fields say with the constants that the plan is made
// with.
func TestCommentsTellTheDefaults(t *testing.T) {
	comments := fieldComments(t)
	quote := func(text string) string { return `"` + text + `"` }
	amounts := func(limits corev1.ResourceList) string {
		return fmt.Sprintf("%s of CPU and %s of memory.", limits.Cpu(), limits.Memory())
	}
	const instant = "2006-01-02T15:04:05Z"
	tests := map[string]struct{ field, says string }{
		"database": {"Dataset.database", "Default " + quote(benchv1alpha1.DefaultDatabase) + "."},
		"seed":     {"BenchmarkRunSpec.seed", fmt.Sprintf("Default %d.", benchv1alpha1.DefaultSeed)},
		"members":  {"ReplicaSetSpec.members", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultMembers)},
		"provisioning": {
			"Deployment.provisioningSeconds",
			fmt.Sprintf("Default %d,", benchv1alpha1.DefaultProvisioningSeconds),
		},
		"queueing":     {"Deadlines.queueingSeconds", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultQueueingSeconds)},
		"scheduling":   {"Deadlines.schedulingSeconds", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultSchedulingSeconds)},
		"loading":      {"Deadlines.loadingSeconds", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultLoadingSeconds)},
		"storing":      {"Deadlines.storingSeconds", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultStoringSeconds)},
		"pods":         {"LoadGenerator.pods", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultPods)},
		"gateway pool": {"Gateway.poolSize", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultGatewayPoolSize)},
		"gateway pods": {"Gateway.pods", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultGatewayPods)},
		"of a request": {
			"Gateway.operationsPerRequest", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultOperationsPerRequest),
		},
		"existing writes": {
			"ExistingDataset.writes", fmt.Sprintf("Default %s:", benchv1alpha1.DefaultExistingWrites),
		},
		"sampled keys": {
			"ExistingDataset.sampledKeys", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultSampledKeys),
		},
		"load threads":   {"Load.threads", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultLoadThreads)},
		"load batch":     {"Load.batchDocuments", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultLoadBatchDocuments)},
		"step threads":   {"Step.threads", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultStepThreads)},
		"insert batch":   {"Request.batchDocuments", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultBatchDocuments)},
		"key field":      {"KeySettings.field", "Default " + quote(benchv1alpha1.DefaultKeyField) + "."},
		"least length":   {"BytesSettings.minLength", fmt.Sprintf("or %d if", benchv1alpha1.DefaultBytesLength)},
		"largest length": {"BytesSettings.maxLength", fmt.Sprintf("or %d if", benchv1alpha1.DefaultBytesLength)},
		"integer max":    {"IntegerSettings.max", fmt.Sprintf("Default %d.", benchv1alpha1.DefaultIntegerMax)},
		"double min":     {"DoubleSettings.min", "Default " + quote(benchv1alpha1.DefaultDoubleMin) + "."},
		"double max":     {"DoubleSettings.max", "Default " + quote(benchv1alpha1.DefaultDoubleMax) + "."},
		"true percent":   {"BoolSettings.truePercent", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultTruePercent)},
		"presence":       {"Field.presencePercent", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultPresencePercent)},
		"decimal min":    {"DecimalSettings.min", "Default " + quote(benchv1alpha1.DefaultDecimalMin) + "."},
		"decimal max":    {"DecimalSettings.max", "Default " + quote(benchv1alpha1.DefaultDecimalMax) + "."},
		"decimal scale":  {"DecimalSettings.scale", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultDecimalScale)},
		"west":           {"GeoSettings.minLongitude", "Default " + quote(benchv1alpha1.DefaultMinLongitude) + ","},
		"east":           {"GeoSettings.maxLongitude", "Default " + quote(benchv1alpha1.DefaultMaxLongitude) + ","},
		"south":          {"GeoSettings.minLatitude", "Default " + quote(benchv1alpha1.DefaultMinLatitude) + ","},
		"north":          {"GeoSettings.maxLatitude", "Default " + quote(benchv1alpha1.DefaultMaxLatitude) + ","},
		"radius": {
			"GeoSettings.clusterRadiusMeters", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultClusterRadiusMeters),
		},
		"vector clusters": {"VectorSettings.clusters", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultVectorClusters)},
		"vector spread": {
			"VectorSettings.spreadPercent", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultVectorSpreadPercent),
		},
		"vector form":     {"VectorSettings.form", "Default " + string(benchv1alpha1.VectorArray) + "."},
		"recall requests": {"Recall.requests", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultRecallRequests)},
		"fewest words":    {"WordsSettings.minWords", fmt.Sprintf("or %d if", benchv1alpha1.DefaultMinWords)},
		"most words":      {"WordsSettings.maxWords", fmt.Sprintf("or %d if", benchv1alpha1.DefaultMaxWords)},
		"reference field": {"ReferenceSettings.field", "Default " + quote(benchv1alpha1.DefaultKeyField) + "."},
		"theta": {
			"ZipfianSettings.thetaThousandths",
			fmt.Sprintf("Default %d,", benchv1alpha1.DefaultThetaThousandths),
		},
		"hot range": {
			"HotSpotSettings.hotRangePercent",
			fmt.Sprintf("Default %d,", benchv1alpha1.DefaultHotRangePercent),
		},
		"hot draws": {
			"HotSpotSettings.hotDrawsPercent",
			fmt.Sprintf("Default %d,", benchv1alpha1.DefaultHotDrawsPercent),
		},
		"exponential range": {
			"ExponentialSettings.rangeMillionths", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultRangeMillionths),
		},
		"exponential draws": {
			"ExponentialSettings.drawsPercent", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultDrawsPercent),
		},
		"serial digits":   {"SerialSettings.digits", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultSerialDigits)},
		"queue":           {"Arrival.maxQueued", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultMaxQueued)},
		"lowest rate":     {"Search.minOperationsPerSecond", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultMinRate)},
		"trials":          {"Search.trialSeconds", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultTrialSeconds)},
		"tolerance":       {"Search.tolerancePercent", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultTolerancePercent)},
		"search arrivals": {"Search.process", fmt.Sprintf("Default %s.", benchv1alpha1.DefaultSearchProcess)},
		"search time": {
			"Search.maxSeconds", fmt.Sprintf("Default %d times trialSeconds (or %d times the limit if that is longer) plus %d "+
				"times durationSeconds,", benchv1alpha1.DefaultSearchTrials,
				benchv1alpha1.DefaultSearchTrials*int32(planv1.Search{LimitMicros: 1e6}.LeastTrial().Seconds()),
				benchv1alpha1.DefaultConfirmations),
		},
		"abort thresholds": {"AbortThreshold.forSeconds", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultAbortSeconds)},
		"await":            {"WholeSettings.maxAwaitMillis", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultMaxAwaitMillis)},
		"earliest date":    {"DateSettings.min", "Default " + benchv1alpha1.DefaultDateMin.UTC().Format(instant) + "."},
		"latest date":      {"DateSettings.max", "Default " + benchv1alpha1.DefaultDateMax.UTC().Format(instant) + "."},
		"storage": {
			"Deployment.storage", "Unset: a persistent volume of " + benchv1alpha1.DefaultStorageSize.String() + " of",
		},
		"size of a claim": {
			"VolumeClaimTemplate.spec",
			"resources.requests.storage is " + benchv1alpha1.DefaultStorageSize.String() + " by default",
		},
		"size of a directory": {
			"StorageSpec.emptyDir", "sizeLimit, " + benchv1alpha1.DefaultStorageSize.String() + " by default",
		},
		"member resources": {"Deployment.resources", amounts(benchv1alpha1.DefaultMemberResources)},
		"mongos resources": {"MongosSpec.resources", amounts(benchv1alpha1.DefaultMongosResources)},
		"config resources": {"ConfigServersSpec.resources", amounts(benchv1alpha1.DefaultConfigResources)},
		"load resources":   {"LoadGenerator.resources", amounts(benchv1alpha1.DefaultLoadResources)},
		"shards":           {"ShardedSpec.shards", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultShards)},
		"members per shard": {
			"ShardedSpec.membersPerShard", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultMembersPerShard),
		},
		"mongos":         {"MongosSpec.replicas", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultMongosReplicas)},
		"config servers": {"ConfigServersSpec.members", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultConfigMembers)},
		"imbalance": {
			"Sharding.maxImbalancePercent", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultMaxImbalancePercent),
		},
		"length of a fault": {"Action.durationSeconds", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultActionSeconds)},
		"existing product":  {"ExternalTarget.product", "Default " + string(benchv1alpha1.DefaultProduct) + "."},
		"existing provisioning": {
			"ExternalTarget.provisioningSeconds",
			fmt.Sprintf("Default %d,", benchv1alpha1.DefaultProvisioningSeconds),
		},
		"durability of MariaDB": {
			"MariaDBTarget.durability", "Default " + string(benchv1alpha1.DefaultMariaDBDurability) + ".",
		},
		"engine of MariaDB": {"MariaDBSpec.engine", "Default " + string(benchv1alpha1.DefaultMariaDBEngine) + "."},
		"read threads":      {"HandlerSocketSpec.readThreads", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultReadThreads)},
		"write threads": {
			"HandlerSocketSpec.writeThreads", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultWriteThreads),
		},
		"range of keys":    {"KeySettings.rangePercent", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultRangePercent)},
		"cleanup":          {"BenchmarkRunSpec.cleanupPolicy", "Default " + string(benchv1alpha1.DefaultCleanupPolicy) + "."},
		"repetitions":      {"BenchmarkSuiteSpec.repetitions", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultRepetitions)},
		"order of a suite": {"BenchmarkSuiteSpec.order", "Default " + string(benchv1alpha1.DefaultSuiteOrder) + ","},
		"shared targets":   {"BenchmarkSuiteSpec.targetReuse", "Default " + string(benchv1alpha1.DefaultTargetReuse) + "."},
		"parallelism":      {"BenchmarkSuiteSpec.parallelism", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultParallelism)},
		"retries":          {"BenchmarkRunSpec.retryLimit", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultRetryLimit)},
		"suspension": {
			"BenchmarkSuiteSpec.suspendPolicy", "Default " + string(benchv1alpha1.DefaultSuspendPolicy) + ".",
		},
		"history": {
			"BenchmarkSuiteSpec.revisionHistoryLimit",
			fmt.Sprintf("Default %d,", benchv1alpha1.DefaultRevisionHistoryLimit),
		},
		"history in bytes": {
			"BenchmarkSuiteSpec.historySizeLimit", "Default " + benchv1alpha1.DefaultHistorySizeLimit.String() + ",",
		},
		"time zone": {"SuiteSchedule.timeZone", "Default " + `"` + benchv1alpha1.DefaultTimeZone + `"` + "."},
		"effect":    {"Threshold.minEffectPercent", fmt.Sprintf("Default %d,", benchv1alpha1.DefaultMinEffectPercent)},
		"confidence": {
			"Threshold.confidencePercent",
			fmt.Sprintf("Default %d,", benchv1alpha1.DefaultConfidencePercent),
		},
		"arrivals":  {"Arrival.process", "Default " + string(benchv1alpha1.DefaultArrivalProcess) + "."},
		"databases": {"Deployment.databases", "Default: " + benchv1alpha1.DefaultDatabase + "."},
		"measuring": {
			"Deadlines.measuringSeconds",
			fmt.Sprintf("plus %d for each step with an operationCount, the trials of searches, 30 for the queue of each open "+
				"loop, and a margin of %d", benchv1alpha1.OperationCountSeconds, benchv1alpha1.MeasuringSlackSeconds),
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			comment, found := comments[tc.field]
			if !found {
				t.Fatalf("no field %s", tc.field)
			}
			if !strings.Contains(comment, tc.says) {
				t.Errorf("%s says %q, want it to say %q", tc.field, comment, tc.says)
			}
		})
	}
}

// fieldComments are the comments of all fields, on one line each, by TYPE.jsonName.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*_types.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("finding the types: %d files, error %v", len(files), err)
	}
	comments := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(content), "\ntype ")[1:] {
			name, _, _ := strings.Cut(part, " ")
			body, _, _ := strings.Cut(part, "\n}")
			for _, match := range fieldComment.FindAllStringSubmatch(body, -1) {
				comments[name+"."+match[3]] = strings.Join(strings.Fields(strings.ReplaceAll(match[1], "//", " ")), " ")
			}
		}
	}
	return comments
}

// TestFieldsFollowTheConventions checks what the API conventions of Kubernetes ask of every field: that its comment
// opens with its name as users write it, and that it says whether it may be left out.
func TestFieldsFollowTheConventions(t *testing.T) {
	for field, comment := range fieldComments(t) {
		_, name, _ := strings.Cut(field, ".")
		if !strings.HasPrefix(comment, name+" ") && !strings.HasPrefix(comment, name+":") {
			t.Errorf("the comment of %s is %q, want it to begin with the field's name", field, comment)
		}
		optional, required := strings.Contains(comment, "+optional"), strings.Contains(comment, "+required")
		if optional == required {
			t.Errorf("%s must be either +optional or +required", field)
		}
	}
}

// TestUnsetFieldsAreNotWritten keeps objects as short as their authors wrote them.
func TestUnsetFieldsAreNotWritten(t *testing.T) {
	for name, value := range map[string]any{
		"run": benchv1alpha1.BenchmarkRunSpec{}, "target": benchv1alpha1.BenchmarkTargetSpec{},
		"run status": benchv1alpha1.BenchmarkRunStatus{}, "target status": benchv1alpha1.BenchmarkTargetStatus{},
		"collection": benchv1alpha1.Collection{}, "field": benchv1alpha1.Field{}, "operation": benchv1alpha1.Operation{},
		"step": benchv1alpha1.Step{}, "parameter": benchv1alpha1.Parameter{}, "result": benchv1alpha1.Result{},
	} {
		written, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if string(written) != "{}" {
			t.Errorf("an empty %s is written as %s", name, written)
		}
	}
}
