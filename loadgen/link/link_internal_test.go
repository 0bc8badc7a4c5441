package link

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/exchange"
)

func TestTokensAreReadAsTheyWereWritten(t *testing.T) {
	_, token, err := identity()
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseToken(token.String() + "\n")
	if err != nil || read != token {
		t.Errorf("it was read as %v, %v", read, err)
	}
	if !read.knows(token.Secret) || read.knows(token.Secret[1:]) || read.knows("") {
		t.Error("it knows another secret, or not its own")
	}
	_, other, err := identity()
	if err != nil || other.Secret == token.Secret || other.Key == token.Key {
		t.Errorf("another run has the same secret or key, %v", err)
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add(Token{Secret: strings.Repeat("A", 26)}.String())
	f.Add("loadgen.A.0")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := ParseToken(text)
		if err == nil && token.String() != strings.TrimSpace(text) {
			t.Errorf("%q was read as %s", text, token)
		}
	})
}

func TestMessagesAreReadAsTheyWereWritten(t *testing.T) {
	said := message{
		Kind: welcome, Pod: 3, Said: []byte{0, 1, 255}, RunUID: "u", RunName: "n", Shares: true, At: time.Unix(5, 7).UTC(),
	}
	encoded, err := encode(said)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(bytes.NewReader(encoded), acquainted)
	if diff := cmp.Diff(said, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if _, err := read(bytes.NewReader(encoded), 8); err == nil {
		t.Error("one that is larger than a stranger's may be was read")
	}
}

// The largest report that a pod may hand in is one message.
func TestTheLargestReportFits(t *testing.T) {
	encoded, err := encode(message{Kind: report, Said: bytes.Repeat([]byte{0xa5}, reportv1.MaxReportBytes)})
	if err != nil {
		t.Fatal(err)
	}
	said, err := read(bytes.NewReader(encoded), acquainted)
	if err != nil || len(said.Said) != reportv1.MaxReportBytes {
		t.Errorf("%d bytes were read, %v", len(said.Said), err)
	}
}

// FuzzRead reads what anybody may send: no more memory is taken than what came, and what is taken for a message is one.
func FuzzRead(f *testing.F) {
	for _, said := range []message{
		{Kind: hello, Secret: "s", Version: "v", Name: "n"}, {Kind: start, Step: 2, At: time.Unix(1, 0).UTC()}, {Kind: alive},
	} {
		encoded, err := encode(said)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded)
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, '{'})
	f.Fuzz(func(t *testing.T, sent []byte) {
		said, err := read(bytes.NewReader(sent), strangerBytes)
		if err != nil {
			return
		}
		again, err := encode(said)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := read(bytes.NewReader(again), acquainted); err != nil || !cmp.Equal(said, got) {
			t.Errorf("%+v was read again as %+v, %v", said, got, err)
		}
	})
}

// FuzzMeeting has a machine that was let in say anything, at any time: the run may end of it, and nothing else.
func FuzzMeeting(f *testing.F) {
	waiting, err := reportv1.EncodeProgress(reportv1.Progress{State: reportv1.ProgressWaiting})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(progress), waiting, 0)
	f.Add(string(progress), []byte(`{"step":-1,"state":"Running"}`), 1)
	f.Add(string(order), []byte("{}"), 1)
	f.Add(string(answer), []byte("{}"), 1)
	f.Add(string(report), []byte("\x1f\x8b"), 0)
	f.Add(string(failed), []byte(nil), 1)
	f.Fuzz(func(t *testing.T, what string, said []byte, from int) {
		m := newMeeting(planv1.Plan{Pods: 2, Steps: make([]planv1.Step, 2)})
		for range 2 {
			m.sit("machine")
		}
		for range 3 {
			checkHears(t, m, from&1, message{Kind: kind(what), Said: said, Why: string(said)})
		}
	})
}

// checkHears has a meeting of two machines and two steps hear something.
func checkHears(t *testing.T, m *meeting, pod int, said message) {
	t.Helper()
	all, err := m.hear(pod, said, time.Unix(0, 0))
	if err != nil {
		all = append(all, m.leave(pod, err)...)
	}
	for _, telling := range all {
		if telling.pod < 0 || telling.pod > 1 {
			t.Errorf("pod %d is told %+v", telling.pod, telling.message)
		}
	}
	if whole := m.overall(); whole.Step < 0 || whole.Step > 1 {
		t.Errorf("the progress of all is at step %d", whole.Step)
	}
}

func TestTheProgressOfAllIsThatOfTheLast(t *testing.T) {
	m := newMeeting(planv1.Plan{Pods: 3, Steps: make([]planv1.Step, 2)})
	for pod, at := range []reportv1.Progress{
		{Step: 1, Percent: 50, OperationsPerSecond: 10},
		{Step: 1, Percent: 40, OperationsPerSecond: 20, State: reportv1.ProgressRunning},
		{Step: 1, Percent: 60, OperationsPerSecond: 5},
	} {
		m.places[pod].progress = at
	}
	want := reportv1.Progress{Step: 1, Percent: 40, OperationsPerSecond: 35, State: reportv1.ProgressRunning}
	if diff := cmp.Diff(want, m.overall()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Time is fake here: silence takes none.
func TestASideThatIsSilentIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		own, other := &side{Conn: here}, &side{Conn: there}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go other.beat(ctx)
		go func() {
			time.Sleep(10 * silence) //nolint:forbidigo // The clock is synctest's.
			_ = other.send(message{Kind: over})
			cancel()
		}()
		if said, err := own.receive(strangerBytes); err != nil || said.Kind != over {
			t.Fatalf("of a side that says that it is there, it heard %+v, %v", said, err)
		}
		began := time.Now()
		_, err := own.receive(strangerBytes)
		if err == nil || !strings.Contains(err.Error(), "nothing was heard of it for 30s") || time.Since(began) != silence {
			t.Errorf("after %s of silence it says %v", time.Since(began), err)
		}
	})
}

func TestClocksThatSurelyDifferTooMuchAreRefused(t *testing.T) {
	now := time.Now()
	for name, tc := range map[string]struct {
		ahead, trip time.Duration
		want        string
	}{
		"none":                       {0, time.Millisecond, ""},
		"a little":                   {40 * time.Millisecond, time.Millisecond, ""},
		"perhaps, over a slow line":  {90 * time.Millisecond, 200 * time.Millisecond, ""},
		"ahead by three seconds":     {3 * time.Second, time.Millisecond, "is 3s ahead of that of the host"},
		"behind by a tenth a second": {-100 * time.Millisecond, time.Millisecond, "is 100ms behind that of the host"},
	} {
		t.Run(name, func(t *testing.T) {
			made := exchange.Exchange{Sent: now, Received: now.Add(tc.trip), Told: now.Add(tc.trip/2 - tc.ahead)}
			err := tooFarApart([]exchange.Exchange{made})
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("it says %v, want %q", err, tc.want)
			}
		})
	}
}
