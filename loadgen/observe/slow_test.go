package observe

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
)

func TestACommandIsShownWithoutItsValues(t *testing.T) {
	deep := strings.Repeat(`{"a": [`, 30) + `"4711"` + strings.Repeat(`]}`, 30)
	for name, tc := range map[string]struct{ kind, command, want string }{
		"a find": {
			"command", `{"find": "things", "filter": {"_id": {"$oid": "4711"}, "n": {"$gt": 4711}}, "limit": 4711, "$db": "db",
			"lsid": {"id": {"$uuid": "4711"}}}`, "find {filter: {_id: ?, n: {$gt: ?}}, limit: ?}",
		},
		"a list of values": {
			"command", `{"find": "t", "filter": {"a": {"$in": [4711, "4711", null]}}}`,
			"find {filter: {a: {$in: [?]}}}",
		},
		"a list of conditions": {
			"command", `{"find": "t", "filter": {"$or": [{"a": 4711}, {"a": 5}, {"b": 1}]}}`,
			"find {filter: {$or: [{a: ?}, {b: ?}]}}",
		},
		"a part of a write": {
			"update", `{"q": {"a": true}, "u": {"$set": {"b": "4711"}}}`,
			"update {q: {a: ?}, u: {$set: {b: ?}}}",
		},
		"a value of extended": {
			"command", `{"count": "t", "query": {"a": {"$date": {"$numberLong": "4711"}}}}`,
			"count {query: {a: ?}}",
		},
		"what is no command": {
			"command", `4711`,
			"command",
		},
		"what was cut": {
			"command", `{"find": "t", "filter": {"a": 47`,
			"find",
		},
		"what is nested deeply": {
			"command", `{"find": "t", "filter": ` + deep + `}`,
			"find {filter: {a: [{a: [{a: [{a: [?]}]}]}]}}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := shapeOf(tc.kind, json.RawMessage(tc.command))
			if got != tc.want {
				t.Errorf("shape %q, want %q", got, tc.want)
			}
		})
	}
	long := `{"find": "t", "filter": {"` + strings.Repeat("ä", 5000) + `": 1}}`
	if got := shapeOf("command", json.RawMessage(long)); len(got) > reportv1.MaxShapeBytes+3 ||
		strings.ToValidUTF8(got, "") != got {
		t.Errorf("a shape of %d bytes: %q", len(got), got)
	}
}

// line is one of a server's log.
func line(second int, attributes string) string {
	at := time.Date(2026, time.May, 1, 0, 0, second, 0, time.UTC).Format("2006-01-02T15:04:05.000Z07:00")
	return `{"t": {"$date": "` + at + `"}, "s": "I", "c": "COMMAND", "msg": "Slow query", "attr": ` + attributes + `}`
}

func TestALogTellsTheSlowestOfAWindow(t *testing.T) {
	find := func(millis string) string {
		return `{"type": "command", "ns": "db.t", "command": {"find": "t", "filter": {"a": ` + millis + `}}, "planSummary":
			"COLLSCAN", "keysExamined": 0, "docsExamined": 9, "nreturned": 2, "durationMillis": ` + millis + `}`
	}
	lines := append(make([]string, 0, 20),
		`{"t": {"$date": "2026-05-01T00:00:03.500+00:00"}, "msg": "Connection accepted", "attr": {}}`,
		line(4, find("900")), line(5, find("150")), line(6, find("250")), line(7, find("200")), line(31, find("901")),
		line(8, `{"type": "command", "ns": "db.$cmd", "command": {"update": "t"}, "durationMillis": 700}`),
		line(8, `{"type": "update", "ns": "db.t", "command": {"q": {}, "u": {}}, "durationMillis": 699}`),
		line(9, `{"type": "command", "ns": "db.$cmd", "command": {"delete": "u"}, "durationMillis": 101}`),
		line(9, `{"type": "command", "appName": "mongobench-observer", "ns": "admin.$cmd", "command": {"getLog": 1}}`),
		line(9, `{"type": "command", "ns": "db.t", "command": {"fi`),
	)
	at := func(second int) time.Time { return time.Date(2026, time.May, 1, 0, 0, second, 0, time.UTC) }
	log := slowLog{from: at(5), to: at(30)}
	if err := log.all(lines); err != nil {
		t.Fatal(err)
	}
	want := []reportv1.SlowCommand{
		{Namespace: "db.t", Shape: "update {q: {}, u: {}}", Count: 1, DurationMillis: 699},
		{
			Namespace: "db.t", Shape: "find {filter: {a: ?}}", Plan: "COLLSCAN", Count: 3, DurationMillis: 250,
			Examined: &reportv1.Examined{Documents: 9, Found: 2},
		},
		{Namespace: "db.u", Shape: "delete {}", Count: 1, DurationMillis: 101},
	}
	if diff := cmp.Diff(want, log.slowest()); diff != "" {
		t.Errorf("slowest (-want +got):\n%s", diff)
	}
	if log.logged != 5 || log.begins() != 0 {
		t.Errorf("%d slow commands, known from %d ms on; want 5 of the whole window", log.logged, log.begins())
	}

	late := slowLog{from: at(1), to: at(30)}
	if err := late.all(lines); err != nil || late.begins() != 2500 {
		t.Errorf("a log (%v) that begins in the window is known from %d ms on, want 2500", err, late.begins())
	}
	for i := range 9 {
		lines = append(lines, line(10, strings.ReplaceAll(find("300"), `"a"`, `"`+strings.Repeat("b", i+1)+`"`)))
	}
	if err := log.all(lines); err != nil || len(log.slowest()) != reportv1.MaxSlowCommands {
		t.Errorf("%d are kept (%v), want %d", len(log.slowest()), err, reportv1.MaxSlowCommands)
	}
}
