package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/engine"
	"github.com/mongobench/mongobench-operator/loadgen/files"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// recorded is where the recordings of these tests are.
var recorded = planv1.File{ConfigMap: "c", Path: "recording"}

// replaying follows a plan whose only step replays a recording.
func replaying(target loadgen.Target, recording string, threads int, replay planv1.Replay) *engine.Engine {
	replay.Recording = recorded
	return &engine.Engine{
		Plan: planv1.Plan{Version: planv1.Version, Pods: 1, Steps: []planv1.Step{{
			Name: "replay", Kind: planv1.StepMeasure, Threads: threads, Replay: &replay,
		}}},
		Files:  files.Files{ConfigMaps: map[string]map[string]string{"c": {"recording": recording}}},
		Target: target, Reporter: &drivertest.Reporter{}, Version: "test", Log: slog.New(slog.DiscardHandler),
		NewAlarm: func() alarm.Alarm { return alarm.Timer{} },
	}
}

// everyTen is a recording of an operation every ten milliseconds.
func everyTen(operations int) string {
	var lines strings.Builder
	for i := range operations {
		fmt.Fprintf(&lines, "{\"at\": %d.%02d, \"db\": \"d\", \"command\": {\"find\": \"c\"}}\n", i/100, i%100)
	}
	return lines.String()
}

// replayCase is a way to replay a hundred operations, and how long that takes.
type replayCase struct {
	speed    float64
	threads  int
	latency  time.Duration
	wantTook time.Duration
	// wantLongest is the longest response time, and wantQueue the most operations that were due and not sent.
	wantLongest time.Duration
	wantQueue   int64
}

func TestRecordedOperationsAreSentAtTheirTimes(t *testing.T) {
	for name, tc := range map[string]replayCase{
		"as recorded": {1, 4, 5 * time.Millisecond, 995 * time.Millisecond, 5 * time.Millisecond, 0},
		"ten times as fast, with threads enough": {
			10, 16, 5 * time.Millisecond, 104 * time.Millisecond, 5 * time.Millisecond, 0,
		},
		// The last of a hundred is due after 99 ms and answered after 500 ms: it took 401.
		"ten times as fast, with one thread too few": {
			10, 1, 5 * time.Millisecond, 500 * time.Millisecond, 401 * time.Millisecond, 79,
		},
		"as fast as possible": {0, 4, 5 * time.Millisecond, 125 * time.Millisecond, 5 * time.Millisecond, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { checkReplayed(t, tc) })
		})
	}
}

func checkReplayed(t *testing.T, tc replayCase) {
	t.Helper()
	target := &drivertest.Target{Latency: tc.latency}
	report, err := replaying(target, everyTen(100), tc.threads, planv1.Replay{Speed: tc.speed}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	step := report.Steps[0]
	if took := step.End.Sub(step.MeasureStart); took != tc.wantTook {
		t.Errorf("it took %s, want %s", took, tc.wantTook)
	}
	operation := step.Operations[0]
	if operation.Count != 100 || operation.Name != "find c" || target.Executed() != 100 {
		t.Errorf("%d operations %q counted, %d sent; want 100", operation.Count, operation.Name, target.Executed())
	}
	times := operation.ServiceTime
	if tc.speed > 0 {
		times = operation.ResponseTime
		if step.Arrivals.LargestQueue != tc.wantQueue || step.Arrivals.Due != 100 || step.Arrivals.Dropped != 0 {
			t.Errorf("arrivals %+v, want a queue of %d and none dropped", step.Arrivals, tc.wantQueue)
		}
	}
	histogram, err := reportv1.DecodeHistogram(times)
	if err != nil {
		t.Fatal(err)
	}
	if longest := time.Duration(histogram.Max()) * time.Microsecond; longest.Round(time.Millisecond) != tc.wantLongest {
		t.Errorf("the longest took %s, want %s", longest, tc.wantLongest)
	}
}

func TestWhatFailsInAReplayIsReported(t *testing.T) {
	for name, tc := range map[string]struct {
		failEvery  int64
		wantErrors int64
		wantErr    string
	}{
		"some":       {10, 10, ""},
		"everything": {1, 0, "no operation succeeded"},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := replaying(&drivertest.Target{FailEvery: tc.failEvery}, everyTen(100), 3, planv1.Replay{}).
				Run(t.Context())
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Errorf("error %v, want one that %s", err, tc.wantErr)
				}
				return
			}
			if err != nil || report.Steps[0].Operations[0].Errors != tc.wantErrors {
				t.Errorf("%+v, %v; want %d errors", report.Steps, err, tc.wantErrors)
			}
		})
	}
}

func TestTheEndOfTheContextEndsAReplayWithItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(300*time.Millisecond, func() { cancel(cause) })
		_, err := replaying(&drivertest.Target{}, everyTen(100), 3, planv1.Replay{Speed: 1}).Run(ctx)
		if !errors.Is(err, cause) {
			t.Errorf("error %v, want %v", err, cause)
		}
	})
}

func TestTheDurationOfAStepEndsAReplay(t *testing.T) {
	for name, tc := range map[string]struct {
		speed float64
		want  int64
	}{"as recorded": {1, 101}, "as fast as possible": {0, 400}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				run := replaying(&drivertest.Target{Latency: 5 * time.Millisecond}, everyTen(1000), 2, planv1.Replay{Speed: tc.speed})
				run.Plan.Steps[0].DurationSeconds = 1
				report, err := run.Run(t.Context())
				if err != nil || report.Steps[0].Operations[0].Count != tc.want {
					t.Errorf("%+v, %v; want %d operations", report.Steps, err, tc.want)
				}
			})
		})
	}
}

// TestAMistakeInARecordingIsKnownBeforeAnythingIsSent has a mistake in its last line.
func TestAMistakeInARecordingIsKnownBeforeAnythingIsSent(t *testing.T) {
	target := &drivertest.Target{}
	_, err := replaying(target, everyTen(10)+"{\n", 3, planv1.Replay{}).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "configmap/c/recording: line 11:") || target.Executed() > 0 {
		t.Errorf("error %v and %d operations sent, want the line and none", err, target.Executed())
	}
}

// dialogue is a recording of sessions: each of so many operations, all at the same time.
func dialogue(sessions, operations int) string {
	var lines strings.Builder
	for operation := range operations {
		for session := range sessions {
			fmt.Fprintf(&lines, "{\"at\": 0, \"db\": \"d\", \"connection\": %d, \"command\": {\"find\": \"c\", \"skip\": %d, "+
				"\"limit\": %d}}\n", session, session, operation)
		}
	}
	return lines.String()
}

// TestOperationsOfASessionFollowOneAnother has more threads than sessions, and pods that share them: every session's
// operations are sent in their order, one at a time, by one pod.
func TestOperationsOfASessionFollowOneAnother(t *testing.T) {
	const sessions, operations = 7, 40
	for _, pods := range []int{1, 3} {
		t.Run(fmt.Sprint(pods, " pods"), func(t *testing.T) {
			seen := &order{last: map[int64]int64{}, busy: map[int64]bool{}, pods: map[int64]int{}}
			for pod := range pods {
				run := replaying(&drivertest.Target{Answer: seen.answer(t, pod)}, dialogue(sessions, operations), 16,
					planv1.Replay{})
				run.Plan.Pods, run.Pod, run.Gate = pods, pod, openedGate{}
				if _, err := run.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			want := map[int64]int64{}
			for session := range int64(sessions) {
				want[session] = operations
			}
			if diff := cmp.Diff(want, seen.last); diff != "" {
				t.Errorf("operations of each session (-want +got):\n%s", diff)
			}
			used := map[int]bool{}
			for pod := range maps.Values(seen.pods) {
				used[pod] = true
			}
			if len(used) != pods {
				t.Errorf("%d pods sent something, of %d", len(used), pods)
			}
		})
	}
}

// order watches over the order of what is sent.
type order struct {
	mutex sync.Mutex
	last  map[int64]int64
	busy  map[int64]bool
	pods  map[int64]int
}

func (o *order) answer(t *testing.T, pod int) func(*workload.Request, *loadgen.Reply) {
	return func(request *workload.Request, _ *loadgen.Reply) {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		session, number := request.Command.Lookup("skip").AsInt64(), request.Command.Lookup("limit").AsInt64()
		if before, known := o.pods[session]; number != o.last[session] || known && before != pod {
			t.Errorf("operation %d of session %d is sent by pod %d after %d of pod %d", number, session, pod, o.last[session],
				before)
		}
		o.last[session], o.pods[session] = number+1, pod
	}
}

// openedGate is a gate that is open.
type openedGate struct{}

func (openedGate) Wait(context.Context, int) (time.Time, error) { return time.Now(), nil }

// TestCursorsOfARecordingAreMapped has cursors that are asked for more in their session, one that was closed before, and
// one that belongs to nothing.
func TestCursorsOfARecordingAreMapped(t *testing.T) {
	recording := strings.Join([]string{
		`{"at": 0, "db": "d", "connection": 1, "command": {"find": "a"}, "reply": {"cursor": {"id": 11, "firstBatch": [1]}}}`,
		`{"at": 0, "db": "d", "connection": 1, "command": {"find": "b"}, "reply": {"cursor": {"id": 12, "firstBatch": [1]}}}`,
		`{"at": 1, "db": "d", "connection": 1, "command": {"getMore": 11, "collection": "a"}, "reply": {"cursor": {"id": 0, ` +
			`"nextBatch": [1, 2]}}}`,
		`{"at": 2, "db": "d", "connection": 1, "command": {"getMore": 11, "collection": "a"}}`,
		`{"at": 3, "db": "d", "connection": 1, "command": {"getMore": 12, "collection": "b"}}`,
		`{"at": 3, "db": "d", "connection": 2, "command": {"getMore": 12, "collection": "b"}}`,
		`{"at": 4, "db": "d", "command": {"find": "b"}}`,
	}, "\n")
	open := map[string]int64{"find a": 101, "find b": 102}
	var mutex sync.Mutex
	var asked []int64
	target := &drivertest.Target{Answer: func(request *workload.Request, reply *loadgen.Reply) {
		mutex.Lock()
		defer mutex.Unlock()
		first, _ := request.Command.IndexErr(0)
		if name, ok := first.Value().StringValueOK(); ok {
			reply.Cursor = open["find "+name]
			return
		}
		asked = append(asked, first.Value().AsInt64())
	}}
	report, err := replaying(target, recording, 2, planv1.Replay{}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{101, 102}, asked); diff != "" {
		t.Errorf("cursors (-want +got):\n%s", diff)
	}
	want := &reportv1.Replay{Operations: 7, LengthMicros: 4_000_000, WithoutCursor: 2, Compared: 3, OtherCount: 1}
	if diff := cmp.Diff(want, report.Steps[0].Replay, cmpopts.IgnoreFields(reportv1.Replay{}, "Hash")); diff != "" {
		t.Errorf("the replay (-want +got):\n%s", diff)
	}
	if target.Killed() != 1 {
		t.Errorf("%d cursors were closed, want that of the command without a session", target.Killed())
	}
}

func TestAnswersAreCompared(t *testing.T) {
	line := func(answer string) string {
		return `{"at": 0, "db": "d", "command": {"count": "c"}, ` + answer + "}\n"
	}
	for name, tc := range map[string]struct {
		recording string
		failing   bool
		replay    planv1.Replay
		want      reportv1.Replay
	}{
		"the same":                 {line(`"reply": {"n": 1}`) + everyTen(1), false, planv1.Replay{}, reportv1.Replay{Compared: 1}},
		"another number":           {line(`"reply": {"n": 2}`), false, planv1.Replay{}, reportv1.Replay{Compared: 1, OtherCount: 1}},
		"one that had failed":      {line(`"failure": {"code": 7}`), false, planv1.Replay{}, reportv1.Replay{Compared: 1, Succeeded: 1}},
		"one that fails otherwise": {line(`"failure": {"code": 7}`) + everyTen(1), true, planv1.Replay{}, reportv1.Replay{Compared: 1, Succeeded: 1}},
		"one that fails likewise":  {line(`"failure": {}`) + everyTen(1), true, planv1.Replay{}, reportv1.Replay{Compared: 1}},
		"one that fails now":       {line(`"reply": {"n": 1}`) + everyTen(1), true, planv1.Replay{}, reportv1.Replay{Compared: 1, Failed: 1}},
		"an open cursor": {
			line(`"reply": {"cursor": {"id": 3, "firstBatch": [1]}}`), false, planv1.Replay{},
			reportv1.Replay{Compared: 1, OtherCursor: 1},
		},
		"not at all": {line(`"reply": {"n": 2}`), false, planv1.Replay{AnyAnswer: true}, reportv1.Replay{}},
	} {
		t.Run(name, func(t *testing.T) {
			target := &drivertest.Target{}
			if tc.failing {
				target.FailEvery = 2
				tc.recording = everyTen(1) + tc.recording
			}
			report, err := replaying(target, tc.recording, 1, tc.replay).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := *report.Steps[0].Replay
			if diff := cmp.Diff(tc.want, got,
				cmpopts.IgnoreFields(reportv1.Replay{}, "Hash", "Operations", "LengthMicros")); diff != "" {
				t.Errorf("the replay (-want +got):\n%s", diff)
			}
			at := slices.IndexFunc(report.Steps[0].Operations, func(o reportv1.Operation) bool { return o.Name == "count c" })
			want := got.OtherCount + got.OtherCursor
			if !tc.failing {
				want += got.Succeeded // What failed is counted as that.
			}
			if unexpected := report.Steps[0].Operations[at].Unexpected; unexpected != want {
				t.Errorf("%d operations are unexpected, want %d", unexpected, want)
			}
		})
	}
}

func TestADatasetThatAReplayWritesToIsMarked(t *testing.T) {
	const find, insert = `{"find": "c"}`, `{"insert": "c", "documents": [{"_id": 1}]}`
	const clean, dirty, loading = reportv1.DatasetClean, reportv1.DatasetDirty, reportv1.DatasetLoading
	for name, tc := range map[string]struct {
		command string
		before  []reportv1.DatasetState
		want    []reportv1.DatasetState
	}{
		"by a write":                        {insert, []reportv1.DatasetState{clean}, []reportv1.DatasetState{clean, dirty}},
		"not by a read":                     {find, []reportv1.DatasetState{clean}, []reportv1.DatasetState{clean}},
		"not when it is not clean":          {insert, []reportv1.DatasetState{loading}, []reportv1.DatasetState{loading}},
		"not in a database of other people": {insert, nil, nil},
		"by an aggregation into a collection": {
			`{"aggregate": "c", "pipeline": [{"$out": "d"}], "cursor": {}}`,
			[]reportv1.DatasetState{clean},
			[]reportv1.DatasetState{clean, dirty},
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := &drivertest.Target{}
			for _, state := range tc.before {
				if err := target.SetMark(t.Context(), "d", reportv1.DatasetMark{Fingerprint: "f", State: state}); err != nil {
					t.Fatal(err)
				}
			}
			recording := `{"at": 0, "db": "d", "command": ` + tc.command + "}\n"
			if _, err := replaying(target, recording, 1, planv1.Replay{Writes: true}).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []reportv1.DatasetState
			for _, mark := range target.Marks() {
				got = append(got, mark.State)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAReplayReadsNoMoreThanItSends has a recording whose operations are an hour apart, far more than are read ahead.
func TestAReplayReadsNoMoreThanItSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lines = 100_000
		endless := &counting{line: `{"at": %d, "db": "d", "command": {"find": "c"}}` + "\n", lines: lines}
		run := replaying(&drivertest.Target{Forget: true}, "", 2, planv1.Replay{Speed: 1})
		run.Files = endless
		run.Plan.Steps[0].DurationSeconds = 3600
		if _, err := run.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The first time all is read, to look at it. The second time that is an hour, what is read ahead of it, what is held
		// to be brought into order, and what the reader's buffer holds.
		if read := endless.read - lines; read < 3600 || read > 3600+1024+60+2000 {
			t.Errorf("%d lines were read again, want those of an hour and some more", read)
		}
	})
}

// counting makes a recording of so many lines, a second apart.
type counting struct {
	line        string
	lines, read int
}

func (c *counting) Open(planv1.File) (io.ReadCloser, error) {
	return io.NopCloser(&made{of: c}), nil
}

type made struct {
	of     *counting
	number int
	rest   []byte
}

func (m *made) Read(into []byte) (int, error) {
	if len(m.rest) == 0 {
		if m.number == m.of.lines {
			return 0, io.EOF
		}
		m.rest = fmt.Appendf(nil, m.of.line, m.number)
		m.number++
		m.of.read++
	}
	n := copy(into, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}
