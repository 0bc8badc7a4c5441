package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// managerUser is who the manager is to the API server, so that its audit log tells its writes from ours.
const managerUser = "mongobench-manager"

// auditPolicy has every write of the manager in the log, once, when it was answered.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: [` + managerUser + `]
  verbs: [create, update, patch, delete, deletecollection]
- level: None
`

// Write is a way to write: a verb and what it was done to, for example "update benchmarkruns/status".
type Write struct {
	Verb, Resource string
}

// Event says whether the write was one of an event, which tells people and changes nothing.
func (w Write) Event() bool { return w.Resource == "events" }

// Writes counts ways to write.
type Writes map[Write]int

// Count is how many writes changed something, and how many were events.
func (w Writes) Count() (objects, events int) {
	for write, count := range w {
		if write.Event() {
			events += count
			continue
		}
		objects += count
	}
	return objects, events
}

func (w Writes) since(before Writes) Writes {
	added := Writes{}
	for write, count := range w {
		if count > before[write] {
			added[write] = count - before[write]
		}
	}
	return added
}

// auditLog is read on from where the last look ended.
type auditLog struct {
	path            string
	offset          int64
	writes, refused Writes
}

// look reads what came to the log since, and returns all writes so far, and those of them that were refused.
func (l *auditLog) look() (writes, refused Writes, err error) {
	file, err := os.Open(l.path)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	added, err := io.ReadAll(io.NewSectionReader(file, l.offset, 1<<40))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the audit log: %w", err)
	}
	added = added[:bytes.LastIndexByte(added, '\n')+1] // The last line may not be whole yet.
	l.offset += int64(len(added))
	if l.writes == nil {
		l.writes, l.refused = Writes{}, Writes{}
	}
	for line := range bytes.Lines(added) {
		event := auditv1.Event{ObjectRef: &auditv1.ObjectReference{}, ResponseStatus: &metav1.Status{}}
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, nil, fmt.Errorf("reading a line of the audit log: %w", err)
		}
		resource := event.ObjectRef.Resource
		if event.ObjectRef.Subresource != "" {
			resource += "/" + event.ObjectRef.Subresource
		}
		write := Write{Verb: event.Verb, Resource: resource}
		l.writes[write]++
		if event.ResponseStatus.Code >= http.StatusBadRequest {
			l.refused[write]++
		}
	}
	return maps.Clone(l.writes), maps.Clone(l.refused), nil
}

// metrics are what a program says on /metrics, by name.
type metrics map[string]*dto.MetricFamily

func parseMetrics(text string) (metrics, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	found, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading metrics: %w", err)
	}
	return found, nil
}

// sum adds up what has a name, whatever its labels.
func (m metrics) sum(name string) float64 {
	var sum float64
	for _, one := range m[name].GetMetric() {
		sum += one.GetCounter().GetValue() + one.GetGauge().GetValue() + one.GetUntyped().GetValue()
	}
	return sum
}

// Histogram is one of Prometheus: how many values lie at or below each bound. Its last bound is infinite.
type Histogram []Bucket

// Bucket is one bound of a Histogram.
type Bucket struct {
	UpTo  float64
	Count float64
}

// histogram adds up the histograms of a name, whatever their other labels.
func (m metrics) histogram(name string) Histogram {
	counts := map[float64]float64{}
	for _, one := range m[name].GetMetric() {
		for _, bucket := range one.GetHistogram().GetBucket() {
			counts[bucket.GetUpperBound()] += float64(bucket.GetCumulativeCount())
		}
	}
	h := make(Histogram, 0, len(counts))
	for _, upTo := range slices.Sorted(maps.Keys(counts)) {
		h = append(h, Bucket{UpTo: upTo, Count: counts[upTo]})
	}
	return h
}

// since is what came to a histogram after an earlier look at it.
func (h Histogram) since(before Histogram) Histogram {
	was := map[float64]float64{}
	for _, b := range before {
		was[b.UpTo] = b.Count
	}
	added := slices.Clone(h)
	for i := range added {
		added[i].Count -= was[added[i].UpTo]
	}
	return added
}

// Total is the number of values.
func (h Histogram) Total() float64 {
	if len(h) == 0 {
		return 0
	}
	return h[len(h)-1].Count
}

// Quantile is the value below which a share of the values lies, as if those of a bucket lay evenly in it. NaN of none;
// the last finite bound when it lies above that.
func (h Histogram) Quantile(share float64) float64 {
	if h.Total() == 0 {
		return math.NaN()
	}
	rank := share * h.Total()
	at := slices.IndexFunc(h, func(b Bucket) bool { return b.Count >= rank })
	var below Bucket
	if at > 0 {
		below = h[at-1]
	}
	if math.IsInf(h[at].UpTo, 1) {
		return below.UpTo
	}
	return below.UpTo + (h[at].UpTo-below.UpTo)*(rank-below.Count)/(h[at].Count-below.Count)
}
