package mongodb

import (
	"strings"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Configuration is what mongod's flags are elsewhere, by the paths of its configuration file.
func Configuration(spec benchv1alpha1.BenchmarkTargetSpec) map[string]any {
	only := sets(spec)[0]
	const engine = "storage.wiredTiger."
	configuration := map[string]any{
		engine + "engineConfig.cacheSizeGB": number(only.CacheMebibytes, 1024),
		"replication.oplogSizeMB":           oplogSize(spec, only),
	}
	declared := ptr.Deref(spec.Engine, benchv1alpha1.EngineSpec{})
	settings := ptr.Deref(declared.WiredTiger, benchv1alpha1.WiredTigerSpec{})
	if settings.Compressor != nil {
		configuration[engine+"collectionConfig.blockCompressor"] = strings.ToLower(string(*settings.Compressor))
	}
	if settings.JournalCompressor != nil {
		configuration[engine+"engineConfig.journalCompressor"] = strings.ToLower(string(*settings.JournalCompressor))
	}
	if ptr.Deref(settings.IndexPrefixCompression, "") == benchv1alpha1.Disabled {
		configuration[engine+"indexConfig.prefixCompression"] = false
	}
	if settings.JournalCommitMillis != nil {
		configuration["storage.journal.commitIntervalMs"] = int64(*settings.JournalCommitMillis)
	}
	if settings.CheckpointSeconds != nil {
		configuration["storage.syncPeriodSecs"] = int64(*settings.CheckpointSeconds)
	}
	parameters := map[string]any{}
	for _, parameter := range spec.Parameters {
		parameters[parameter.Name] = parameter.Value
	}
	if len(parameters) > 0 {
		configuration["setParameter"] = parameters
	}
	return configuration
}

// number is a fraction, or the whole number that it is: an API server gives a number without a fraction back as such.
func number(count, of int64) any {
	if count%of == 0 {
		return count / of
	}
	return float64(count) / float64(of)
}
