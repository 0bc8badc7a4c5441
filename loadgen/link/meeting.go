package link

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
)

// lead is how far ahead the start of a step is told: far more than the word takes to the farthest machine.
const lead = time.Second

// meeting is what the host knows of the machines of its run. It hears what they say, and says what they are to be told;
// it has no connections and no clock.
type meeting struct {
	steps  int
	places []place
	// next is the step whose start is told next.
	next int
	// cause is why the run ends before its end; empty while it does not.
	cause string
}

// place is that of a machine in the run: of the load pod with the same index.
type place struct {
	name  string
	taken bool
	// gone says that its connection has ended.
	gone     bool
	progress reportv1.Progress
	report   []byte
}

// telling is what a place is to be told.
type telling struct {
	pod int
	message
}

func newMeeting(plan planv1.Plan) *meeting {
	return &meeting{steps: len(plan.Steps), places: make([]place, plan.Pods)}
}

// sit gives a machine its place; there may be none.
func (m *meeting) sit(name string) (pod int, free bool) {
	pod = slices.IndexFunc(m.places, func(p place) bool { return !p.taken })
	if pod < 0 || m.cause != "" {
		return 0, false
	}
	m.places[pod] = place{name: name, taken: true}
	return pod, true
}

// full says whether every place is taken, and missing how many are not.
func (m *meeting) missing() int {
	missing := 0
	for _, place := range m.places {
		if !place.taken {
			missing++
		}
	}
	return missing
}

// hear takes what a machine says. An error is that it says what no load generator does.
func (m *meeting) hear(pod int, said message, now time.Time) ([]telling, error) {
	switch said.Kind {
	case progress:
		return m.hearProgress(pod, said.Said, now)
	case report:
		return m.hearReport(pod, said.Said)
	case order:
		if pod != 0 {
			return nil, errors.New("it gives orders, which pod 0 alone does")
		}
		return m.toOthers(0, said), nil
	case answer:
		return []telling{{pod: 0, message: message{
			Kind: answer, Pod: pod, Said: said.Said, Measured: said.Measured,
		}}}, nil
	case failed:
		return m.end(fmt.Sprintf("%s failed: %s", m.called(pod), cut(said.Why, maxWhy)), pod), nil
	default:
		return nil, fmt.Errorf("it says %.20q, which the host does not know", said.Kind)
	}
}

func (m *meeting) hearProgress(pod int, encoded []byte, now time.Time) ([]telling, error) {
	heard, err := reportv1.DecodeProgress(encoded)
	if err != nil {
		return nil, err
	}
	if heard.Step < 0 || heard.Step >= m.steps {
		return nil, fmt.Errorf("it is at step %d of a plan with %d", heard.Step, m.steps)
	}
	m.places[pod].progress = heard
	if m.cause != "" || m.missing() > 0 || m.next >= m.steps {
		return nil, nil
	}
	for _, place := range m.places {
		if place.progress.State != reportv1.ProgressWaiting || place.progress.Step != m.next {
			return nil, nil
		}
	}
	begin := message{Kind: start, Step: m.next, At: now.Add(lead)}
	m.next++
	return m.toOthers(-1, begin), nil
}

// hearReport keeps a report. One of a part of the plan ends the run.
func (m *meeting) hearReport(pod int, encoded []byte) ([]telling, error) {
	decoded, err := reportv1.Decode(encoded)
	if err != nil {
		return nil, err
	}
	m.places[pod].report = encoded
	if decoded.Partial == nil {
		return nil, nil
	}
	return m.end(fmt.Sprintf("%s ended before the plan did: %s", m.called(pod), cut(decoded.Partial.Message, maxWhy)),
		pod), nil
}

// leave takes that a machine's connection has ended. Before the first step its place is free again; whoever has handed
// in may go; else the run ends.
func (m *meeting) leave(pod int, why error) []telling {
	left := &m.places[pod]
	switch {
	case m.next == 0 && m.cause == "":
		*left = place{}
		return nil
	case left.report != nil || left.gone:
		left.gone = true
		return nil
	}
	left.gone = true
	return m.end(fmt.Sprintf("%s was lost: %v", m.called(pod), why), pod)
}

// end has all but one stop, for a cause; the first one is kept. Before the first step a machine that fails is one that
// leaves.
func (m *meeting) end(cause string, but int) []telling {
	if m.cause != "" || m.next == 0 && but >= 0 {
		return nil
	}
	m.cause = cause
	return m.toOthers(but, message{Kind: stop, Why: cause})
}

// toOthers is what all who are there are told, but one.
func (m *meeting) toOthers(but int, said message) []telling {
	var all []telling
	for pod, place := range m.places {
		if pod != but && place.taken && !place.gone {
			all = append(all, telling{pod: pod, message: said})
		}
	}
	return all
}

// ended says whether nobody has anything left to say.
func (m *meeting) ended() bool {
	return !slices.ContainsFunc(m.places, func(p place) bool {
		return p.report == nil && !p.gone && (p.taken || m.cause == "")
	})
}

// called is how a machine is named to people.
func (m *meeting) called(pod int) string { return fmt.Sprintf("%s (pod %d)", m.places[pod].name, pod) }

// overall is the progress of all machines together: of the one that is furthest behind.
func (m *meeting) overall() reportv1.Progress {
	var whole reportv1.Progress
	for i, place := range m.places {
		one := place.progress
		if i == 0 || one.Step < whole.Step || one.Step == whole.Step && one.Percent < whole.Percent {
			one.OperationsPerSecond = whole.OperationsPerSecond + place.progress.OperationsPerSecond
			whole = one
			continue
		}
		whole.OperationsPerSecond += one.OperationsPerSecond
	}
	return whole
}

// merged is what the reports come to.
func (m *meeting) merged(planHash string) (reportv1.Report, error) {
	var collection result.Collection
	for pod, place := range m.places {
		collection.Add(m.called(pod), place.report)
	}
	return collection.Report(planHash, reportv1.CollectOrder{Cause: m.cause})
}

func cut(text string, most int) string { return strings.ToValidUTF8(text[:min(len(text), most)], "") }
