package outlet

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/loadgen"
)

// record is a line of a log of operations.
type record struct {
	step    string
	planned *planv1.Operation
	pod     int
	sampled *loadgen.Sampled
	// count are the operations of its class in the interval, of which as many were kept; lowest is the smallest latency of
	// the class.
	count  int64
	kept   int
	lowest int64
}

// recordFormat writes a line.
type recordFormat func(to io.Writer, r record) error

// columns of a line, in their order.
var columns = []string{
	"step", "operation", "group", "kind", "collection", "number", "pod", "thread", "dueMicros", "sentMicros",
	"repliedMicros", "latencyMicros", "outcome", "documents", "retries", "classLowestMicros", "classOperations",
	"classSampled",
}

// csvHead is the first line of a CSV.
var csvHead = strings.Join(columns, ",") + "\n"

// succeeded is the outcome of an operation without an error.
const succeeded = "ok"

// line is what both forms have; instants are microseconds since 1970.
type line struct {
	Step              string `json:"step"`
	Operation         string `json:"operation"`
	Group             string `json:"group,omitempty"`
	Kind              string `json:"kind"`
	Collection        string `json:"collection,omitempty"`
	Number            int64  `json:"number"`
	Pod               int    `json:"pod"`
	Thread            int64  `json:"thread"`
	DueMicros         int64  `json:"dueMicros"`
	SentMicros        int64  `json:"sentMicros"`
	RepliedMicros     int64  `json:"repliedMicros"`
	LatencyMicros     int64  `json:"latencyMicros"`
	Outcome           string `json:"outcome"`
	Documents         int64  `json:"documents"`
	Retries           int    `json:"retries,omitempty"`
	ClassLowestMicros int64  `json:"classLowestMicros"`
	ClassOperations   int64  `json:"classOperations"`
	ClassSampled      int    `json:"classSampled"`
}

func lineOf(r record) line {
	s := r.sampled
	l := line{
		Step: r.step, Operation: r.planned.Name, Group: r.planned.Group, Kind: string(r.planned.Kind),
		Collection: r.planned.Collection, Number: s.Number, Pod: r.pod, Thread: s.Worker, DueMicros: s.Due.UnixMicro(),
		SentMicros: s.Sent.UnixMicro(), RepliedMicros: s.Replied.UnixMicro(), LatencyMicros: s.Latency.Microseconds(),
		Outcome: succeeded, Documents: s.Documents, Retries: s.Retries, ClassLowestMicros: r.lowest,
		ClassOperations: r.count, ClassSampled: r.kept,
	}
	if s.Class != "" {
		l.Outcome = s.Class
	}
	return l
}

func jsonRecord(to io.Writer, r record) error { return json.NewEncoder(to).Encode(lineOf(r)) }

func csvRecord(to io.Writer, r record) error {
	l := lineOf(r)
	cells := make([]string, 0, len(columns))
	for _, name := range []string{l.Step, l.Operation, l.Group, l.Kind, l.Collection} {
		cells = append(cells, present.Harmless(name))
	}
	for _, number := range []int64{
		l.Number, int64(l.Pod), l.Thread, l.DueMicros, l.SentMicros, l.RepliedMicros, l.LatencyMicros,
	} {
		cells = append(cells, strconv.FormatInt(number, 10))
	}
	cells = append(cells, present.Harmless(l.Outcome))
	for _, number := range []int64{
		l.Documents, int64(l.Retries), l.ClassLowestMicros, l.ClassOperations, int64(l.ClassSampled),
	} {
		cells = append(cells, strconv.FormatInt(number, 10))
	}
	lines := csv.NewWriter(to)
	_ = lines.Write(cells) // Error tells of it.
	lines.Flush()
	return lines.Error()
}
