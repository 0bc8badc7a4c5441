package limits

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"sigs.k8s.io/yaml"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/exchange"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

var long = flag.Bool("long", false, "make all situations")

// situation is something that limits a load.
type situation struct {
	// made says in a few words what was done.
	made string
	// want is what the report has to name.
	want string
	// long situations are left out of the short form.
	long bool
	// make makes it.
	make func(t *testing.T) scene
	// documents, of 500 bytes of text unless bytes says otherwise; 0 is 200 of them.
	documents, bytes int
	// warmup in seconds; 0 is one.
	warmup int
	// lagMillis is how far a secondary is behind at least; 0 is not looked at.
	lagMillis int64
	// run is what is declared beside the usual collection.
	run string
}

// scene is where a load is sent.
type scene struct {
	// uris are connection strings; of several each is a shard.
	uris []string
	// limitMillicores is the CPU limit of the servers, which an operator would add to the report.
	limitMillicores int64
}

// declared is the run of a situation.
func (s situation) declared() string {
	return fmt.Sprintf(`
dataset:
  collections:
    - name: things
      documentCount: %d
      fields: [{name: _id, type: Sequence}, {name: n, type: Int}, {name: text, type: Binary, bytes: {maxLength: %d}}]
workload:
  steps:
    - name: measured
      warmupSeconds: %d
      durationSeconds: 4
`, cmp.Or(s.documents, 200), cmp.Or(s.bytes, 500), cmp.Or(s.warmup, 1)) + s.run
}

// TestMain prints the table.
func TestMain(m *testing.M) {
	code := mongotest.Main(m)
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "made on purpose\tlimited by\tcertainty\tbecause\talso seen")
	for _, row := range rows {
		_, _ = fmt.Fprintln(table, row)
	}
	_ = table.Flush()
	os.Exit(code)
}

var (
	mutex sync.Mutex
	rows  []string
)

// attempts is how often a situation is made until the machine leaves the load generator alone.
const attempts = 5

func TestWhatLimitsALoadIsNamed(t *testing.T) {
	for _, s := range situations {
		if s.long && !*long {
			continue
		}
		t.Run(s.made, func(t *testing.T) {
			for attempt := 1; ; attempt++ {
				found, disturbed := s.measure(t)
				if disturbed != "" && attempt < attempts && found[0].By != s.want {
					t.Logf("once more, for the machine had other things to do: %s", disturbed)
					continue
				}
				s.check(t, found)
				return
			}
		})
	}
}

func (s situation) check(t *testing.T, found []reportv1.Limit) {
	t.Helper()
	also := make([]string, 0, len(found))
	for _, other := range found[1:] {
		also = append(also, other.By)
	}
	mutex.Lock()
	rows = append(rows, strings.Join([]string{
		s.made, found[0].By, found[0].Certainty, found[0].Because, strings.Join(also, ", "),
	}, "\t"))
	mutex.Unlock()
	if found[0].By != s.want {
		t.Errorf("limited by %s, want %s", found[0].By, s.want)
		for _, limit := range found {
			t.Logf("%s (%s): %s", limit.By, limit.Certainty, limit.Because)
		}
	}
}

// measure makes the situation and has the load generator look at it. Disturbed says why the report itself doubts the
// load generator.
func (s situation) measure(t *testing.T) (found []reportv1.Limit, disturbed string) {
	t.Helper()
	report := s.follow(t, s.make(t))
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	if lag := summary.Steps[0].ReplicationLagMillis; s.lagMillis > 0 && (lag == nil || *lag < s.lagMillis) {
		t.Errorf("its replication lag is %s, want %d ms at least", present.Known(lag, present.Millis), s.lagMillis)
	}
	disturbed = neighbours(report)
	for _, doubt := range doubts {
		if slices.Contains([]string{
			benchv1alpha1.ReasonGeneratorSaturated, benchv1alpha1.ReasonGeneratorLate, benchv1alpha1.ReasonScheduleNotKept,
		}, doubt.Reason) {
			disturbed = doubt.Message
		}
	}
	return summary.Steps[0].LimitedBy, disturbed
}

// neighbours says how much of the machine others had than the servers and the load generator; empty when that is not
// much.
func neighbours(report reportv1.Report) string {
	step := report.Steps[len(report.Steps)-1]
	mean := func(member reportv1.Member, name string) float64 {
		var total, samples float64
		first, last := result.Slots(member, step.MeasureStart, step.WindowEnd())
		for _, series := range member.Series {
			for slot, value := range series.Values {
				if series.Name == name && value >= 0 && slot >= first && slot < last {
					total += float64(value)
					samples++
				}
			}
		}
		return total / max(samples, 1)
	}
	var machine, ours float64
	for _, member := range report.Members {
		machine = max(machine, mean(member, reportv1.SeriesHostBusy))
		ours += mean(member, reportv1.SeriesCPUUser) + mean(member, reportv1.SeriesCPUSystem)
	}
	ours += float64(step.Generator.CPUMicros) / 1000 / step.Window().Seconds()
	const most = 0.25
	if all := 1000 * float64(report.Server.CPUCores); machine-ours > most*all {
		return fmt.Sprintf("other processes used %.1f of %d processors", (machine-ours)/1000, report.Server.CPUCores)
	}
	return ""
}

// target is what the load generator needs of one here.
type target interface {
	loadgen.Target
	Servers(ctx context.Context) ([]observe.Server, error)
}

func (s situation) follow(t *testing.T, at scene) reportv1.Report {
	t.Helper()
	var declared benchv1alpha1.BenchmarkRunSpec
	if err := yaml.UnmarshalStrict([]byte(s.declared()), &declared); err != nil {
		t.Fatal(err)
	}
	plan := spec.Compile(declared)
	plan.Pods = 1
	if len(at.uris) > 1 {
		plan.Client = benchv1alpha1.ClientWire
	}
	used := s.open(t, at.uris)
	log := slog.New(slog.DiscardHandler)
	generator := &engine.Engine{
		Plan: plan, PlanHash: "0", Target: used, Reporter: &drivertest.Reporter{}, Log: log,
		Observer: &observe.Observer{
			Database: plan.Database, Log: log, Servers: used.Servers, Interval: 500 * time.Millisecond,
		},
		Pinger: exchange.Servers{Find: used.Servers},
	}
	report, err := generator.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	report.Server.CPULimitMillicores = at.limitMillicores
	return report
}

func (s situation) open(t *testing.T, uris []string) target {
	t.Helper()
	var used interface {
		target
		Close(ctx context.Context) error
	}
	var err error
	if len(uris) == 1 {
		used, err = mongo.Open(t.Context(), mongo.Config{URIs: uris, Connections: 16})
	} else {
		configs := make([]mongo.Config, len(uris))
		for i, uri := range uris {
			configs[i] = mongo.Config{URIs: []string{uri}, Connections: 16}
		}
		used, err = shards.Open(t.Context(), configs)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = used.Close(context.Background()) })
	return used
}
