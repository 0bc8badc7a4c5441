package queue_test

import (
	"testing"

	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
)

// deployed makes a target of its own in the pool of all nodes, of which one is for all.
func deployed(r *queue.Run) { fair(r); r.Kind, r.Target = queue.KindTarget, r.Name.Name }

// using makes a run that refers to the target n-t of its namespace.
func using(r *queue.Run) { fair(r); r.Target = "n-t" }

// TestTargetsHavePlaces: one that is being deployed disturbs like a run, and shares its place with a run that waits for
// it.
func TestTargetsHavePlaces(t *testing.T) {
	for name, tc := range map[string]struct {
		play func(*play)
		want []string
	}{
		"a target waits while a run is measured": {
			play: func(p *play) { p.make("n", 1); p.Note(p.is("n-t", queue.Waiting, deployed)) },
			want: []string{"n-0"},
		},
		"a run waits while a target is deployed": {
			play: func(p *play) { p.Note(p.is("n-t", queue.Waiting, deployed)); p.make("m", 1) },
			want: []string{"n-t"},
		},
		"a run goes on when a target is ready": {
			play: func(p *play) {
				p.Note(p.is("n-t", queue.Waiting, deployed))
				p.make("m", 1)
				p.Note(p.is("n-t", queue.Admitted))
				p.Note(p.is("n-t", queue.Out))
			},
			want: []string{"m-0"},
		},
		"a run does not wait for its own target": {
			play: func(p *play) {
				p.Note(p.is("n-t", queue.Waiting, deployed))
				p.Note(p.is("n-r", queue.Waiting, using))
			},
			want: []string{"n-r", "n-t"},
		},
		"the target of a run that is admitted waits for nobody": {
			play: func(p *play) {
				p.Note(p.is("n-r", queue.Waiting, using))
				p.make("m", 1)
				p.make("n", 1)
				p.Note(p.is("n-t", queue.Waiting, deployed))
			},
			want: []string{"n-r", "n-t"},
		},
		"nor does that of a run that another manager admitted": {
			play: func(p *play) {
				p.seed(p.is("n-r", queue.Admitted, using), p.is("n-t", queue.Waiting, deployed))
			},
			want: []string{"n-r", "n-t"},
		},
		"the target of a run in another namespace is not its own": {
			play: func(p *play) {
				p.Note(p.is("n-t", queue.Waiting, deployed))
				p.Note(p.is("m-r", queue.Waiting, using))
			},
			want: []string{"n-t"},
		},
		"of two runs of one target the second waits": {
			play: func(p *play) {
				p.Note(p.is("n-t", queue.Waiting, deployed))
				p.Note(p.is("n-r", queue.Waiting, using))
				p.Note(p.is("n-s", queue.Waiting, using))
			},
			want: []string{"n-r", "n-t"},
		},
		"a target keeps the place when its run ends first": {
			play: func(p *play) {
				p.Note(p.is("n-t", queue.Waiting, deployed))
				p.Note(p.is("n-r", queue.Waiting, using))
				p.make("m", 1)
				p.Note(p.is("n-r", queue.Out))
			},
			want: []string{"n-t"},
		},
		"without a limit nobody waits": {
			play: func(p *play) {
				unlimited := func(r *queue.Run) { r.Max, r.PoolMax = 0, 0 }
				p.Note(p.is("n-t", queue.Waiting, deployed, unlimited))
				p.make("m", 2, unlimited)
			},
			want: []string{"m-0", "m-1", "n-t"},
		},
		"a run may have the name of a target": {
			play: func(p *play) {
				p.Note(p.is("n-t", queue.Waiting, deployed))
				run := p.runs["n-t"]
				run.Kind, run.Target, run.UID = queue.KindRun, "", "another"
				p.Forget(queue.KindRun, run.Name)
				p.Note(run)
			},
			want: []string{"n-t"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			p.seed()
			tc.play(p)
			p.wants(tc.want...)
		})
	}
}

// seed fills another queue.
func (p *play) seed(runs ...queue.Run) {
	p.Queue = queue.Queue{}
	p.Seed(runs)
}
