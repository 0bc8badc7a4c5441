package engine

import (
	"context"
	"runtime"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/alarm"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// A goroutine that is handed from one processor to another costs more than an operation does, so that a load generator
// that one processor is enough for is often best off with one. Whether it is depends on the machine, the client and the
// load; so the warm-up measures it.
const (
	// leastTuning is how long a warm-up must be.
	leastTuning = 2 * time.Second
	// leastOperations is how many of them tell anything.
	leastOperations = 200
	// keptPercent is how much of the throughput one processor must keep, and savedPercent how much CPU time it must save.
	keptPercent, savedPercent = 97, 3
	// busyPercent is how busy one processor may be: replies must not have to wait for it, nor a load that still grows.
	busyPercent = 75
	// An operation of an open loop may be sent by so much later on average, in percent and in itself.
	laterPercent, later = 20, 20 * time.Microsecond
)

// tuning chooses the number of processors of a step.
type tuning struct {
	workers *workers
	// until is when the choice must have been made.
	until time.Time
	// usual is what was in force before, and processors what is now.
	usual, processors int
	fixed             bool
}

func newTuning(w *workers, until time.Time) *tuning {
	usual := runtime.GOMAXPROCS(0)
	return &tuning{workers: w, until: until, usual: usual, processors: usual, fixed: w.pod.FixedProcessors}
}

// restore sets back what was in force before.
func (t *tuning) restore() {
	t.set(t.usual)
}

func (t *tuning) set(processors int) {
	if processors != t.processors {
		runtime.GOMAXPROCS(processors)
		t.processors = processors
	}
}

// choose returns when the choice must have been made, or when the context ends. In between it lets the workers have one
// and the usual number of processors by turns, so that a load that changes meanwhile falls on both alike.
func (t *tuning) choose(ctx context.Context) {
	left := time.Until(t.until)
	if t.fixed || t.usual < 2 || left < leastTuning {
		_ = alarm.Timer{}.Until(ctx, t.until)
		return
	}
	turns := []int{1, t.usual, t.usual, 1, 1, t.usual, t.usual, 1}
	// The first quarter belongs to connections and caches that are cold yet.
	begin, length := t.until.Add(-left*3/4), left*3/4/time.Duration(len(turns))
	if (alarm.Timer{}).Until(ctx, begin) != nil {
		return
	}
	var one, many turn
	for i, processors := range turns {
		sum := &many
		if processors == 1 {
			sum = &one
		}
		t.set(processors)
		before, usage := t.now(), measure.ReadUsage()
		if (alarm.Timer{}).Until(ctx, begin.Add(time.Duration(i+1)*length)) != nil {
			return
		}
		sum.add(t.now(), before, time.Duration(measure.ReadUsage().Since(usage).CPUMicros)*time.Microsecond)
	}
	if one.enough(many) {
		t.set(1)
		return
	}
	t.set(t.usual)
}

// turn is what went on while one number of processors was in force.
type turn struct {
	at               time.Time
	elapsed, cpu     time.Duration
	operations, late int64
}

// now is a reading of the counters.
func (t *tuning) now() turn {
	reading := turn{at: time.Now()}
	for _, worker := range t.workers.all {
		reading.operations += worker.completed.Load()
		reading.late += worker.lagMicros.Load()
	}
	return reading
}

// add adds what went on between two readings.
func (s *turn) add(after, before turn, cpu time.Duration) {
	s.elapsed += after.at.Sub(before.at)
	s.operations += after.operations - before.operations
	s.late += after.late - before.late
	s.cpu += cpu
}

// enough says whether one processor does what many do, with less.
func (s *turn) enough(many turn) bool {
	if s.operations < leastOperations || many.operations < leastOperations {
		return false
	}
	rate := func(t turn) float64 { return float64(t.operations) / t.elapsed.Seconds() }
	cost := func(t turn) float64 { return float64(t.cpu) / float64(t.operations) }
	lag := func(t turn) float64 { return float64(t.late) / float64(t.operations) }
	return rate(*s)*100 >= rate(many)*keptPercent &&
		cost(*s)*100 <= cost(many)*(100-savedPercent) &&
		s.cpu*100 <= s.elapsed*busyPercent &&
		lag(*s)*100 <= lag(many)*(100+laterPercent)+100*float64(later.Microseconds())
}
