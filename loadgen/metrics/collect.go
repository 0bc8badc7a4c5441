package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

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

	operations = describe("operations_total", "Operations that succeeded in the measure window.", ofOperation)
	failures   = describe("errors_total", "Operations that failed, by class of error.", ofClass)
	documents  = describe("documents_total", "Documents that operations returned or wrote.", ofOperation)
	matched    = describe("matched_documents_total", "Documents that updates found.", ofOperation)
	modified   = describe("modified_documents_total", "Documents that updates changed.", ofOperation)
	deleted    = describe("deleted_documents_total", "Documents that were deleted.", ofOperation)
	empty      = describe("empty_operations_total", "Operations that found no document.", ofOperation)
	unexpected = describe("unexpected_operations_total",
		"Operations that found more or fewer documents than expected.", ofOperation)
	retries     = describe("retries_total", "How often operations were sent once more.", ofOperation)
	untimed     = describe("unacknowledged_operations_total", "Operations that have no latency.", ofOperation)
	latency     = describe("latency_seconds", "Response time in an open loop, otherwise service time.", ofOperation)
	failedTimes = describe("failed_latency_seconds", "The same of operations that failed, until they failed.",
		ofOperation)
	due = describe("due_operations_total", "Operations of an open loop that were due: sent, dropped or skipped.",
		ofStep)
	dropped = describe("dropped_operations_total",
		"Operations of an open loop that were never sent because too many were queued.", ofStep)
	skipped = describe("skipped_operations_total",
		"Operations of an open loop that were never sent because they were due for longer than skipAfterMicros.", ofStep)
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

// Describe sends every metric that there may be.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, description := range descriptions {
		out <- description
	}
}

// Collect sends what is so now.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	to := sender(out)
	usage := measure.ReadUsage()
	used := usage.Since(m.begin)
	to.counter(processorUse, seconds(used.CPUMicros), time.Time{})
	to.counter(throttled, seconds(used.ThrottledMicros), time.Time{})
	to.gauge(processors, measure.Cores())
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.counted != nil {
		m.counted.send(to, usage)
	}
	if m.present != nil {
		m.present.send(to, usage)
	}
	if m.servers != nil {
		for _, latest := range m.servers() {
			sendServer(to, latest)
		}
	}
}

// send sends one step, with what the process has used by now. The caller holds the lock.
func (s *step) send(to sender, usage measure.Usage) {
	to.gauge(stepStart, float64(s.begin.UnixMicro())/microsPerSecond, s.name)
	busy := s.busy
	if s.working {
		to.gauge(stepInfo, 1, s.name, s.kind)
		busy = share(usage.Since(s.usage))
	}
	to.gauge(saturation, busy, s.name)
	if !s.counts {
		return
	}
	to.gauge(threads, float64(s.threads), s.name)
	live, lost := s.now()
	for _, operation := range live.Operations {
		if operation.PartOf == "" { // What adds operations up would count the parts of flows twice.
			s.sendOperation(to, operation)
		}
	}
	if s.isOpen() {
		to.counter(due, float64(live.Sent+lost.dropped+lost.skipped), s.begin, s.name)
		to.counter(dropped, float64(lost.dropped), s.begin, s.name)
		if lost.skipped > 0 {
			to.counter(skipped, float64(lost.skipped), s.begin, s.name)
		}
		to.histogram(scheduleLag, live.Lag, s.begin, s.name)
	}
}

func (s *step) sendOperation(to sender, o measure.LiveOperation) {
	to.counter(operations, float64(o.Count), s.begin, s.name, o.Name)
	to.counter(documents, float64(o.Documents), s.begin, s.name, o.Name)
	for description, count := range map[*prometheus.Desc]int64{
		matched: o.Matched, modified: o.Modified, deleted: o.Deleted, empty: o.Empty, unexpected: o.Unexpected,
	} {
		// What an operation never did has no series: a page of metrics is read every few seconds.
		if count > 0 {
			to.counter(description, float64(count), s.begin, s.name, o.Name)
		}
	}
	to.counter(retries, float64(o.Retries), s.begin, s.name, o.Name)
	to.counter(untimed, float64(o.Unacknowledged), s.begin, s.name, o.Name)
	for class, count := range o.Classes {
		to.counter(failures, float64(count), s.begin, s.name, o.Name, class)
	}
	to.histogram(latency, o.Latency, s.begin, s.name, o.Name)
	if o.Errors > 0 {
		to.histogram(failedTimes, o.Failed, s.begin, s.name, o.Name)
	}
}

// sendServer sends what one server said last, as far as it tells.
func sendServer(to sender, latest observe.Latest) {
	to.counter(missedSamples, float64(latest.Missed), time.Time{}, latest.Member)
	for _, f := range serverFigures {
		if value, known := f.value(latest); known {
			metric, err := prometheus.NewConstMetric(f.description, f.kind, value, latest.Member)
			to.send(metric, err, f.description)
		}
	}
}

// value adds up the figures that a metric is made of.
func (f figure) value(latest observe.Latest) (sum float64, known bool) {
	for _, name := range f.names {
		value, known := latest.Value(name)
		if !known {
			return 0, false
		}
		sum += float64(value)
	}
	if f.divisor > 0 {
		sum /= f.divisor
	}
	return sum, true
}

// sender sends metrics. One that cannot be made, such as of a name that is no text, is sent as the error that it is.
type sender chan<- prometheus.Metric

func (s sender) send(metric prometheus.Metric, err error, description *prometheus.Desc) {
	if err != nil {
		metric = prometheus.NewInvalidMetric(description, err)
	}
	s <- metric
}

func (s sender) gauge(description *prometheus.Desc, value float64, labels ...string) {
	metric, err := prometheus.NewConstMetric(description, prometheus.GaugeValue, value, labels...)
	s.send(metric, err, description)
}

// counter sends a count that began at an instant; a zero instant is the start of the process.
func (s sender) counter(description *prometheus.Desc, value float64, since time.Time, labels ...string) {
	if since.IsZero() {
		metric, err := prometheus.NewConstMetric(description, prometheus.CounterValue, value, labels...)
		s.send(metric, err, description)
		return
	}
	metric, err := prometheus.NewConstMetricWithCreatedTimestamp(
		description, prometheus.CounterValue, value, since, labels...)
	s.send(metric, err, description)
}

func (s sender) histogram(description *prometheus.Desc, buckets []measure.Bucket, since time.Time, labels ...string) {
	metric, err := newHistogram(description, buckets, since, labels...)
	s.send(metric, err, description)
}

func seconds(micros int64) float64 { return float64(micros) / microsPerSecond }

// share of its CPU that the process used.
func share(used reportv1.Generator) float64 {
	if used.AvailableCPUMicros <= 0 {
		return 0
	}
	return float64(used.CPUMicros) / float64(used.AvailableCPUMicros)
}
