package outlet

import (
	"bytes"
	"compress/gzip"
	"maps"
	"net/http"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	metricsv1 "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcev1 "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/mongobench/mongobench-operator/internal/version"
)

// otlpHeaders are those of OTLP over HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp.
var otlpHeaders = http.Header{
	"Content-Type": {"application/x-protobuf"}, "Content-Encoding": {"gzip"}, "User-Agent": {"mongobench-loadgen"},
}

// serviceName is what OpenTelemetry calls the load generator.
const serviceName = "mongobench-loadgen"

// encodeOTLP makes a request with all figures, cumulative as Prometheus has them. Labels are attributes of each, so
// that they are there whatever the receiver makes of those of the resource.
func encodeOTLP(labels map[string]string) func([]*dto.MetricFamily, time.Time) ([]byte, error) {
	began := time.Now()
	return func(families []*dto.MetricFamily, at time.Time) ([]byte, error) {
		points := otlpPoints{labels: labels, began: began, at: at}
		scope := &metricsv1.ScopeMetrics{
			Scope: &commonv1.InstrumentationScope{Name: "mongobench.dev/loadgen", Version: version.Number()},
		}
		for _, family := range families {
			if metric := points.metric(family); metric != nil {
				scope.Metrics = append(scope.Metrics, metric)
			}
		}
		resource := attributes(labels)
		resource = append(resource, attribute("service.name", serviceName))
		// An ExportMetricsServiceRequest has the same bytes, and comes with all of gRPC.
		request, err := proto.Marshal(&metricsv1.MetricsData{
			ResourceMetrics: []*metricsv1.ResourceMetrics{{
				Resource: &resourcev1.Resource{Attributes: resource}, ScopeMetrics: []*metricsv1.ScopeMetrics{scope},
			}},
		})
		if err != nil {
			return nil, err
		}
		var body bytes.Buffer
		packed := gzip.NewWriter(&body)
		_, _ = packed.Write(request) // A buffer takes all.
		err = packed.Close()
		return body.Bytes(), err
	}
}

// otlpPoints makes the points of one request.
type otlpPoints struct {
	labels    map[string]string
	began, at time.Time
}

// metric is nil for a family of a type that the load generator does not have.
func (p otlpPoints) metric(family *dto.MetricFamily) *metricsv1.Metric {
	made := &metricsv1.Metric{Name: family.GetName(), Description: family.GetHelp()}
	const cumulative = metricsv1.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	switch family.GetType() {
	case dto.MetricType_COUNTER:
		sum := &metricsv1.Sum{AggregationTemporality: cumulative, IsMonotonic: true}
		for _, metric := range family.GetMetric() {
			counter := metric.GetCounter()
			sum.DataPoints = append(sum.DataPoints, p.number(metric, counter.GetValue(), counter.GetCreatedTimestamp()))
		}
		made.Data = &metricsv1.Metric_Sum{Sum: sum}
	case dto.MetricType_GAUGE:
		gauge := &metricsv1.Gauge{}
		for _, metric := range family.GetMetric() {
			gauge.DataPoints = append(gauge.DataPoints, p.number(metric, metric.GetGauge().GetValue(), nil))
		}
		made.Data = &metricsv1.Metric_Gauge{Gauge: gauge}
	case dto.MetricType_HISTOGRAM:
		histogram := &metricsv1.Histogram{AggregationTemporality: cumulative}
		for _, metric := range family.GetMetric() {
			histogram.DataPoints = append(histogram.DataPoints, p.histogram(metric))
		}
		made.Data = &metricsv1.Metric_Histogram{Histogram: histogram}
	default:
		return nil
	}
	return made
}

func (p otlpPoints) number(metric *dto.Metric, value float64, since *timestamppb.Timestamp) *metricsv1.NumberDataPoint {
	return &metricsv1.NumberDataPoint{
		Attributes: p.attributes(metric), StartTimeUnixNano: p.since(since), TimeUnixNano: uint64(p.at.UnixNano()),
		Value: &metricsv1.NumberDataPoint_AsDouble{AsDouble: value},
	}
}

func (p otlpPoints) histogram(metric *dto.Metric) *metricsv1.HistogramDataPoint {
	from := metric.GetHistogram()
	point := &metricsv1.HistogramDataPoint{
		Attributes: p.attributes(metric), StartTimeUnixNano: p.since(from.GetCreatedTimestamp()),
		TimeUnixNano: uint64(p.at.UnixNano()), Count: from.GetSampleCount(), Sum: new(from.GetSampleSum()),
	}
	var before uint64
	for _, bucket := range from.GetBucket() {
		point.ExplicitBounds = append(point.ExplicitBounds, bucket.GetUpperBound())
		point.BucketCounts = append(point.BucketCounts, bucket.GetCumulativeCount()-before)
		before = bucket.GetCumulativeCount()
	}
	point.BucketCounts = append(point.BucketCounts, from.GetSampleCount()-before)
	return point
}

// since is when a count began; what does not say so began with the process.
func (p otlpPoints) since(created *timestamppb.Timestamp) uint64 {
	if created == nil {
		return uint64(p.began.UnixNano())
	}
	return uint64(created.AsTime().UnixNano())
}

func (p otlpPoints) attributes(metric *dto.Metric) []*commonv1.KeyValue {
	all := attributes(p.labels)
	for _, label := range metric.GetLabel() {
		all = append(all, attribute(label.GetName(), label.GetValue()))
	}
	return all
}

func attributes(labels map[string]string) []*commonv1.KeyValue {
	all := make([]*commonv1.KeyValue, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, attribute(name, labels[name]))
	}
	return all
}

func attribute(name, value string) *commonv1.KeyValue {
	return &commonv1.KeyValue{
		Key: name, Value: &commonv1.AnyValue{Value: &commonv1.AnyValue_StringValue{StringValue: value}},
	}
}
