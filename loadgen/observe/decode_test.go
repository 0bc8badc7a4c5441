package observe

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

// recorded are the samples of a server of some version that was under load: two, about a second apart.
func recorded(t *testing.T, version string) (samples []*sample, replies []bson.Raw) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", version+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		replies = append(replies, document(t, lines.Text()))
	}
	for i := 0; i < len(replies); i += 3 {
		s := newSample()
		s.decode(serverStatus, replies[i])
		s.decodeReplication(replies[i+1], namesIn(replies[i+1]))
		s.decode(dbStats, replies[i+2])
		samples = append(samples, s)
	}
	return samples, replies
}

func document(t *testing.T, json string) bson.Raw {
	t.Helper()
	var raw bson.Raw
	if err := bson.UnmarshalExtJSON([]byte(json), false, &raw); err != nil {
		t.Fatal(err)
	}
	return raw
}

func seriesOf(samples ...*sample) map[string][]int64 {
	r := &recording{interval: time.Second, limit: DefaultLimit}
	for _, s := range samples {
		r.put(s)
	}
	byName := map[string][]int64{}
	for _, s := range r.series() {
		byName[s.Name] = s.Values
	}
	return byName
}

func TestEveryVersionTellsEveryFigure(t *testing.T) {
	// A lag is given by spreadLags; the rest is told by sharded clusters only.
	// The queues of tickets are timed by later versions. The recorded replies have no locks.
	elsewhere := []string{
		replicationLag, "migrations.started", "migrations.documents", "tickets.readQueueTime", "tickets.writeQueueTime",
		locksWaits, locksWaitTime,
	}
	for _, f := range figures {
		// No server that was recorded limits what it takes in.
		if slices.Contains([]reply{metadata, listed, kernel, diagnostic}, f.from) || strings.HasPrefix(f.name, "admission.") {
			elsewhere = append(elsewhere, f.name)
		}
	}
	for _, version := range []string{"4.2.6", "4.4.2", "5.0.4", "6.0.5"} {
		t.Run(version, func(t *testing.T) {
			samples, _ := recorded(t, version)
			series := seriesOf(samples...)
			for _, f := range figures {
				values := series[f.name]
				known := len(values) == 2 && values[1] != unknown
				if known == slices.Contains(elsewhere, f.name) {
					t.Errorf("%s is %d", f.name, values)
				}
			}
		})
	}
}

func TestRatesAreDifferencesByTheServersClock(t *testing.T) {
	for _, version := range []string{"4.2.6", "4.4.2", "5.0.4", "6.0.5"} {
		t.Run(version, func(t *testing.T) {
			samples, replies := recorded(t, version)
			series := seriesOf(samples...)
			difference := func(path ...string) float64 {
				return float64(replies[3].Lookup(path...).AsInt64() - replies[0].Lookup(path...).AsInt64())
			}
			seconds := difference("uptimeMillis") / 1000
			for name, want := range map[string]float64{
				"operations.insert": difference("opcounters", "insert") / seconds,
				"cpu.user":          difference("extra_info", "user_time_us") / 1000 / seconds,
				"disk.written":      difference("wiredTiger", "block-manager", "bytes written") / seconds,
				"serverTime.writes": difference("opLatencies", "writes", "latency") / difference("opLatencies", "writes", "ops"),
			} {
				got := series[name]
				if got[0] != unknown || want <= 0 || math.Abs(float64(got[1])-want) > 0.5 {
					t.Errorf("%s is %d, want unknown and %.1f", name, got, want)
				}
			}
		})
	}
}

func TestLevelsAreAsTheyWere(t *testing.T) {
	for _, version := range []string{"4.2.6", "4.4.2", "5.0.4", "6.0.5"} {
		t.Run(version, func(t *testing.T) {
			samples, replies := recorded(t, version)
			series := seriesOf(samples...)
			for name, want := range map[string]int64{
				"memory.resident": replies[3].Lookup("mem", "resident").AsInt64() << 20,
				"size.documents":  replies[5].Lookup("objects").AsInt64(),
				"cache.maximum":   256 << 20,
				checkpointCount:   replies[3].Lookup("wiredTiger", "transaction", "transaction checkpoints").AsInt64(),
				replicationState:  primaryState,
				largestLag:        0,
			} {
				if got := series[name]; got[1] != want || want < 0 {
					t.Errorf("%s is %d, want %d", name, got, want)
				}
			}
		})
	}
}

func TestFiguresAreFoundWhereNewerServersHaveThem(t *testing.T) {
	s := newSample()
	s.decode(serverStatus, document(t, `{
		"uptimeMillis": 1000,
		"queues": {"execution": {
			"read": {"out": 3, "available": 13, "normalPriority": {"totalTimeQueuedMicros": 33}},
			"write": {"out": 4, "available": 14, "normalPriority": {"totalTimeQueuedMicros": 44}}
		}, "ingress": {
			"out": 5, "available": 999995, "totalTickets": 1000000,
			"exempt": {"queueLength": {"$numberLong": "0"}, "totalTimeQueuedMicros": {"$numberLong": "0"}},
			"normalPriority": {"queueLength": {"$numberLong": "7"}, "totalTimeQueuedMicros": {"$numberLong": "77"}}
		}, "ingressSessionEstablishment": {
			"addedToQueue": {"$numberLong": "20"}, "rejectedAdmissions": {"$numberLong": "10"},
			"averageTimeQueuedMicros": 10.5, "totalAvailableTokens": {"$numberLong": "9223372036854775807"}
		}},
		"connections": {"current": 30, "queuedForEstablishment": 6, "establishmentRateLimit": {"rejected": 10}},
		"network": {"ingressRequestRateLimiter": {"rejectedAdmissions": {"$numberLong": "3"}}},
		"wiredTiger": {
			"checkpoint": {
				"progress state": 2, "most recent time (msecs)": 70, "total succeed number of checkpoints": 5
			},
			"transaction": {"transactions committed": 9}
		},
		"flowControl": {"isLagged": true}
	}`))
	for name, want := range map[string]int64{
		"tickets.readOut": 3, "tickets.writeOut": 4, "tickets.readAvailable": 13, "tickets.writeAvailable": 14,
		"tickets.readQueueTime": 33, "tickets.writeQueueTime": 44,
		"admission.queue": 7, "admission.queueTime": 77, "admission.requestsRejected": 3,
		"admission.connectionsQueued": 6, "admission.connectionsRejected": 10,
		checkpointRunning: 2, checkpointDuration: 70, checkpointCount: 5, "flowControl.lagged": 1,
		"cpu.user": unknown, "memory.resident": unknown,
	} {
		if got := s.values[places[name]]; got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
}

// namesIn are the names of all members in a reply to replSetGetStatus.
func namesIn(reply bson.Raw) (names []string) {
	var status struct {
		Members []setMember `bson:"members"`
	}
	if bson.Unmarshal(reply, &status) != nil {
		return nil
	}
	for _, member := range status.Members {
		names = append(names, member.Name)
	}
	return names
}

func TestLagIsWhatThePrimarySeesOfHealthyMembers(t *testing.T) {
	primary, secondary := newSample(), newSample()
	seen := []string{"a:1", "b:1", "c:1", "gone:1"}
	primary.decodeReplication(document(t, `{"myState": 1, "term": 7, "members": [
		{"name": "a:1", "health": 1, "state": 1, "optimeDate": {"$date": "2026-01-01T00:00:09Z"}},
		{"name": "b:1", "health": 1, "state": 2, "optimeDate": {"$date": "2026-01-01T00:00:07Z"}},
		{"name": "c:1", "health": 1, "state": 2, "optimeDate": {"$date": "2026-01-01T00:00:08Z"},
		 "lastAppliedWallTime": {"$date": "2026-01-01T00:00:08.750Z"}},
		{"name": "gone:1", "health": 0, "state": 8, "optimeDate": {"$date": "1970-01-01T00:00:00Z"}},
		{"name": "delayed:1", "health": 1, "state": 2, "optimeDate": {"$date": "2025-12-31T00:00:00Z"}},
		{"name": "arbiter:1", "health": 1, "state": 7}
	]}`), seen)
	secondary.decodeReplication(document(t, `{"myState": 2, "members": [
		{"name": "a:1", "health": 1, "state": 1, "optimeDate": {"$date": "2026-01-01T00:00:01Z"}},
		{"name": "b:1", "health": 1, "state": 2, "optimeDate": {"$date": "2026-01-01T00:00:07Z"}}
	]}`), seen)
	if want := map[string]int64{"a:1": 0, "b:1": 2000, "c:1": 250}; !cmp.Equal(primary.lags, want) {
		t.Errorf("lags are %v, want %v", primary.lags, want)
	}
	own := &recording{samples: []*sample{nil, secondary}}
	spreadLags(map[string]*recording{
		"a:1": {samples: []*sample{nil, primary, newSample()}}, "b:1": own, "gone:1": {samples: []*sample{newSample()}},
	})
	for name, want := range map[string]int64{
		replicationLag: 2000, largestLag: unknown, replicationState: 2, reportv1.SeriesReplicationTerm: unknown,
		reportv1.SeriesUnreachable: 0,
	} {
		if got := secondary.values[places[name]]; got != want {
			t.Errorf("%s of the secondary is %d, want %d", name, got, want)
		}
	}
	for name, want := range map[string]int64{
		largestLag: 2000, reportv1.SeriesReplicationTerm: 7, reportv1.SeriesUnreachable: 1,
	} {
		if got := primary.values[places[name]]; got != want {
			t.Errorf("%s of the primary is %d, want %d", name, got, want)
		}
	}
}

func TestBalancerAndChunks(t *testing.T) {
	s := newSample()
	s.decodeBalancer(document(t, `{"mode": "full", "inBalancerRound": false, "numBalancerRounds": 7, "ok": 1}`))
	s.decodeChunks(document(t, `{"cursor": {"firstBatch": [{"_id": "s1", "chunks": 3}, {"_id": "s2", "chunks": 1}]}}`))
	later := newSample()
	later.decodeBalancer(document(t, `{"mode": "off", "numBalancerRounds": 8}`))
	later.decodeChunks(document(t, `{"cursor": {"firstBatch": [{"_id": "s2", "chunks": 4}]}}`))
	series := seriesOf(s, later)
	want := map[string][]int64{
		balancerEnabled: {1, 0}, balancerRounds: {7, 8}, "chunks.s1": {3, 0}, "chunks.s2": {1, 4},
	}
	if !cmp.Equal(series, want) {
		t.Errorf("series differ: %s", cmp.Diff(want, series))
	}
}

func TestUnreadableRepliesLeaveFiguresUnknown(t *testing.T) {
	for name, text := range map[string]string{
		"empty": `{}`,
		"other types": `{
			"opcounters": 3, "mem": {"resident": "much"}, "members": 1, "mode": 2, "cursor": [], "uptimeMillis": "x"
		}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, raw := newSample(), document(t, text)
			s.decode(serverStatus, raw)
			s.decode(dbStats, raw)
			s.decodeReplication(raw, namesIn(raw))
			s.decodeBalancer(raw)
			s.decodeChunks(raw)
			s.values[places[replicationState]] = unknown
			if known := slices.Max(s.values); known != unknown || s.uptime != unknown {
				t.Errorf("the values are %d, uptime %d, want them unknown", s.values, s.uptime)
			}
		})
	}
}

// rowsOf are the cells of the first table after a heading of docs/reference/server-figures.md.
func rowsOf(t *testing.T, heading string) [][]string {
	t.Helper()
	content, err := os.ReadFile("../../docs/reference/server-figures.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(content), heading+"\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.Split(table, "\n")
	rows := make([][]string, 0, len(lines))
	for _, line := range lines[min(2, len(lines)):] {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		cells[0] = strings.Trim(cells[0], "`")
		rows = append(rows, cells)
	}
	return rows
}

// TestTableForPeople: docs/reference/server-figures.md has the same figures with the same units.
func TestTableForPeople(t *testing.T) {
	var documented []string
	for _, row := range rowsOf(t, "## Figures") {
		if len(row) > 2 {
			documented = append(documented, row[0]+" "+row[1])
		}
	}
	want := make([]string, 0, len(figures)+1)
	for _, f := range figures {
		want = append(want, f.name+" "+f.unit)
	}
	want = append(want, diskPrefix+"DISK ms/s", "chunks.SHARD count")
	if !cmp.Equal(documented, want) {
		t.Errorf("docs/reference/server-figures.md differs from the table: %s", cmp.Diff(want, documented))
	}
}

// TestTableOfMariaDBForPeople: docs/reference/server-figures.md has the figures that a listing tells, with their
// sources.
func TestTableOfMariaDBForPeople(t *testing.T) {
	documented := make([]string, 0, len(tallies))
	for _, row := range rowsOf(t, "## Of MariaDB and MySQL") {
		documented = append(documented, strings.Join(row, " "))
	}
	want := make([]string, 0, len(tallies))
	for _, s := range tallies {
		terms := append([]string{strings.Join(s.add, " + ")}, s.less...)
		want = append(want, s.figure+" "+strings.Join(terms, " - "))
	}
	if !cmp.Equal(documented, want) {
		t.Errorf("docs/reference/server-figures.md differs from the table: %s", cmp.Diff(want, documented))
	}
}
