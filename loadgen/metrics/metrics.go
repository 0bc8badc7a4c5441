package metrics

import (
	"slices"
	"sync"
	"time"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
)

// Metrics shows what one load generator is doing. It is a loadgen.Watcher and a prometheus.Collector.
type Metrics struct {
	// begin is what the process had used when this was made.
	begin measure.Usage

	mutex   sync.Mutex
	servers func() []observe.Latest
	// present is the step at work, or that ended last; nil before the first. counted is the last step before it that
	// counted operations; nil without one.
	present, counted *step
}

// New makes the metrics of this process.
func New() *Metrics {
	return &Metrics{begin: measure.ReadUsage()}
}

// Observe shows the servers too, as an Observer sees them.
func (m *Metrics) Observe(servers func() []observe.Latest) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.servers = servers
}

// Begin shows another step.
func (m *Metrics) Begin(planned planv1.Step) {
	begun := &step{
		name: planned.Name, kind: string(planned.Kind), begin: time.Now(), usage: measure.ReadUsage(), working: true,
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.present != nil && m.present.counts {
		m.counted = m.present
	}
	if m.counted != nil && m.counted.name == begun.name {
		// A series belongs to one step.
		m.counted = nil
	}
	m.present = begun
}

// Record shows what the recordings of a window come to, together with those of the same step before it.
func (m *Metrics) Record(window ...measure.Recorded) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.present == nil {
		return
	}
	m.present.settle()
	m.present.counts, m.present.threads = true, 0
	for _, recorded := range window {
		m.present.threads += recorded.Threads
	}
	m.present.window = window
}

// End keeps what the step came to, and lets go of what it was recorded by.
func (m *Metrics) End() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.present == nil {
		return
	}
	m.present.settle()
	m.present.working = false
	m.present.busy = share(measure.ReadUsage().Since(m.present.usage))
}

// step is one step of the plan as far as it has come.
type step struct {
	name, kind string
	begin      time.Time
	// usage is what the process had used at its start, and busy, once it is over, the share of the CPU that it took.
	usage   measure.Usage
	busy    float64
	working bool
	// counts is set once there was a recording, and open when it was one of an open loop.
	counts, open bool
	threads      int
	// window has the recordings at work; nil when there are none.
	window []measure.Recorded
	// before is what the recordings before it came to.
	before       measure.Live
	beforeUnsent unsent
}

// now is what the step has come to.
func (s *step) now() (live measure.Live, lost unsent) {
	live, lost = s.before, s.beforeUnsent
	for _, recorded := range s.window {
		if recorded.Dropped != nil {
			lost.dropped += recorded.Dropped()
		}
		if recorded.Skipped != nil {
			lost.skipped += recorded.Skipped()
		}
		live.Add(recorded.Recording.Live())
	}
	return live, lost
}

// unsent are the operations of an open loop that were due and never sent.
type unsent struct{ dropped, skipped int64 }

// isOpen says whether any of the step's operations were those of an open loop.
func (s *step) isOpen() bool {
	return s.open || slices.ContainsFunc(s.window, func(r measure.Recorded) bool { return r.Dropped != nil })
}

// settle lets go of the recordings, which are complete.
func (s *step) settle() {
	s.open = s.isOpen()
	s.before, s.beforeUnsent = s.now()
	s.window = nil
}
