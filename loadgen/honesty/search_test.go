package honesty

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// searching is a plan of one search for the highest rate whose p99 is at most 100 ms.
func searching(threads int) planv1.Plan {
	plan := lateCase{threads: threads}.plan()
	step := &plan.Steps[0]
	step.DurationSeconds, step.WarmupSeconds = 10, 1
	step.Search = &planv1.Search{
		PercentileMillis: 99_000, LimitMicros: 100_000, Process: benchv1alpha1.ArrivalPoisson, Lowest: 50, Highest: 100_000,
		TrialSeconds: 3, TolerancePercent: 5, MaxSeconds: 300,
	}
	return plan
}

// found is what a report says of a search, whose limit this is.
func found(search reportv1.Search, doubts []result.Doubt, limit float64) Told {
	rate := float64(search.Found)
	return Told{
		Reported: fmt.Sprintf("%d/s, below %d/s, by %d trials, limited by %s", search.Found, search.Below, len(search.Trials),
			search.LimitedBy),
		Wrong: rate > limit*1.1 || rate < limit/1.1, Doubts: doubts,
	}
}

// TestASearchFindsTheLimitOrSaysThatItDoesNot runs on fake time, where a script serves exactly so many operations.
func TestASearchFindsTheLimitOrSaysThatItDoesNot(t *testing.T) {
	const places, takes = 4, 8 * time.Millisecond // 500/s.
	stalling := &drivertest.Target{
		Latency: 10 * time.Millisecond, StallEvery: 97 * time.Second, StallFor: 300 * time.Millisecond,
	}
	for name, tc := range map[string]struct {
		target  *drivertest.Target
		threads int
		limit   float64
		truth   string
	}{
		"of a server with four places": {
			&drivertest.Target{Latency: takes, Places: places}, 100, 500, "four places serve an operation in 8 ms each: 500/s",
		},
		"of a server that stalls now and then": {
			stalling, 10, 1000, "ten threads send operations of 10 ms; once in 97 s all of them take 300 ms longer: the " +
				"threads are the limit at 1,000/s",
		},
		"with too few threads": {
			&drivertest.Target{Latency: 10 * time.Millisecond}, 2, 100_000, "the server would serve any number at a time",
		},
	} {
		Check(t, Scenario{
			Item: "A8", Name: "a search " + name, Truth: tc.truth, Doubt: benchv1alpha1.ReasonSearchLimited,
			Run: func(t *testing.T) (told Told) {
				t.Helper()
				tc.target.Forget = true
				synctest.Test(t, func(t *testing.T) {
					reports, err := drivertest.Run(t.Context(), searching(tc.threads), tc.target)
					if err != nil {
						t.Fatal(err)
					}
					doubts, err := result.Doubts(reports[0])
					if err != nil {
						t.Fatal(err)
					}
					told = found(*reports[0].Steps[0].Search, doubts, tc.limit)
					// The threads' limit is no number of the target's, however exact it is.
					told.Wrong = told.Wrong || tc.target.Places == 0
				})
				return told
			},
		})
	}
}

// searched searches a server that is there, and says which doubts of the search itself there are.
func searched(t *testing.T, uri string) (reportv1.Search, []result.Doubt) {
	t.Helper()
	plan := searching(64)
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{uri}, Connections: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.WithoutCancel(t.Context())) }()
	report, doubts := follow(t, plan, target)
	return *report.Steps[0].Search, doubts
}

func TestSearchesOfARealServer(t *testing.T) {
	Check(t, Scenario{
		Item: "A8", Name: "a search of a mongod behind a proxy", Long: true, Doubt: benchv1alpha1.ReasonSearchLimited,
		Truth: "the proxy lets 400 requests a second pass, one after the other",
		Run: func(t *testing.T) Told {
			t.Helper()
			const rate = 400
			search, doubts := searched(t, slowed(t, mongotest.Start(t, mongotest.Newest()).URI(), rate))
			return found(search, doubts, rate)
		},
	})
	Check(t, Scenario{
		Item: "A8", Name: "ten searches of a mongod behind a proxy", Long: true,
		Truth: "one server has one limit",
		Run: func(t *testing.T) Told {
			t.Helper()
			const rate = 1000
			uri := slowed(t, mongotest.Start(t, mongotest.Newest()).URI(), rate)
			lowest, highest := int64(0), int64(0)
			told := Told{}
			for i := range 10 {
				search, _ := searched(t, uri)
				t.Logf("%d: %d/s, below %d/s, by %d trials, limited by %s", i, search.Found, search.Below, len(search.Trials),
					search.LimitedBy)
				told.Reported += fmt.Sprintf("%d ", search.Found)
				if lowest == 0 || search.Found < lowest {
					lowest = search.Found
				}
				highest = max(highest, search.Found)
			}
			spread := 100 * float64(highest-lowest) / float64(max(highest, 1))
			Figure("search_spread_percent", spread, "percent")
			told.Reported += fmt.Sprintf("a spread of %.1f %%", spread)
			told.Wrong = spread > 10
			return told
		},
	})
}

// slowed is the address of a proxy before a server, which lets so many messages a second pass, one after the other.
func slowed(t *testing.T, uri string, rate int64) string {
	t.Helper()
	parsed, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	queue := &turnstile{every: time.Second / time.Duration(rate)}
	server := parsed.Host
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go queue.carry(client, server)
		}
	}()
	parsed.Host = listener.Addr().String()
	return parsed.String()
}

// turnstile lets one message after the other pass.
type turnstile struct {
	every time.Duration
	mutex sync.Mutex
	next  time.Time
}

// turn is when the next message may pass.
func (q *turnstile) turn() time.Time {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if now := time.Now(); q.next.Before(now) {
		q.next = now
	}
	q.next = q.next.Add(q.every)
	return q.next
}

// carry passes on what a client sends, message by message, and all replies.
func (q *turnstile) carry(client net.Conn, address string) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(client, server) }()
	for header := make([]byte, 4); ; {
		if _, err := io.ReadFull(client, header); err != nil {
			return
		}
		message := make([]byte, binary.LittleEndian.Uint32(header))
		copy(message, header)
		if _, err := io.ReadFull(client, message[len(header):]); err != nil {
			return
		}
		time.Sleep(time.Until(q.turn())) //nolint:forbidigo // The proxy slows a server, by the clock.
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}
