package queue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
)

type label = map[string]string

// on puts a run into the pool of a selector.
func on(group string, pool label) func(*queue.Run) {
	return func(r *queue.Run) { r.Named, r.Group, r.Pool = false, group, pool }
}

// of makes a run one of a namespace, in a cluster that allows one at a time for all of them.
func of(namespace string) func(*queue.Run) {
	return func(r *queue.Run) { r.Name.Namespace, r.PoolMax = namespace, 1 }
}

// own gives a run a group of its own, in which it allows itself anything.
func own(r *queue.Run) { r.Group, r.Max = "own", 1000 }

func in(database string, shares bool) func(*queue.Run) {
	return func(r *queue.Run) { r.Locks, r.Shares = append(r.Locks, database), shares }
}

type change = func(*queue.Run)

// TestWhatRunsShare: nodes, a database, and nothing else, whatever they call their groups.
func TestWhatRunsShare(t *testing.T) {
	linux, bench := label{"kubernetes.io/os": "linux"}, label{"pool": "bench"}
	other, zone := label{"pool": "other"}, label{"pool": "bench", "zone": "a"}
	cases := map[string]struct {
		a, b []change
		want []string
	}{
		"all nodes and those of linux are one pool": {
			[]change{on("all", nil)}, []change{on("linux", linux)}, []string{"a"},
		},
		"a pool and a part of it are one": {[]change{on("bench", bench)}, []change{on("zone", zone)}, []string{"a"}},
		"selectors that one node may satisfy are one pool": {
			[]change{on("linux", linux)}, []change{on("bench", bench)}, []string{"a"},
		},
		"selectors that want different values are two pools": {
			[]change{on("bench", bench)}, []change{on("other", other)}, []string{"a", "b"},
		},
		"a group of its own is no way around the runs of others": {
			[]change{on("bench", bench), of("n")}, []change{own, of("m")}, []string{"a"},
		},
		"nor is a number of its own": {
			[]change{on("bench", bench), of("n")}, []change{on("bench", bench), of("m"), most(1000)}, []string{"a"},
		},
		"a group of its own is a way around runs of the same namespace": {
			[]change{on("bench", bench), of("n")}, []change{own, of("n")}, []string{"a", "b"},
		},
		"other nodes are free for other namespaces": {
			[]change{on("bench", bench), of("n")}, []change{on("other", other), of("m")}, []string{"a", "b"},
		},
		"one database is for one run, in whatever groups": {
			[]change{in("t/shop", false)}, []change{elsewhere, in("t/shop", false)}, []string{"a"},
		},
		"one that shares waits for one that does not": {
			[]change{in("t/shop", false)}, []change{elsewhere, in("t/shop", true)}, []string{"a"},
		},
		"runs that all share it are measured at once": {
			[]change{in("t/shop", true)}, []change{elsewhere, in("t/shop", true)}, []string{"a", "b"},
		},
		"duets take turns with the baseline that they have in common": {
			[]change{in("new/shop", false), in("old/shop", false)},
			[]change{elsewhere, in("newer/shop", false), in("old/shop", false)},
			[]string{"a"},
		},
		"another database is free": {
			[]change{in("t/shop", false)}, []change{elsewhere, in("t/stock", false)}, []string{"a", "b"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			p.Seed(nil)
			p.Note(p.is("a", queue.Waiting, tc.a...))
			p.Note(p.is("b", queue.Waiting, tc.b...))
			p.wants(tc.want...)
			p.Note(p.is("a", queue.Out))
			p.wants("b")
		})
	}
}

// TestNobodyIsOvertakenForEver: who waits for all nodes comes before those who were created later for some of them.
func TestNobodyIsOvertakenForEver(t *testing.T) {
	p := newPlay(t)
	p.Seed(nil)
	p.Note(p.is("a", queue.Waiting, on("bench", label{"pool": "bench"})))
	p.Note(p.is("b", queue.Waiting, on("all", nil)))
	p.Note(p.is("c", queue.Waiting, on("other", label{"pool": "other"})))
	p.wants("a")
	p.Note(p.is("a", queue.Out))
	p.wants("b")
	p.Note(p.is("b", queue.Out))
	p.wants("c")
}

// TestOtherNamespacesAreNotNamed in what a run is told, nor counted: that would be news for everybody at each turn.
func TestOtherNamespacesAreNotNamed(t *testing.T) {
	p := newPlay(t)
	p.Seed(nil)
	for _, name := range []string{"a", "b"} {
		p.Note(p.is(name, queue.Waiting, most(3)))
	}
	p.Note(p.is("secret", queue.Waiting, most(3), func(r *queue.Run) { r.Name.Namespace = "theirs" }))
	turn := p.Ask(p.is("c", queue.Waiting, most(3)))
	want := queue.Turn{
		Group: "g", Exact: true, Others: true,
		Measured: []types.NamespacedName{{Namespace: "n", Name: "a"}, {Namespace: "n", Name: "b"}},
	}
	if diff := cmp.Diff(want, turn); diff != "" {
		t.Errorf("turn (-want +got):\n%s", diff)
	}
}
