package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Kinds, the values of the label kind.
const (
	KindRun    = "BenchmarkRun"
	KindTarget = "BenchmarkTarget"
	KindSuite  = "BenchmarkSuite"
)

var (
	objectsWritten = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mongobench_objects_written_total",
		Help: "Objects that were applied or deleted for an object of this kind. It stands still when nothing changes.",
	}, []string{"kind"})

	statusWritten = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mongobench_status_written_total",
		Help: "Statuses that were written for objects of this kind.",
	}, []string{"kind"})

	stageDuration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "mongobench_stage_duration_seconds",
		Help:    "How long a stage took: Provisioning of a target, or any stage of a run.",
		Buckets: []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 10800, 36000},
	}, []string{"kind", "stage"})

	ended = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mongobench_ended_total",
		Help: "Runs that finished, targets that became ready or stalled, and suites that were complete, by reason.",
	}, []string{"kind", "reason"})
)

func init() {
	metrics.Registry.MustRegister(objectsWritten, statusWritten, stageDuration, ended)
}

// ObjectsWritten counts objects that were applied or deleted.
func ObjectsWritten(kind string, count int) { objectsWritten.WithLabelValues(kind).Add(float64(count)) }

// StatusWritten counts a status that was written.
func StatusWritten(kind string) { statusWritten.WithLabelValues(kind).Inc() }

// StageEnded tells how long a stage took.
func StageEnded(kind, stage string, took time.Duration) {
	stageDuration.WithLabelValues(kind, stage).Observe(took.Seconds())
}

// Ended counts the end of a run or of a target's way to its readiness, by its reason.
func Ended(kind, reason string) { ended.WithLabelValues(kind, reason).Inc() }
