package honesty

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/comparison"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/cgroup"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/exchange"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/cgrouptest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// TestWhereThingsStand is about what is around a run: the way to the servers, the clocks, and the servers' own limits.
func TestWhereThingsStand(t *testing.T) {
	for name, far := range map[string]time.Duration{"the same way": nearby, "five times as far": 5 * nearby} {
		Check(t, Scenario{
			Item: "A19", Name: name, Truth: fmt.Sprintf("proxies hold back answers for %s and %s", nearby, far),
			Run: func(t *testing.T) Told { return compareWays(t, far) },
		})
	}
	Check(t, Scenario{
		Item: "A19", Name: "2 ms farther away", Truth: "scripted exchanges take 2 ms longer",
		Run: func(t *testing.T) Told {
			return compareRoundTrips(t, scripted(time.Now(), 0, scriptedRoundTrip),
				scripted(time.Now(), 0, scriptedRoundTrip+2*time.Millisecond))
		},
	})
	for name, behind := range map[string]time.Duration{"clocks agree": 0, "a clock is 3 s behind": 3 * time.Second} {
		Check(t, Scenario{
			Item: "A20.1", Name: name, Truth: fmt.Sprintf("two pods begin %s apart, each on time by its own clock", behind),
			Doubt: benchv1alpha1.ReasonStartSkew,
			Run:   func(t *testing.T) Told { return startTogether(t, behind) },
		})
	}
	for name, percent := range map[string]int{"no CPU limit": 0, "a fifth of a core": 20} {
		Check(t, Scenario{
			Item: "A20.2", Name: name, Truth: "the cgroup's cpu.stat, read by the test",
			Run: func(t *testing.T) Told { return limitServer(t, percent) },
		})
	}
}

// nearby is how long the proxy of the near way holds back each answer: much longer than an answer waits for processors
// that are all taken, which alone made a round trip of 0.5 ms take 1.6 ms.
const nearby = 10 * time.Millisecond

// compareWays measures the round trip to a server on two ways through proxies, and has the two compared.
func compareWays(t *testing.T, far time.Duration) Told {
	server := address(mongotest.Shared(t, mongotest.Newest()).URI())
	var ways [2]reportv1.Ping
	for i, delay := range []time.Duration{nearby, far} {
		target := openTarget(t, "mongodb://"+delayed(t, server, delay)+"/?directConnection=true")
		pings, err := exchange.Servers{Find: target.Servers}.Ping(t.Context())
		if err != nil || len(pings) != 1 {
			t.Fatalf("got %+v, %v", pings, err)
		}
		ways[i] = pings[0]
	}
	told := compareRoundTrips(t, ways[0], ways[1])
	told.Wrong = far > nearby
	if !told.Wrong && told.Says != "" {
		t.Errorf("the same way is a difference: %s", told.Reported)
	}
	return told
}

// compareRoundTrips has two runs compared that differ in their ways to a server alone.
func compareRoundTrips(t *testing.T, near, far reportv1.Ping) Told {
	t.Helper()
	var micros [2]int64
	var sides [2]comparison.Side
	for i, ping := range []reportv1.Ping{near, far} {
		micros[i] = *result.RoundTripMicros(reportv1.Report{Steps: []reportv1.Step{{Pings: []reportv1.Ping{ping}}}})
		sides[i].Samples = []comparison.Sample{{
			Fingerprint: map[string]string{"roundTripMicros": strconv.FormatInt(micros[i], 10)},
		}}
	}
	told := Told{
		Reported: fmt.Sprintf("round trips of %s and %s", present.Micros(micros[0]), present.Micros(micros[1])),
		Wrong:    true,
	}
	differences := comparison.Differences(comparison.Pair{Baseline: sides[0], Candidate: sides[1]}, nil)
	if len(differences) > 0 {
		told.Says = "Inconclusive: " + differences[0].Field
	}
	return told
}

func openTarget(t *testing.T, uri string) *mongo.Target {
	t.Helper()
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{uri}, Connections: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	return target
}

func address(uri string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(uri, "mongodb://"), "/")
	return host
}

// delayed is the address of a proxy that holds back what comes from the server.
func delayed(t *testing.T, server string, delay time.Duration) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = client.Close() }()
				behind, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server)
				if err != nil {
					return
				}
				defer func() { _ = behind.Close() }()
				go func() { _, _ = io.Copy(behind, client) }()
				_, _ = io.Copy(late{client, delay}, behind)
			}()
		}
	}()
	return listener.Addr().String()
}

// late writes after a while.
type late struct {
	io.Writer
	delay time.Duration
}

// Write waits first.
func (l late) Write(content []byte) (int, error) {
	<-time.After(l.delay)
	return l.Writer.Write(content)
}

// scriptedRoundTrip is what a scripted exchange takes, there and back.
const scriptedRoundTrip = 200 * time.Microsecond

// scripted are exchanges up to an instant with a server whose clock is told in milliseconds, by a pod whose own
// clock is behind.
func scripted(until time.Time, behind, roundTrip time.Duration) reportv1.Ping {
	all := make([]exchange.Exchange, 0, exchange.Count)
	for i := range exchange.Count {
		sent := until.Add(time.Duration(i-exchange.Count) * 2300 * time.Microsecond)
		read := sent.Add(roundTrip / 2).Add(behind)
		all = append(all, exchange.Exchange{
			Sent: sent, Received: sent.Add(roundTrip), Told: read.Truncate(time.Millisecond),
		})
	}
	return exchange.Summarise("db:27017", time.Millisecond, all)
}

// startTogether merges the reports of two pods that began at the agreed instant, each by its own clock.
func startTogether(t *testing.T, behind time.Duration) Told {
	t.Helper()
	agreed := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	pod := func(behind time.Duration) reportv1.Report {
		pings := []reportv1.Ping{scripted(agreed, behind, scriptedRoundTrip)}
		exchange.Began(pings, agreed)
		return reportv1.Report{Version: reportv1.Version, Pods: 1, Steps: []reportv1.Step{{
			Name: "mixed", Kind: reportv1.KindMeasure, IntendedStart: agreed, Start: agreed, MeasureStart: agreed,
			End: agreed.Add(10 * time.Second), IntervalMillis: 1000, Pings: pings,
		}}}
	}
	merged, err := result.Merge([]reportv1.Report{pod(0), pod(behind)})
	if err != nil {
		t.Fatal(err)
	}
	doubts, err := result.Doubts(merged)
	if err != nil {
		t.Fatal(err)
	}
	clock := merged.Steps[0].Pings[0].Clock
	return Told{
		Reported: fmt.Sprintf("skew by own clocks %d µs, by the server's %s", merged.Steps[0].StartSkewMicros,
			present.Micros(clock.LastStart.Sub(clock.FirstStart).Microseconds())),
		Wrong: behind > 0, Doubts: doubts,
	}
}

// limitServer measures reads of a server whose cgroup may use this much of one core; 0 is no limit.
func limitServer(t *testing.T, percent int) Told {
	server := mongotest.Start(t, mongotest.Newest())
	target := openTarget(t, server.URI())
	if percent > 0 {
		cgrouptest.Join(t, cgrouptest.Limited(t, percent), processOf(t, target))
	}
	run := benchv1alpha1.BenchmarkRunSpec{Preset: &benchv1alpha1.Preset{
		Name: "YCSB-C", Parameters: map[string]string{
			"recordcount": "1000", "threadcount": "8", "maxexecutiontime": "5",
		},
	}}
	plan := spec.Compile(run)
	plan.Pods = 1
	log := slog.New(slog.DiscardHandler)
	follower := &engine.Engine{
		Plan: plan, PlanHash: "0", Target: target, Reporter: unheard{}, Log: log,
		Observer: &observe.Observer{Database: plan.Database, Log: log, Servers: target.Servers},
		Pinger:   exchange.Servers{Find: target.Servers},
	}
	report, err := follower.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	doubts, err := result.Doubts(report)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	told := Told{
		Reported: "p99 " + present.Micros(summary.Steps[0].Overall.P99Micros), Doubts: doubts,
		Says: strings.Join(result.Remarks(report), "; "),
	}
	if percent == 0 {
		// The window is too short for the one thing that is said of every run like this.
		said := result.Remarks(report)
		if len(said) != 1 || !strings.HasPrefix(said[0], "whether the throughput was steady was not checked") {
			t.Errorf("without a limit it is said that %s", told.Says)
		}
		return told
	}
	truth, known := cgroup.Of(os.DirFS("/"), processOf(t, target))
	told.Wrong = known && truth.Throttled > 0
	if !told.Wrong {
		t.Errorf("the limit stopped nothing: %+v", truth)
	}
	return told
}

// unheard is a Reporter that tells no one.
type unheard struct{}

func (unheard) Progress(context.Context, reportv1.Progress) error { return nil }
func (unheard) Report(context.Context, reportv1.Report) error     { return nil }

// processOf is the number of a server's process.
func processOf(t *testing.T, target *mongo.Target) string {
	t.Helper()
	found, err := target.Members(t.Context())
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v, %v", found, err)
	}
	defer found[0].Close()
	command, err := bson.Marshal(bson.D{{Key: "serverStatus", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := found[0].Ask(t.Context(), "admin", command)
	if err != nil {
		t.Fatal(err)
	}
	number, _ := reply.Lookup("pid").AsInt64OK()
	return strconv.FormatInt(number, 10)
}
