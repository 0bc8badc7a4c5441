package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/loadgen/replay"
)

// logLine is a line of the log of a server, as 4.4 and later write it.
func logLine(second float64, component, connection, attributes string) string {
	return fmt.Sprintf(`{"t":{"$date":"2026-11-28T22:21:%06.3f+00:00"},"s":"I","c":%q,"id":51803,"ctx":%q,"msg":"Slow query",`+
		`"attr":%s}`, second, component, connection, attributes)
}

// statementLine is the line of one statement of a write.
func statementLine(second float64, connection, kind, statement, counts string) string {
	return logLine(second, "WRITE", connection, `{"type":"`+kind+`","ns":"shop.orders","command":`+statement+`,`+counts+
		`,"durationMillis":0}`)
}

// commandLine is the line of a command.
func commandLine(second float64, connection, command, more string) string {
	return logLine(second, "COMMAND", connection, `{"type":"command","ns":"shop.$cmd","command":`+command+`,`+more+
		`"durationMillis":0}`)
}

const (
	session = `"lsid":{"id":{"$uuid":"129b35be-26ed-4f9e-8a51-3d9bc8633d92"}}`
	inside  = session + `,"txnNumber":6,"autocommit":false`
)

// logLines are logs, each of a situation.
var logLines = map[string]string{
	"a command and the lines of its statements": strings.Join([]string{
		`{"t":{"$date":"2026-11-28T22:21:08.000+00:00"},"s":"I","c":"NETWORK","id":1,"ctx":"conn3","msg":"Connection ended"}`,
		statementLine(8, "conn3", "update", `{"q":{"_id":1},"u":{"$inc":{"x":1}},"multi":false,"upsert":false}`,
			`"nMatched":1,"nModified":1,"nUpserted":0`),
		statementLine(8, "conn9", "update", `{"q":{"_id":9},"u":{"$inc":{"x":1}}}`, `"nMatched":1`),
		statementLine(8, "conn3", "update", `{"q":{"_id":2},"u":{"$inc":{"x":1}}}`, `"nMatched":0,"nUpserted":1`),
		commandLine(8.001, "conn3", `{"update":"orders","ordered":true,`+session+`,"txnNumber":4,"$db":"shop"}`, ""),
		statementLine(8.002, "conn3", "remove", `{"q":{"_id":2},"limit":1}`, `"ndeleted":1`),
		commandLine(8.003, "conn3", `{"delete":"orders","ordered":true,"$db":"shop"}`, ""),
		commandLine(8.004, "conn3", `{"update":"orders","ordered":true,"$db":"shop"}`, ""),
	}, "\n"),
	"a transaction of which the begin is missing": strings.Join([]string{
		commandLine(8, "conn3", `{"insert":"orders",`+inside+`,"startTransaction":true,"$db":"shop"}`, `"ninserted":1,`),
		commandLine(8.001, "conn3", `{"find":"orders","filter":{"_id":1},`+inside+`,"$db":"shop"}`, `"nreturned":1,`),
		statementLine(8.002, "conn3", "update", `{"q":{"_id":1},"u":{"$inc":{"x":1}}}`, `"nMatched":1`),
		commandLine(8.002, "conn3", `{"update":"orders",`+inside+`,"$db":"shop"}`, ""),
		commandLine(8.003, "conn3", `{"commitTransaction":1,`+inside+`,"$db":"admin"}`, ""),
		commandLine(8.004, "conn3", `{"commitTransaction":1,`+inside+`,"$db":"admin"}`, ""),
	}, "\n"),
	"cursors and failures": strings.Join([]string{
		commandLine(8, "conn3", `{"find":"orders","batchSize":2,"$db":"shop"}`, `"cursorid":5167747978181855482,"nreturned":2,`),
		commandLine(8.001, "conn3", `{"getMore":5167747978181855482,"collection":"orders","$db":"shop"}`,
			`"cursorid":5167747978181855482,"cursorExhausted":true,"nreturned":1,`),
		commandLine(8.002, "conn3", `{"find":"orders","filter":{"$bad":1},"$db":"shop"}`, `"ok":0,"errName":"BadValue","errCode":2,`),
		commandLine(8.003, "conn3", `{"find":"orders","$db":"shop"}`, `"truncated":1,`),
	}, "\n"),
}

// told is what matters of an operation of a log.
type told struct {
	Command string
	Answer  replay.Answer
}

func TestLogs(t *testing.T) {
	lsid := `"lsid": {"id": {"$binary":{"base64":"LSID","subType":"04"}}}`
	matched := func(count int64) replay.Answer { return replay.Answer{Counted: true, Count: count} }
	for name, tc := range map[string]struct {
		want    []told
		leftOut map[string]int64
	}{
		"a command and the lines of its statements": {
			[]told{
				{`{"update": "orders","updates": [{"q": {"_id": 9},"u": {"$inc": {"x": 1}}}]}`, matched(1)},
				{`{"update": "orders","updates": [{"q": {"_id": 1},"u": {"$inc": {"x": 1}},"multi": false,"upsert": false},` +
					`{"q": {"_id": 2},"u": {"$inc": {"x": 1}}}],"ordered": true,` + lsid + `,"txnNumber": 4}`, matched(2)},
				{`{"delete": "orders","deletes": [{"q": {"_id": 2},"limit": 1}],"ordered": true}`, matched(1)},
			},
			map[string]int64{"update or delete: the log did not keep its statements": 1},
		},
		"a transaction of which the begin is missing": {
			[]told{
				{`{"find": "orders","filter": {"_id": 1},` + lsid + `,"txnNumber": 6,"autocommit": false,"startTransaction": true}`,
					replay.Answer{Known: true, Counted: true, Count: 1}},
				{`{"update": "orders","updates": [{"q": {"_id": 1},"u": {"$inc": {"x": 1}}}],` + lsid +
					`,"txnNumber": 6,"autocommit": false}`, matched(1)},
				{`{"commitTransaction": 1,` + lsid + `,"txnNumber": 6,"autocommit": false}`, replay.Answer{}},
			},
			map[string]int64{
				"insert: the server did not keep the documents":               1,
				"begin or end of a transaction of which nothing else is sent": 1,
			},
		},
		"cursors and failures": {
			[]told{
				{`{"find": "orders","batchSize": 2}`,
					replay.Answer{Known: true, Counted: true, Count: 2, Open: true, Cursor: 5167747978181855482}},
				{`{"getMore": 5167747978181855482,"collection": "orders"}`, replay.Answer{Known: true, Counted: true, Count: 1, Open: true}},
				{`{"find": "orders","filter": {"$bad": 1}}`, replay.Answer{Known: true, Failed: true, Code: 2}},
				{`{"find": "orders"}`, replay.Answer{}},
			},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			all, survey := replayed(t, logLines[name], replay.Options{Writes: true, Sessions: true})
			got := make([]told, 0, len(all))
			for _, one := range all {
				got = append(got, told{plainly(one.Command.String()), one.Answer})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
			if tc.leftOut == nil {
				tc.leftOut = map[string]int64{}
			}
			if diff := cmp.Diff(tc.leftOut, survey.LeftOut); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
		})
	}
}

// plainly is Extended JSON without the types of its numbers, and without the session.
func plainly(text string) string {
	for _, kind := range []string{`{"$numberInt":"`, `{"$numberLong":"`} {
		for {
			before, after, found := strings.Cut(text, kind)
			if !found {
				break
			}
			number, rest, _ := strings.Cut(after, `"}`)
			text = before + number + rest
		}
	}
	if before, after, found := strings.Cut(text, `"base64":"`); found {
		_, rest, _ := strings.Cut(after, `"`)
		text = before + `"base64":"LSID"` + rest
	}
	return text
}
