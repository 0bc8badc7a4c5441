package queue_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
)

// fair makes a run of the namespace that its name begins with, in the pool of all nodes, of which one is for all.
func fair(r *queue.Run) {
	r.Name.Namespace, _, _ = strings.Cut(r.Name.Name, "-")
	r.Named, r.Group, r.PoolMax = false, "all", 1
}

// order has each that is admitted write so and end, until nobody waits, and returns who had a turn after whom.
func (p *play) order() []string {
	p.t.Helper()
	var order []string
	for more := true; more; {
		more = false
		for _, name := range slices.Sorted(maps.Keys(p.runs)) {
			run := p.runs[name]
			if run.State != queue.Waiting || !p.Ask(run).Admitted {
				continue
			}
			p.has(name)
			order, more = append(order, name), true
			p.Note(p.is(name, queue.Out))
			break
		}
	}
	return order
}

// has lets a run write that it was admitted, at a time after all that was created.
func (p *play) has(name string) {
	p.Note(p.is(name, queue.Admitted, func(r *queue.Run) {
		r.Since = birth.Add(time.Hour + time.Duration(p.version)*time.Second)
	}))
}

// make has a namespace create runs, one a second.
func (p *play) make(namespace string, count int, change ...func(*queue.Run)) {
	for i := range count {
		p.Note(p.is(fmt.Sprintf("%s-%d", namespace, i), queue.Waiting, append([]func(*queue.Run){fair}, change...)...))
	}
}

func TestNamespacesTakeTurns(t *testing.T) {
	bench, other := label{"pool": "bench"}, label{"pool": "other"}
	for name, tc := range map[string]struct {
		play func(*play)
		want []string
	}{
		"who comes later waits for one turn of who made many": {
			play: func(p *play) { p.make("a", 4); p.make("b", 2) },
			want: []string{"a-0", "a-1", "b-0", "a-2", "b-1", "a-3"},
		},
		"three go round": {
			play: func(p *play) { p.make("a", 3); p.make("b", 2); p.make("c", 2) },
			want: []string{"a-0", "a-1", "b-0", "c-0", "a-2", "b-1", "c-1"},
		},
		"groups of its own are no way around that": {
			play: func(p *play) {
				p.make("b", 2)
				p.make("a", 4, func(r *queue.Run) { r.Group, r.Named, r.Max = r.Name.Name, true, 1000 })
				p.make("c", 1)
			},
			// The last two have nobody to wait for.
			want: []string{"b-0", "b-1", "a-0", "c-0", "a-1", "a-2", "a-3"},
		},
		"nor are selectors": {
			play: func(p *play) {
				p.make("a", 1, on("bench", bench))
				p.make("b", 2, on("all", nil))
				p.Note(p.is("a-9", queue.Waiting, fair, on("other", other)))
				p.Note(p.is("a-8", queue.Waiting, fair, on("bench", bench)))
			},
			want: []string{"a-0", "b-0", "a-8", "a-9", "b-1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			p.Seed(nil)
			tc.play(p)
			if diff := cmp.Diff(tc.want, p.order()); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
		})
	}
}
