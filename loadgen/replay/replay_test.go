package replay_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mongobench/mongobench-operator/loadgen/replay"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestMain(m *testing.M) {
	os.Exit(mongotest.Main(m))
}

// sent is an operation as a test writes it down.
type sent struct {
	Due               time.Duration
	Name, DB, Command string
}

// lineCase is a line, and what becomes of it.
type lineCase struct {
	line   string
	writes bool
	// want is the command, or else the start of the reason why there is none.
	want, wantReason string
	wantChanged      map[string]int64
}

var lineCases = map[string]lineCase{
	"a find of the profiler": {
		line: `{"op": "query", "ns": "shop.orders", "ts": {"$date": "2026-03-01T12:00:00Z"}, "millis": 0, "command":
			{"find": "orders", "filter": {"n": {"$gt": 3}}, "lsid": {"id": 1}, "$db": "shop",
			"$readPreference": {"mode": "nearest"}}}`,
		want:        `{"find": "orders","filter": {"n": {"$gt": {"$numberInt":"3"}}}}`,
		wantChanged: map[string]int64{"lsid": 1, "$readPreference": 1},
	},
	"canonical Extended JSON": {
		line: `{"op": "command", "ns": "shop.orders", "ts": {"$date": {"$numberLong": "1772366400000"}},
			"millis": {"$numberInt": "0"}, "command": {"count": "orders", "query": {"n": {"$numberLong": "3"}}, "$db": "shop"}}`,
		want: `{"count": "orders","query": {"n": {"$numberLong":"3"}}}`,
	},
	"the simple form": {
		line: `{"at": 0, "db": "shop", "command": {"find": "orders"}}`, want: `{"find": "orders"}`,
	},
	"the time of a read concern is of another cluster": {
		line: `{"at": 0, "db": "shop", "command": {"find": "orders", "readConcern": {"level": "majority",
			"afterClusterTime": {"$timestamp": {"t": 1, "i": 1}}, "provenance": "clientSupplied"}}}`,
		want:        `{"find": "orders","readConcern": {"level": "majority"}}`,
		wantChanged: map[string]int64{"readConcern.afterClusterTime": 1},
	},
	"an update of the profiler is wrapped": {
		line: `{"op": "update", "ns": "shop.orders", "ts": {"$date": "2026-03-01T12:00:00Z"}, "command":
			{"q": {"_id": 1}, "u": {"$set": {"x": 1}}, "multi": false, "upsert": true}}`, writes: true,
		want: `{"update": "orders","updates": [{"q": {"_id": {"$numberInt":"1"}},` +
			`"u": {"$set": {"x": {"$numberInt":"1"}}},"multi": false,"upsert": true}]}`,
	},
	"a delete of the profiler is wrapped": {
		line: `{"op": "remove", "ns": "shop.orders", "ts": {"$date": "2026-03-01T12:00:00Z"}, "command":
			{"q": {"_id": 1}, "limit": 1}}`, writes: true,
		want: `{"delete": "orders","deletes": [{"q": {"_id": {"$numberInt":"1"}},"limit": {"$numberInt":"1"}}]}`,
	},
	"an insert with its documents": {
		line: `{"at": 0, "db": "shop", "command": {"insert": "orders", "documents": [{"_id": 1}]}}`, writes: true,
		want: `{"insert": "orders","documents": [{"_id": {"$numberInt":"1"}}]}`,
	},
	"an insert of the profiler": {
		line: `{"op": "insert", "ns": "shop.orders", "ts": {"$date": "2026-03-01T12:00:00Z"},
			"command": {"insert": "orders"}}`,
		writes: true, wantReason: "insert: the server",
	},
	"a write that was not asked for": {
		line: `{"at": 0, "db": "shop", "command": {"insert": "orders", "documents": [{"_id": 1}]}}`, wantReason: "write",
	},
	"an aggregation that writes": {
		line: `{"at": 0, "db": "shop", "command": {"aggregate": "orders", "pipeline": [{"$out": "x"}]}}`, wantReason: "write",
	},
	"an explained aggregation that writes": {
		line:       `{"at": 0, "db": "shop", "command": {"explain": {"aggregate": "orders", "pipeline": [{"$merge": "x"}]}}}`,
		wantReason: "write",
	},
	"a getMore of the profiler": {
		line: `{"op": "getmore", "ns": "shop.orders", "ts": {"$date": "2026-03-01T12:00:00Z"}, "command":
			{"getMore": 77, "collection": "orders", "batchSize": 2}}`,
		want: `{"getMore": {"$numberLong":"77"},"collection": "orders","batchSize": {"$numberInt":"2"}}`,
	},
	"a commit": {
		line: `{"at": 0, "db": "admin", "command": {"commitTransaction": 1}}`, wantReason: "begin or end",
	},
	"a sign of life": {
		line: `{"at": 0, "db": "admin", "command": {"ping": 1}}`, wantReason: "sent by a driver",
	},
	"an order to the server": {
		line: `{"at": 0, "db": "admin", "command": {"shutdown": 1}}`, writes: true, wantReason: "neither",
	},
	"the drop of a database": {
		line: `{"at": 0, "db": "shop", "command": {"dropDatabase": 1}}`, writes: true, wantReason: "neither",
	},
	"a command that was cut": {
		line: `{"op": "query", "ns": "shop.orders", "ts": {"$date": "2026-03-01T12:00:00Z"}, "command":
			{"$truncated": "{ find: \"orders\", filter: {", "comment": "x"}}`, wantReason: "the server did not keep",
	},
	"a write without a reply": {
		line: `{"at": 0, "db": "shop", "command": {"insert": "orders", "documents": [{"_id": 1}],
			"writeConcern": {"w": 0}}}`, writes: true, wantReason: "no reply",
	},
	"an update without its statements": {
		line: `{"at": 0, "db": "shop", "command": {"update": "orders"}}`, writes: true, wantReason: "update or delete: the log",
	},
	"a look at the profile": {
		line: `{"op": "query", "ns": "shop.system.profile", "ts": {"$date": "2026-03-01T12:00:00Z"}, "command":
			{"find": "system.profile", "filter": {}}}`, wantReason: "of the profiler",
	},
}

// replayed are all operations of a recording, in their order, by a name.
func replayed(t *testing.T, recording string, options replay.Options) ([]replay.Operation, *replay.Survey) {
	t.Helper()
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(recording)), nil }
	survey, err := replay.Look(open, options)
	if err != nil {
		t.Fatal(err)
	}
	return operationsOf(t, open, options, survey), survey
}

func operationsOf(
	t *testing.T, open func() (io.ReadCloser, error), options replay.Options, survey *replay.Survey,
) []replay.Operation {
	t.Helper()
	stream, err := replay.Open(open, options, survey)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	var all []replay.Operation
	for {
		var one replay.Operation
		err := stream.Next(&one)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
}

func TestLines(t *testing.T) {
	const other = `{"at": 0, "db": "shop", "command": {"distinct": "other", "key": "x"}}` + "\n"
	for name, tc := range lineCases {
		t.Run(name, func(t *testing.T) {
			line := strings.Join(strings.Fields(tc.line), " ")
			all, survey := replayed(t, other+"\n"+line+"\n", replay.Options{Writes: tc.writes})
			got := ""
			for _, one := range all {
				if !strings.HasPrefix(survey.Names[one.Place], "distinct") {
					got = one.Command.String()
				}
			}
			if got != tc.want {
				t.Errorf("command\n%s, want\n%s", got, tc.want)
			}
			reason := strings.Join(replay.Reasons(survey.LeftOut), ";")
			if !strings.HasPrefix(reason, tc.wantReason) || (reason == "") != (tc.wantReason == "") {
				t.Errorf("left out for %q, want %q", reason, tc.wantReason)
			}
			if diff := cmp.Diff(tc.wantChanged, survey.Changed, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTimesCountFromTheFirstBegin(t *testing.T) {
	lines := []string{
		`{"op": "query", "ns": "a.c", "ts": {"$date": "2026-03-01T12:00:02.5Z"}, "millis": 1500, "command": {"find": "c"}}`,
		`{"at": "2026-03-01T12:00:00Z", "db": "b", "command": {"find": "d"}}`,
		`{"at": "2026-03-01T13:00:00.25+01:00", "db": "b", "command": {"count": "d"}}`,
	}
	all, survey := replayed(t, strings.Join(lines, "\n"), replay.Options{Databases: map[string]string{"a": "x", "*": "y"}})
	got := make([]sent, 0, len(all))
	for _, o := range all {
		got = append(got, sent{o.Due, survey.Names[o.Place], o.Database, o.Command.String()})
	}
	want := []sent{
		{0, "find d", "y", `{"find": "d"}`},
		{250 * time.Millisecond, "count d", "y", `{"count": "d"}`},
		{time.Second, "find c", "x", `{"find": "c"}`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	if survey.Length != time.Second || survey.Operations != 3 || survey.Late != 0 {
		t.Errorf("the survey is %+v", survey)
	}
}

func TestMistakesAreToldWithTheirLine(t *testing.T) {
	const good = `{"at": 0, "db": "shop", "command": {"find": "orders"}}` + "\n\n"
	for name, tc := range map[string]struct{ lines, want string }{
		"no JSON":            {good + `{"at": `, "line 3: it is no document in Extended JSON"},
		"an array":           {good + `[1]`, "line 3: it is no document in Extended JSON"},
		"no time":            {good + `{"db": "shop"}`, `line 3: it has neither "ts"`},
		"a time of another":  {good + `{"at": "noon", "db": "shop", "command": {"find": "x"}}`, `line 3: "at" is "noon"`},
		"a time too far":     {good + `{"at": 1e300, "db": "shop", "command": {"find": "x"}}`, `line 3: "at" is neither`},
		"no database":        {good + `{"at": 0, "command": {"find": "x"}}`, `line 3: "db"`},
		"no command":         {good + `{"at": 0, "db": "shop", "command": {}}`, `line 3: "command"`},
		"no namespace":       {good + `{"ts": {"$date": "2026-03-01T12:00:00Z"}, "op": "query"}`, `line 3: "ns"`},
		"a time that is not": {good + `{"ts": 3, "op": "query", "ns": "a.b"}`, `line 3: "ts"`},
		"no kind":            {good + `{"ts": {"$date": "2026-03-01T12:00:00Z"}, "ns": "a.b"}`, `line 3: "op"`},
		"a length in words": {
			good + `{"ts": {"$date": "2026-03-01T12:00:00Z"}, "ns": "a.b", "op": "query", "millis": "x"}`, `line 3: "millis"`,
		},
		"nothing":           {"\n", "nothing in it"},
		"only what is left": {`{"at": 0, "db": "shop", "command": {"ping": 1}}`, "nothing in it"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := replay.Look(func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(tc.lines)), nil
			}, replay.Options{})
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) && !strings.Contains(err.Error(), "nothing in it") ||
				!strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that begins with %q", err, tc.want)
			}
		})
	}
}

// FuzzRead reads what may be a recording: whatever it is, nothing is sent that must not be, and nothing before its time.
func FuzzRead(f *testing.F) {
	for _, tc := range lineCases {
		f.Add([]byte(strings.Join(strings.Fields(tc.line), " ")), tc.writes)
	}
	f.Add([]byte(`{"at": {"$date": "2026-03-01T12:00:00Z"}, "db": "x", "command": {"explain": {"explain": {}}}}`), true)
	for _, lines := range logLines {
		f.Add([]byte(lines), true)
	}
	for _, layout := range []int{0, 1, 2} {
		f.Add(conversation(layout), true)
	}
	f.Fuzz(func(t *testing.T, recording []byte, writes bool) {
		options := replay.Options{Writes: writes, Sessions: true}
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(string(recording))), nil }
		survey, err := replay.Look(open, options)
		if err != nil {
			return
		}
		all := operationsOf(t, open, options, survey)
		if int64(len(all)) != survey.Operations {
			t.Errorf("%d operations are sent, of %d", len(all), survey.Operations)
		}
		last := time.Duration(0)
		for _, o := range all {
			checkOperation(t, o)
			if o.Due < last || o.Due > survey.Length || o.Place < 0 || o.Place >= len(survey.Names) {
				t.Errorf("operation %+v comes after one that is due at %s, of %+v", o, last, survey)
			}
			last = o.Due
		}
	})
}

// checkOperation looks for what must not be in any operation that is sent.
func checkOperation(t *testing.T, o replay.Operation) {
	t.Helper()
	if err := o.Command.Validate(); err != nil {
		t.Errorf("operation %+v: %v", o, err)
	}
	for _, gone := range []string{"$db", "$clusterTime", "maxTimeMS"} {
		if _, err := o.Command.LookupErr(gone); err == nil {
			t.Errorf("%s is still in %s", gone, o.Command)
		}
	}
}
