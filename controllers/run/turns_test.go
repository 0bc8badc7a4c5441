package run_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// lines are 200 runs in three groups, followed by a watch on the API server, in the order in which it stored them. The
// follower lets as many runs go on at once as their group allows, and ends all of them when it is full.
type lines struct {
	t         *testing.T
	namespace string
	groups    map[string]*line
	left      int
	// progress has how many runs are left each time that a manager has had its share of them.
	progress chan int
}

type line struct {
	name string
	most int
	// names in the order in which they are created; each has its index in its name.
	names []string
	// held are the runs that the API server has as admitted and not finished, going those of them that go on.
	held, going map[string]bool
	// admitted were, at some time; suspended were too, which may change their order; finished are.
	admitted, suspended, finished map[string]bool
	full                          bool
}

const (
	turns          = 200
	turnsOfManager = 10
)

func newLines(t *testing.T) *lines {
	t.Helper()
	l := &lines{
		t: t, namespace: environment.Namespace(t), groups: map[string]*line{}, left: turns,
		progress: make(chan int, turns/turnsOfManager),
	}
	for name, most := range map[string]int{"one": 1, "two": 2, "five": 5} {
		l.groups[name] = &line{
			name: name, most: most, held: map[string]bool{}, going: map[string]bool{},
			admitted: map[string]bool{}, suspended: map[string]bool{}, finished: map[string]bool{},
		}
	}
	return l
}

// create makes runs from one index to another. They refer to a target that does not exist, which is as far as a run
// gets by itself.
func (l *lines) create(from, to int) {
	l.t.Helper()
	for i := from; i < to; i++ {
		group := l.groups[[]string{"five", "two", "five", "one", "two"}[i%5]]
		run := runtest.Run(l.namespace, fmt.Sprintf("%s-%03d", group.name, i))
		run.Spec.Target, run.Spec.TargetRef = nil, &benchv1alpha1.NameReference{Name: "nowhere"}
		run.Spec.LoadGenerator = nil
		run.Spec.Concurrency = &benchv1alpha1.Concurrency{Group: &group.name, Max: new(int32(group.most))}
		run.Spec.Concurrency.Database = new(benchv1alpha1.DatabaseShared)
		if err := environment.Client.Create(l.t.Context(), run); err != nil {
			l.t.Fatal(err)
		}
	}
}

// follow looks at every version of every run.
func (l *lines) follow(events <-chan watch.Event) {
	for event := range events {
		run, ok := event.Object.(*benchv1alpha1.BenchmarkRun)
		if !ok && l.left == 0 { // The test has stopped the watch.
			return
		}
		if !ok {
			l.t.Errorf("the watch says %v", event)
			return
		}
		group := l.groups[*run.Spec.Concurrency.Group]
		if event.Type == watch.Added {
			group.names = append(group.names, run.Name)
		}
		l.see(group, run)
		l.act(group, run)
	}
}

func (l *lines) see(group *line, run *benchv1alpha1.BenchmarkRun) {
	conditions := run.Status.Conditions
	finished := condition.IsFalse(conditions, benchv1alpha1.RunProgressing)
	held := condition.IsTrue(conditions, benchv1alpha1.RunAdmitted) && !finished
	set(group.held, run.Name, held)
	if !held {
		delete(group.going, run.Name)
	}
	if len(group.held) > group.most {
		l.t.Errorf("group %s allows %d; at version %s these are admitted: %v",
			group.name, group.most, run.ResourceVersion, group.held)
	}
	if held && !group.admitted[run.Name] {
		group.admitted[run.Name], group.going[run.Name] = true, true
		l.checkOrder(group, run.Name)
	}
	group.full = group.full || len(group.going) == group.most
	if finished && !group.finished[run.Name] {
		group.finished[run.Name] = true
		if l.left--; l.left%turnsOfManager == 0 {
			l.progress <- l.left
		}
	}
}

func set(names map[string]bool, name string, in bool) {
	delete(names, name)
	if in {
		names[name] = true
	}
}

// checkOrder wants no run to be admitted before one that was created earlier, but for those that are admitted at once
// with it, whose statuses are written in any order.
func (l *lines) checkOrder(group *line, name string) {
	earlier := 0
	for _, other := range group.names[:slices.Index(group.names, name)] {
		if !group.admitted[other] && !group.suspended[other] {
			earlier++
		}
	}
	if earlier >= group.most {
		l.t.Errorf("%s is admitted, and %d runs of its group that were created earlier are not", name, earlier)
	}
}

// act suspends and resumes each tenth run when it is admitted for the first time, and cancels all that go on when their
// group is full or no run waits.
func (l *lines) act(group *line, run *benchv1alpha1.BenchmarkRun) {
	tenth := run.Name[len(run.Name)-1] == '3'
	suspended := run.Spec.Suspend != nil && *run.Spec.Suspend
	switch {
	case tenth && group.going[run.Name] && !group.suspended[run.Name]:
		group.suspended[run.Name] = true
		delete(group.going, run.Name)
		l.patch(run.Name, `{"spec":{"suspend":true}}`)
	case suspended && condition.Reason(run.Status.Conditions, benchv1alpha1.RunAdmitted) == benchv1alpha1.ReasonSuspended:
		delete(group.admitted, run.Name)
		l.patch(run.Name, `{"spec":{"suspend":false}}`)
	}
	if len(group.going) < group.most && len(group.names)-len(group.finished) > len(group.held) {
		return
	}
	for name := range group.going {
		delete(group.going, name)
		l.patch(name, `{"spec":{"cancel":true}}`)
	}
}

func (l *lines) patch(name, change string) {
	run := &benchv1alpha1.BenchmarkRun{}
	run.Namespace, run.Name = l.namespace, name
	err := environment.Client.Patch(l.t.Context(), run, client.RawPatch(types.MergePatchType, []byte(change)))
	if err != nil {
		l.t.Errorf("patching %s: %v", name, err)
	}
}

// TestTurnsSurviveRestarts has 200 runs in three groups wait for their turns while the manager is stopped and started
// each time that ten of them have ended. At no time does the API server have more runs of a group as admitted than it
// allows.
func TestTurnsSurviveRestarts(t *testing.T) {
	t.Parallel()
	l := newLines(t)
	follower, err := environment.Client.Watch(
		t.Context(), &benchv1alpha1.BenchmarkRunList{}, client.InNamespace(l.namespace))
	if err != nil {
		t.Fatal(err)
	}
	followed := make(chan struct{})
	go func() { defer close(followed); l.follow(follower.ResultChan()) }()
	defer func() { follower.Stop(); <-followed }()

	l.create(0, turns/2)
	stop := startManager(t, l.namespace)
	l.create(turns/2, turns)
	for left := turns; left > 0; {
		select {
		case left = <-l.progress:
			stop()
			stop = startManager(t, l.namespace)
		case <-time.After(wakeTime):
			t.Fatalf("%d runs do not end", left)
		}
	}
	for _, group := range l.groups {
		if !group.full {
			t.Errorf("group %s never had %d runs at once", group.name, group.most)
		}
	}
}
