package metrics

import "github.com/prometheus/client_golang/prometheus"

// Labels that tell what a figure is of. Run, namespace and pod are added by who scrapes.
var (
	ofStep      = []string{"step"}
	ofOperation = []string{"step", "operation"}
	ofClass     = []string{"step", "operation", "class"}
	ofMember    = []string{"member"}
)

// descriptions are those of all metrics of this package.
var descriptions []*prometheus.Desc

// describe makes the description of one metric.
func describe(name, help string, labels []string) *prometheus.Desc {
	description := prometheus.NewDesc("mongobench_loadgen_"+name, help, labels, nil)
	descriptions = append(descriptions, description)
	return description
}

// Of the steps.
var (
	stepInfo = describe("step_info",
		"1 for the step that the pod works at, with its kind; none while it waits for the start.", []string{"step", "kind"})
	stepStart = describe("step_start_timestamp_seconds", "When the pod began to work at the step.", ofStep)
	threads   = describe("threads", "Threads of this pod that send the step's operations.", ofStep)

	operations   = describe("operations_total", "Operations that succeeded in the measure window.", ofOperation)
	failures     = describe("errors_total", "Operations that failed, by class of error.", ofClass)
	documents    = describe("documents_total", "Documents that operations returned or wrote.", ofOperation)
	retries      = describe("retries_total", "How often operations were sent once more.", ofOperation)
	untimed      = describe("unacknowledged_operations_total", "Operations that have no latency.", ofOperation)
	latency      = describe("latency_seconds", "Response time in an open loop, otherwise service time.", ofOperation)
	due          = describe("due_operations_total", "Operations of an open loop that were due: sent or dropped.", ofStep)
	dropped      = describe("dropped_operations_total", "Operations of an open loop that were never sent.", ofStep)
	scheduleLag  = describe("schedule_lag_seconds", "How late operations of an open loop were sent.", ofStep)
	saturation   = describe("cpu_saturation_ratio", "CPU time of the pod over its limit, since the step began.", ofStep)
	processorUse = describe("cpu_seconds_total", "CPU time of the load generator, user and system.", nil)
	processors   = describe("cpu_limit_cores", "Cores that the load generator may use.", nil)
	throttled    = describe("throttled_seconds_total", "How long the kernel kept the pod from running.", nil)
)

// figure is a metric of a server that is made of figures of the package observe, which are added up.
type figure struct {
	description *prometheus.Desc
	kind        prometheus.ValueType
	names       []string
	// divisor brings the figures into the metric's unit; 0 leaves them.
	divisor float64
}

func counter(name, help string, names ...string) figure {
	return figure{describe("server_"+name, help, ofMember), prometheus.CounterValue, names, 0}
}

func gauge(name, help string, names ...string) figure {
	return figure{describe("server_"+name, help, ofMember), prometheus.GaugeValue, names, 0}
}

// inMillis says that the figures are milliseconds.
func (f figure) inMillis() figure {
	f.divisor = 1e3
	return f
}

// Of the servers, as the observer sees them.
var (
	missedSamples = describe("server_missed_samples_total", "Samples of the server that did not come in time.", ofMember)

	serverFigures = []figure{
		counter("cpu_seconds_total", "CPU time of the server.", "cpu.user", "cpu.system").inMillis(),
		gauge("memory_resident_bytes", "Resident memory of the server.", "memory.resident"),
		gauge("cache_used_bytes", "Bytes in the storage engine's cache.", "cache.used"),
		gauge("cache_dirty_bytes", "Dirty bytes in the storage engine's cache.", "cache.dirty"),
		gauge("cache_limit_bytes", "Size of the storage engine's cache.", "cache.maximum"),
		counter("disk_read_bytes_total", "Bytes that the storage engine read.", "disk.read"),
		counter("disk_written_bytes_total", "Bytes that the storage engine wrote, besides the journal.", "disk.written"),
		counter("journal_written_bytes_total", "Bytes that were written to the journal.", "journal.written"),
		counter("journal_flushes_total", "How often the journal was flushed to the disk.", "journal.syncs"),
		counter("checkpoints_total", "Checkpoints of the storage engine.", "checkpoint.count"),
		counter("network_received_bytes_total", "Bytes that the server received.", "network.in"),
		counter("network_sent_bytes_total", "Bytes that the server sent.", "network.out"),
		gauge("queued_readers", "Operations that wait to read.", "queue.readers"),
		gauge("queued_writers", "Operations that wait to write.", "queue.writers"),
		gauge("connections", "Connections that clients have open.", "connections.current"),
	}
)
