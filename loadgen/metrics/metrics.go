package metrics

import (
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

// Record shows what a recording comes to, together with those of the same step before it.
func (m *Metrics) Record(recording *measure.Recording, threads int, dropped func() int64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.present == nil {
		return
	}
	m.present.settle()
	m.present.counts, m.present.threads = true, threads
	m.present.recording, m.present.dropped = recording, dropped
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
	// recording is the one at work, with its dropped operations when it is of an open loop; nil when there is none.
	recording *measure.Recording
	dropped   func() int64
	// before is what the recordings before it came to.
	before        measure.Live
	beforeDropped int64
}

// now is what the step has come to.
func (s *step) now() (live measure.Live, dropped int64) {
	live, dropped = s.before, s.beforeDropped
	if s.recording == nil {
		return live, dropped
	}
	if s.dropped != nil {
		dropped += s.dropped()
	}
	live.Add(s.recording.Live())
	return live, dropped
}

// settle lets go of the recording, which is complete.
func (s *step) settle() {
	s.open = s.open || s.dropped != nil
	s.before, s.beforeDropped = s.now()
	s.recording, s.dropped = nil, nil
}
