package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
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
		s.sendOperation(to, operation)
	}
	if s.open || s.dropped != nil {
		to.counter(due, float64(live.Sent+lost), s.begin, s.name)
		to.counter(dropped, float64(lost), s.begin, s.name)
		to.histogram(scheduleLag, live.Lag, s.begin, s.name)
	}
}

func (s *step) sendOperation(to sender, o measure.LiveOperation) {
	to.counter(operations, float64(o.Count), s.begin, s.name, o.Name)
	to.counter(documents, float64(o.Documents), s.begin, s.name, o.Name)
	to.counter(retries, float64(o.Retries), s.begin, s.name, o.Name)
	to.counter(untimed, float64(o.Unacknowledged), s.begin, s.name, o.Name)
	for class, count := range o.Classes {
		to.counter(failures, float64(count), s.begin, s.name, o.Name, class)
	}
	to.histogram(latency, o.Latency, s.begin, s.name, o.Name)
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

// counter sends a count that began at an instant; a zero instant is the begin of the process.
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
