package comparison

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// fingerprintFields are the fields of status.server and status.fingerprint that are compared, by their names. None of
// status.server is left out but those of notCompared, such as startupWarnings, which are advice to people and whose
// texts name processes and times.
var fingerprintFields = []struct {
	name  string
	value func(benchv1alpha1.ServerFingerprint, benchv1alpha1.RunFingerprint) string
}{
	{"product", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return s.Product })},
	{"version", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return s.Version })},
	{"gitVersion", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return s.GitVersion })},
	{"topology", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return s.Topology })},
	{"storageEngine", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return s.StorageEngine })},
	{"cacheMebibytes", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return number(s.CacheMebibytes) })},
	{
		"memoryLimitMebibytes",
		ofServer(func(s benchv1alpha1.ServerFingerprint) string { return number(s.MemoryLimitMebibytes) }),
	},
	{"cpuCores", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return number(s.CPUCores) })},
	{"cpuLimitMillis", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return number(s.CPULimitMillis) })},
	{"members", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return number(s.Members) })},
	{"shards", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return number(s.Shards) })},
	{"router", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return s.Router })},
	{"tls", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return s.TLS })},
	{"persistence", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return s.Persistence })},
	{"defaultWriteConcern", ofServer(func(s benchv1alpha1.ServerFingerprint) string { return s.DefaultWriteConcern })},
	{durabilityField, ofServer(func(s benchv1alpha1.ServerFingerprint) string { return s.Durability })},
	{"datasetHash", ofRun(func(r benchv1alpha1.RunFingerprint) string { return r.DatasetHash })},
	{"workloadHash", ofRun(func(r benchv1alpha1.RunFingerprint) string { return r.WorkloadHash })},
	{"serverImages", ofRun(func(r benchv1alpha1.RunFingerprint) string { return list(r.ServerImages) })},
	{"generatorImage", ofRun(func(r benchv1alpha1.RunFingerprint) string { return r.GeneratorImage })},
	{"generatorVersion", ofRun(func(r benchv1alpha1.RunFingerprint) string { return r.GeneratorVersion })},
	{"storageClass", ofRun(func(r benchv1alpha1.RunFingerprint) string { return r.StorageClass })},
	{"nodeTypes", ofRun(func(r benchv1alpha1.RunFingerprint) string { return list(r.NodeTypes) })},
	{"kernels", ofRun(func(r benchv1alpha1.RunFingerprint) string { return list(r.Kernels) })},
	{"cpuModels", ofRun(func(r benchv1alpha1.RunFingerprint) string { return list(r.CPUModels) })},
	{"kernelSettings", ofRun(func(r benchv1alpha1.RunFingerprint) string { return list(r.KernelSettings) })},
}

// notCompared are the fields of a fingerprint that two runs may differ in without a word. How long a sync takes is
// measured anew each time, and never twice the same.
var notCompared = []string{"startupWarnings", "syncP50Micros", "syncP99Micros"}

// durabilityField is the one that nothing declares: that two variants are declared with different durability makes
// their figures no more alike. Only ignoring it by name compares them.
const durabilityField = "durability"

type fingerprintValue = func(benchv1alpha1.ServerFingerprint, benchv1alpha1.RunFingerprint) string

func ofServer(value func(benchv1alpha1.ServerFingerprint) string) fingerprintValue {
	return func(s benchv1alpha1.ServerFingerprint, _ benchv1alpha1.RunFingerprint) string { return value(s) }
}

func ofRun(value func(benchv1alpha1.RunFingerprint) string) fingerprintValue {
	return func(_ benchv1alpha1.ServerFingerprint, r benchv1alpha1.RunFingerprint) string { return value(r) }
}

func number[T int32 | int64](value *T) string {
	if value == nil {
		return ""
	}
	return strconv.FormatInt(int64(*value), 10)
}

// list is a set as one text: in which order nodes were seen is nothing that influences a result.
func list(values []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(values))), ", ")
}

func fingerprintOf(status benchv1alpha1.BenchmarkRunStatus) map[string]string {
	server := ptr.Deref(status.Server, benchv1alpha1.ServerFingerprint{})
	run := ptr.Deref(status.Fingerprint, benchv1alpha1.RunFingerprint{})
	fingerprint := make(map[string]string, len(fingerprintFields))
	for _, field := range fingerprintFields {
		if value := field.value(server, run); value != "" {
			fingerprint[field.name] = value
		}
	}
	return fingerprint
}

// Difference is a field of the fingerprint in which runs differ that are to be compared, and nobody declared it.
type Difference struct {
	Field string
	// Baseline and Candidate are the values on each side, sorted. More than one value is a difference within the side. An
	// empty one stands for runs of which the value is not known.
	Baseline, Candidate []string
}

// Differences are the fields in which the runs of a pair differ, without those that the specifications of the two sides
// declare to be different and those that are ignored by name. They have the order of the fingerprint.
func Differences(pair Pair, ignored []string) []Difference {
	declared := declaredFields(pair)
	var differences []Difference
	for _, name := range fieldNames(pair) {
		if slices.Contains(ignored, name) {
			continue
		}
		baseline, candidate := valuesOf(pair.Baseline, name), valuesOf(pair.Candidate, name)
		within := len(baseline) > 1 || len(candidate) > 1
		between := len(baseline) > 0 && len(candidate) > 0 && !slices.Equal(baseline, candidate)
		if within || between && !declared[name] {
			differences = append(differences, Difference{Field: name, Baseline: baseline, Candidate: candidate})
		}
	}
	return differences
}

// fieldNames are the known fields in their order, and then what samples of another release have besides.
func fieldNames(pair Pair) []string {
	names := make([]string, 0, len(fingerprintFields))
	for _, field := range fingerprintFields {
		names = append(names, field.name)
	}
	var others []string
	for _, sample := range slices.Concat(pair.Baseline.Samples, pair.Candidate.Samples) {
		for name := range sample.Fingerprint {
			if !slices.Contains(names, name) && !slices.Contains(notCompared, name) {
				others = append(others, name)
			}
		}
	}
	slices.Sort(others)
	return append(names, slices.Compact(others)...)
}

func valuesOf(side Side, field string) []string {
	found := make([]string, 0, len(side.Samples))
	for _, sample := range side.Samples {
		found = append(found, sample.Fingerprint[field])
	}
	slices.Sort(found)
	return slices.Compact(found)
}
