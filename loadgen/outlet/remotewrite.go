package outlet

import (
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/snappy"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protowire"
)

// remoteWriteHeaders are those of version 1 of the protocol: https://prometheus.io/docs/specs/prw/remote_write_spec/.
var remoteWriteHeaders = http.Header{
	"Content-Type": {"application/x-protobuf"}, "Content-Encoding": {"snappy"},
	"X-Prometheus-Remote-Write-Version": {"0.1.0"}, "User-Agent": {"mongobench-loadgen"},
}

// The numbers of the fields of the protocol's messages.
const (
	writeRequestSeries = 1
	seriesLabels       = 1
	seriesSamples      = 2
	labelName          = 1
	labelValue         = 2
	sampleValue        = 1
	sampleMillis       = 2
)

// encodeRemoteWrite makes a WriteRequest, whose three messages are written here rather than by the code of all of
// Prometheus. Histograms are sent with their classic buckets, which every receiver stores.
func encodeRemoteWrite(labels map[string]string) func([]*dto.MetricFamily, time.Time) ([]byte, error) {
	return func(families []*dto.MetricFamily, at time.Time) ([]byte, error) {
		w := &writeRequest{labels: labels, millis: at.UnixMilli()}
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				w.metric(family.GetName(), metric)
			}
		}
		return snappy.Encode(nil, w.encoded), nil
	}
}

// writeRequest is one at work.
type writeRequest struct {
	labels  map[string]string
	millis  int64
	encoded []byte
}

func (w *writeRequest) metric(name string, metric *dto.Metric) {
	switch {
	case metric.Counter != nil:
		w.series(name, metric, metric.GetCounter().GetValue())
	case metric.Gauge != nil:
		w.series(name, metric, metric.GetGauge().GetValue())
	case metric.Histogram != nil:
		histogram := metric.GetHistogram()
		count := float64(histogram.GetSampleCount())
		for _, bucket := range histogram.GetBucket() {
			bound := strconv.FormatFloat(bucket.GetUpperBound(), 'g', -1, 64)
			w.series(name+"_bucket", metric, float64(bucket.GetCumulativeCount()), "le", bound)
		}
		w.series(name+"_bucket", metric, count, "le", "+Inf")
		w.series(name+"_sum", metric, histogram.GetSampleSum())
		w.series(name+"_count", metric, count)
	}
}

// series adds a series with one value. Labels are in the order of their names, as the protocol has them.
func (w *writeRequest) series(name string, metric *dto.Metric, value float64, more ...string) {
	all := maps.Clone(w.labels)
	if all == nil {
		all = map[string]string{}
	}
	for _, label := range metric.GetLabel() {
		all[label.GetName()] = label.GetValue()
	}
	all["__name__"] = name
	if len(more) > 0 {
		all[more[0]] = more[1]
	}
	var series []byte
	for _, label := range slices.Sorted(maps.Keys(all)) {
		if all[label] == "" {
			continue // Which is the same as none.
		}
		pair := protowire.AppendTag(nil, labelName, protowire.BytesType)
		pair = protowire.AppendString(pair, label)
		pair = protowire.AppendTag(pair, labelValue, protowire.BytesType)
		pair = protowire.AppendString(pair, all[label])
		series = protowire.AppendTag(series, seriesLabels, protowire.BytesType)
		series = protowire.AppendBytes(series, pair)
	}
	sample := protowire.AppendTag(nil, sampleValue, protowire.Fixed64Type)
	sample = protowire.AppendFixed64(sample, math.Float64bits(value))
	sample = protowire.AppendTag(sample, sampleMillis, protowire.VarintType)
	sample = protowire.AppendVarint(sample, uint64(w.millis))
	series = protowire.AppendTag(series, seriesSamples, protowire.BytesType)
	series = protowire.AppendBytes(series, sample)
	w.encoded = protowire.AppendTag(w.encoded, writeRequestSeries, protowire.BytesType)
	w.encoded = protowire.AppendBytes(w.encoded, series)
}
