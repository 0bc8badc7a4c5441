package queue_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
)

var birth = time.Date(2026, time.November, 21, 3, 0, 0, 0, time.UTC)

// play is a queue, and the API server's versions of the runs in it.
type play struct {
	t *testing.T
	queue.Queue
	version int
	runs    map[string]queue.Run
	woken   []string
}

func newPlay(t *testing.T) *play {
	t.Helper()
	p := &play{t: t, runs: map[string]queue.Run{}}
	for _, kind := range []queue.Kind{queue.KindRun, queue.KindTarget} {
		p.WakeWith(kind, func(name types.NamespacedName, _ bool) { p.woken = append(p.woken, name.Name) })
	}
	return p
}

// is makes a version of a run, the latest.
func (p *play) is(name string, state queue.State, change ...func(*queue.Run)) queue.Run {
	p.version++
	run, known := p.runs[name]
	if !known {
		run = queue.Run{
			Name: types.NamespacedName{Namespace: "n", Name: name}, UID: types.UID(name), Group: "g", Named: true, Max: 1,
			Created: birth.Add(time.Duration(len(p.runs)) * time.Second),
		}
	}
	run.Version, run.State = strconv.Itoa(p.version), state
	for _, c := range change {
		c(&run)
	}
	p.runs[name] = run
	return run
}

func most(runs int) func(*queue.Run) { return func(r *queue.Run) { r.Max = runs } }

// elsewhere puts a run into another group than the usual.
func elsewhere(r *queue.Run) { r.Group = "h" }

// wait has runs get in line.
func (p *play) wait(names ...string) {
	for _, name := range names {
		p.Note(p.is(name, queue.Waiting))
	}
}

// wants compares who is admitted of the runs, asked by the versions that are known.
func (p *play) wants(want ...string) {
	p.t.Helper()
	var got []string
	for _, name := range slices.Sorted(maps.Keys(p.runs)) {
		if p.runs[name].State != queue.Out && p.Ask(p.runs[name]).Admitted {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("admitted (-want +got):\n%s", diff)
	}
}

func TestWhoIsAdmitted(t *testing.T) {
	cases := map[string]struct {
		play func(*play)
		want []string
	}{
		"no run before the queue was told of all runs": {
			play: func(p *play) { p.wait("a") },
		},
		"the first of a line": {
			play: func(p *play) { p.Seed(nil); p.wait("a", "b", "c") },
			want: []string{"a"},
		},
		"the run that was created first, whichever asks first": {
			play: func(p *play) {
				a, b := p.is("a", queue.Waiting), p.is("b", queue.Waiting)
				p.Note(b)
				p.Seed([]queue.Run{b, a})
			},
			want: []string{"a"},
		},
		"of two that were created in the same second the one of the lesser name": {
			play: func(p *play) {
				created := func(r *queue.Run) { r.Created = birth }
				p.Note(p.is("b", queue.Waiting, created))
				p.Note(p.is("a", queue.Waiting, created))
				p.Seed(nil)
			},
			want: []string{"a"},
		},
		"as many as the first of the line allows": {
			play: func(p *play) {
				p.Seed(nil)
				for _, name := range []string{"a", "b", "c"} {
					p.Note(p.is(name, queue.Waiting, most(2)))
				}
			},
			want: []string{"a", "b"},
		},
		"everybody where there is no limit": {
			play: func(p *play) {
				p.Seed(nil)
				p.Note(p.is("a", queue.Waiting, most(0)))
				p.Note(p.is("b", queue.Waiting, most(0)))
			},
			want: []string{"a", "b"},
		},
		"no run that would overtake one that allows less": {
			play: func(p *play) {
				p.Seed(nil)
				p.wait("a", "b")
				p.Note(p.is("c", queue.Waiting, most(5)))
			},
			want: []string{"a"},
		},
		"one of each group": {
			play: func(p *play) { p.Seed(nil); p.wait("a"); p.Note(p.is("b", queue.Waiting, elsewhere)) },
			want: []string{"a", "b"},
		},
		"no other while one that was admitted before has its place": {
			play: func(p *play) {
				p.wait("a")
				p.Seed([]queue.Run{p.is("z", queue.Admitted)})
			},
			want: []string{"z"},
		},
		"the next when one has ended": {
			play: func(p *play) {
				p.Seed(nil)
				p.wait("a", "b")
				p.Note(p.is("a", queue.Out))
			},
			want: []string{"b"},
		},
		"the next when one is gone": {
			play: func(p *play) {
				p.Seed(nil)
				p.wait("a", "b")
				p.Forget(queue.KindRun, p.runs["a"].Name)
				delete(p.runs, "a")
			},
			want: []string{"b"},
		},
		"the next when one was suspended before its status could be written": {
			play: func(p *play) { p.Seed(nil); p.wait("a", "b"); p.Note(p.is("a", queue.Out)); p.wait("a") },
			want: []string{"b"},
		},
		"a run that is resumed comes at the place that it had": {
			play: func(p *play) {
				p.Seed(nil)
				p.wait("z", "a", "b")
				p.Note(p.is("a", queue.Out))
				p.wait("a")
				p.Note(p.is("z", queue.Out))
			},
			want: []string{"a"},
		},
		"one that was assumed, whose status could not be written yet": {
			play: func(p *play) { p.Seed(nil); p.wait("a", "b"); p.wait("a", "a") },
			want: []string{"a"},
		},
		"the next when a status says that another was suspended": {
			play: func(p *play) {
				p.Seed(nil)
				p.wait("a", "b")
				p.Note(p.is("a", queue.Admitted))
				p.Note(p.is("a", queue.Waiting, func(r *queue.Run) { r.Created = birth.Add(time.Hour) }))
			},
			want: []string{"b"},
		},
		"no other because of what an older version says": {
			play: func(p *play) {
				old := p.is("a", queue.Out)
				p.Seed([]queue.Run{p.is("a", queue.Admitted), p.is("b", queue.Waiting)})
				p.Note(old)
			},
			want: []string{"a"},
		},
		"the next of the group that a waiting run has left": {
			play: func(p *play) {
				p.Seed(nil)
				p.Note(p.is("z", queue.Waiting, elsewhere))
				p.wait("a", "b")
				p.Note(p.is("a", queue.Waiting, elsewhere))
			},
			want: []string{"b", "z"},
		},
		"one whose target turned out to be elsewhere while its status was written": {
			play: func(p *play) {
				p.Seed(nil)
				p.Note(p.is("z", queue.Waiting, elsewhere))
				p.wait("a", "b")
				a := p.runs["a"]
				a.Group = "h"
				p.runs["a"] = a
			},
			want: []string{"a", "b", "z"},
		},
		"one that has the name of another that is gone": {
			play: func(p *play) {
				p.Seed(nil)
				p.wait("a", "b")
				p.Note(p.is("a", queue.Waiting, func(r *queue.Run) { r.UID, r.Created = "other", birth.Add(time.Hour) }))
			},
			want: []string{"b"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			tc.play(p)
			p.wants(tc.want...)
		})
	}
}

func TestWhereARunIs(t *testing.T) {
	p := newPlay(t)
	p.Seed(nil)
	for i := range 20 {
		p.wait(fmt.Sprintf("r%02d", i))
	}
	measured := []types.NamespacedName{{Namespace: "n", Name: "r00"}}
	for name, want := range map[string]queue.Turn{
		"r00": {Admitted: true, Group: "g"},
		"r01": {Group: "g", Exact: true, Measured: measured},
		"r03": {Group: "g", Ahead: 2, Exact: true, Measured: measured},
		"r04": {Group: "g", Ahead: 10},
		"r11": {Group: "g", Ahead: 10},
		"r12": {Group: "g", Ahead: 100},
		"r19": {Group: "g", Ahead: 100},
	} {
		if diff := cmp.Diff(want, p.Ask(p.runs[name])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(queue.Turn{}, p.Ask(p.is("r03", queue.Out))); diff != "" {
		t.Errorf("a suspended run (-want +got):\n%s", diff)
	}
}

// writer is a play whose runs write what they are told when that has changed.
type writer struct {
	*play
	written map[string]queue.Turn
	writes  int
}

// ask is what a run does when it is woken.
func (w *writer) ask(name string) {
	run := w.runs[name]
	if run.State != queue.Waiting {
		return
	}
	turn := w.Ask(run)
	if !cmp.Equal(turn, w.written[name]) {
		w.writes++
		w.written[name] = turn
	}
	if turn.Admitted {
		w.Note(w.is(name, queue.Admitted))
	}
}

// settle lets all that are woken ask, and looks for any that should have been.
func (w *writer) settle() {
	w.t.Helper()
	for len(w.woken) > 0 {
		next := w.woken[0]
		w.woken = w.woken[1:]
		w.ask(next)
	}
	for name, run := range w.runs {
		if run.State == queue.Waiting && !cmp.Equal(w.Ask(run), w.written[name]) {
			w.t.Fatalf("%s was told %v, and not that it is %v now", name, w.written[name], w.Ask(run))
		}
	}
}

// disturb suspends a waiting run and resumes it.
func (w *writer) disturb(name string) {
	if w.runs[name].State != queue.Waiting {
		return
	}
	w.Note(w.is(name, queue.Out))
	w.settle()
	delete(w.written, name)
	w.wait(name)
	w.ask(name)
	w.settle()
}

// TestWritesOfALongLine has 300 runs go through a line, and counts what each would have to write. None may miss that
// its answer has changed, whatever it is that changes: runs are suspended and resumed on the way.
func TestWritesOfALongLine(t *testing.T) {
	const runs = 300
	w := &writer{play: newPlay(t), written: map[string]queue.Turn{}}
	w.Seed(nil)
	name := func(i int) string { return fmt.Sprintf("r%03d", i) }
	for i := range runs {
		w.wait(name(i))
		w.ask(name(i))
	}
	w.settle()
	others := rand.New(rand.NewPCG(1, 2))
	for i := range runs {
		if w.runs[name(i)].State != queue.Admitted {
			t.Fatalf("%s is not admitted in its turn", name(i))
		}
		if other := others.IntN(runs); i%10 == 0 {
			w.disturb(name(other))
		}
		w.Note(w.is(name(i), queue.Out))
		w.settle()
	}
	if most := float64(runs) * (5 + math.Log2(runs)); float64(w.writes) > most {
		t.Errorf("%d writes for %d runs, want no more than %.0f", w.writes, runs, most)
	}
	t.Logf("%.1f writes for each of %d runs", float64(w.writes)/runs, runs)
}

// TestManyAtOnce has runs of three groups ask, end and be resumed from many sides at once.
func TestManyAtOnce(t *testing.T) {
	var q queue.Queue
	q.WakeWith(queue.KindRun, func(types.NamespacedName, bool) {})
	var mutex sync.Mutex
	held := map[string]int{}
	hold := func(group string, by, most int) {
		mutex.Lock()
		defer mutex.Unlock()
		held[group] += by
		if held[group] > most {
			t.Errorf("%d runs of %s are admitted, which allows %d", held[group], group, most)
		}
	}
	var workers sync.WaitGroup
	q.Seed(nil)
	for i := range 60 {
		most := 1 + i%3
		run := queue.Run{
			Name: types.NamespacedName{Name: strconv.Itoa(i)}, UID: types.UID(strconv.Itoa(i)), Version: "1",
			Created: birth.Add(time.Duration(i) * time.Second), Group: strconv.Itoa(most), Max: most, State: queue.Waiting,
		}
		workers.Go(func() {
			for !q.Ask(run).Admitted {
			}
			hold(run.Group, 1, most)
			run.Version, run.State = "2", queue.Admitted
			if !q.Ask(run).Admitted {
				t.Errorf("run %s has lost its place", run.Name)
			}
			hold(run.Group, -1, most)
			run.Version, run.State = "3", queue.Out
			q.Note(run)
		})
	}
	workers.Wait()
	if turn := q.Ask(queue.Run{Group: "1", Max: 1, State: queue.Waiting}); !turn.Admitted {
		t.Errorf("after all have ended there is no place: %v", turn)
	}
}
