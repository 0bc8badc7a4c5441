package results

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
)

// unit is how many of the status's unit make one of Prometheus's base unit. The division is exact to the last decimal
// place that the status has.
type unit float64

const (
	one         unit = 1
	millis      unit = 1e3
	micros      unit = 1e6
	basisPoints unit = 1e4
)

// gauges sends metrics of one object.
type gauges struct {
	metrics chan<- prometheus.Metric
	// identity are the values of the first labels.
	identity []string
}

// of are the gauges of a part of the object.
func (g gauges) of(part ...string) gauges {
	return gauges{metrics: g.metrics, identity: slices.Concat(g.identity, part)}
}

// send sends one metric. A label that cannot be one costs that metric, not the scrape.
func (g gauges) send(description *prometheus.Desc, value float64, labels ...string) {
	metric, err := prometheus.NewConstMetric(
		description, prometheus.GaugeValue, value, slices.Concat(g.identity, labels)...)
	if err == nil {
		g.metrics <- metric
	}
}

func (g gauges) sendTime(description *prometheus.Desc, at time.Time, labels ...string) {
	g.send(description, float64(at.UnixMicro())/float64(micros), labels...)
}

// sendCondition sends 1 for True and 0 for False, with the reason. What is Unknown is not sent.
func (g gauges) sendCondition(description *prometheus.Desc, found *metav1.Condition) {
	switch {
	case found == nil:
	case found.Status == metav1.ConditionTrue:
		g.send(description, 1, found.Reason)
	case found.Status == metav1.ConditionFalse:
		g.send(description, 0, found.Reason)
	}
}

// integer sends a figure of the status; one that is unset is not sent.
func integer[T int32 | int64](g gauges, description *prometheus.Desc, figure *T, in unit) {
	if figure != nil {
		g.send(description, float64(*figure)/float64(in))
	}
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// find is the condition of a type, or nil.
func find(list []metav1.Condition, conditionType string) *metav1.Condition {
	return condition.Find(list, conditionType)
}
