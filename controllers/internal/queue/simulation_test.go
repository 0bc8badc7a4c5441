package queue_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/mongobench/mongobench-operator/controllers/internal/queue"
)

// simulation is a cluster in which four namespaces make runs and targets, which wait, are admitted, end, and are
// suspended and resumed, while the manager is replaced. Its clock goes on by a second with each thing that happens.
type simulation struct {
	t      *testing.T
	random *rand.Rand
	queue  *queue.Queue
	now    time.Time
	places int
	made   int
	runs   map[string]*queue.Run
	// waits are those that wait, and since when each does without a break.
	waits map[string]time.Time
	// leading is since when a run is the oldest that waits of its namespace.
	leading map[string]time.Time
}

func newSimulation(t *testing.T, seed uint64, places int) *simulation {
	t.Helper()
	s := &simulation{
		t: t, random: rand.New(rand.NewPCG(seed, 1)), now: birth, places: places,
		runs: map[string]*queue.Run{}, waits: map[string]time.Time{}, leading: map[string]time.Time{},
	}
	s.restart()
	return s
}

// restart replaces the manager: the next one knows what statuses say.
func (s *simulation) restart() {
	s.queue = &queue.Queue{}
	all := make([]queue.Run, 0, len(s.runs))
	for _, run := range s.runs {
		all = append(all, *run)
	}
	s.queue.Seed(all)
	clear(s.leading)
}

func (s *simulation) pick(state queue.State) *queue.Run {
	names := slices.Sorted(maps.Keys(s.runs))
	names = slices.DeleteFunc(names, func(name string) bool { return s.runs[name].State != state })
	if len(names) == 0 {
		return nil
	}
	return s.runs[names[s.random.IntN(len(names))]]
}

// write makes a version of a run.
func (s *simulation) write(run *queue.Run, state queue.State) {
	s.made++
	run.Version, run.State = strconv.Itoa(s.made), state
	delete(s.waits, run.Name.Name)
	if state == queue.Waiting {
		s.waits[run.Name.Name] = s.now
	}
}

func (s *simulation) create() {
	pools := []label{nil, {"pool": "a"}, {"pool": "b"}, {"zone": "x"}, {"pool": "a", "zone": "y"}}
	run := &queue.Run{Pool: pools[s.random.IntN(len(pools))], Created: s.now, Max: s.places, PoolMax: s.places}
	// The first namespace makes as many as all others together.
	run.Name.Namespace = []string{"n", "n", "n", "m", "k", "l"}[s.random.IntN(6)]
	run.Name.Name = fmt.Sprintf("r%05d", len(s.runs))
	run.UID, run.Group = types.UID(run.Name.Name), queue.NodePool(run.Pool)
	switch s.random.IntN(5) {
	case 0:
		run.Kind, run.Target = queue.KindTarget, run.Name.Name
	case 1:
		if target := s.pick(queue.Waiting); target != nil && target.Kind == queue.KindTarget {
			run.Name.Namespace, run.Pool, run.Group = target.Name.Namespace, target.Pool, target.Group
			run.Target = target.Name.Name
		}
	}
	s.runs[run.Name.Name] = run
	s.write(run, queue.Waiting)
	s.queue.Note(*run)
}

// happen has one thing happen.
func (s *simulation) happen() {
	s.now = s.now.Add(time.Second)
	switch s.random.IntN(20) {
	case 0:
		if run := s.pick(queue.Waiting); run != nil && run.Kind == queue.KindRun {
			s.write(run, queue.Out)
			s.queue.Note(*run)
		}
	case 1: // Those that have ended are not resumed.
		if run := s.pick(queue.Out); run != nil && run.Since.IsZero() {
			s.write(run, queue.Waiting)
			s.queue.Note(*run)
		}
	case 2:
		s.restart()
	case 3, 4, 5, 6, 7, 8:
		s.create()
	default:
		s.end()
	}
	s.settle()
}

func (s *simulation) end() {
	if run := s.pick(queue.Admitted); run != nil {
		s.write(run, queue.Out)
		s.queue.Note(*run)
	}
}

// settle has all that are admitted write so, and looks whether they may be.
func (s *simulation) settle() {
	s.t.Helper()
	s.lead()
	for _, name := range slices.Sorted(maps.Keys(s.waits)) {
		run := s.runs[name]
		if !s.queue.Ask(*run).Admitted {
			continue
		}
		s.fair(run)
		run.Since = s.now
		s.write(run, queue.Admitted)
		s.queue.Note(*run)
	}
	s.lead()
	s.count()
}

// lead notes who is the oldest of its namespace.
func (s *simulation) lead() {
	oldest := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s.waits)) { // Names are in the order of creation.
		if namespace := s.runs[name].Name.Namespace; oldest[namespace] == "" {
			oldest[namespace] = name
			if _, known := s.leading[name]; !known {
				s.leading[name] = s.now
			}
		}
	}
	maps.DeleteFunc(s.leading, func(name string, _ time.Time) bool {
		return oldest[s.runs[name].Name.Namespace] != name
	})
}

func (s *simulation) uses(run, target *queue.Run) bool {
	return run.Kind == queue.KindRun && target.Kind == queue.KindTarget && run.Target == target.Name.Name
}

func (s *simulation) competes(a, b *queue.Run) bool {
	return queue.Overlap(a.Pool, b.Pool) && !s.uses(a, b) && !s.uses(b, a)
}

// accompanied says whether a run that is admitted uses a target.
func (s *simulation) accompanied(target *queue.Run) bool {
	for _, run := range s.runs {
		if run.State == queue.Admitted && s.uses(run, target) {
			return true
		}
	}
	return false
}

// fair wants nobody to be admitted before the oldest of a namespace that waits for the same nodes as such since before
// the other was created.
func (s *simulation) fair(admitted *queue.Run) {
	s.t.Helper()
	if admitted.Kind == queue.KindTarget && s.accompanied(admitted) {
		return
	}
	for name, since := range s.leading {
		run := s.runs[name]
		if run.State == queue.Waiting && run != admitted && s.competes(run, admitted) && admitted.Created.After(since) {
			s.t.Fatalf("%v, which waits first of its namespace since %s, was overtaken by %v", run, since, admitted)
		}
	}
}

// count wants no node to be able to have more than is allowed, beside any that is admitted.
func (s *simulation) count() {
	s.t.Helper()
	var holders []*queue.Run
	for _, run := range s.runs {
		if run.State == queue.Admitted && (run.Kind == queue.KindRun || !s.accompanied(run)) {
			holders = append(holders, run)
		}
	}
	for _, node := range []label{{"pool": "a", "zone": "x"}, {"pool": "a", "zone": "y"}, {"pool": "b", "zone": "x"}} {
		there := 0
		for _, run := range holders {
			if queue.Overlap(run.Pool, node) { // The node has every label that any of them wants.
				there++
			}
		}
		if there > s.places {
			s.t.Fatalf("%d may be on a node %v, which allows %d", there, node, s.places)
		}
	}
}

// TestEverybodysTurnComes simulates clusters: nobody has a place too many, nobody is overtaken by those who come later
// than he began to wait, and in the end nobody waits.
func TestEverybodysTurnComes(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, seed, 1+int(seed%3))
			for range 1500 {
				s.happen()
			}
			for waiting := len(s.waits); waiting > 0; waiting = len(s.waits) {
				s.now = s.now.Add(time.Second)
				if s.pick(queue.Admitted) == nil {
					t.Fatalf("%d wait for nobody", waiting)
				}
				s.end()
				s.settle()
			}
		})
	}
}

// shares are those of namespaces that have runs waiting all the time, each from its own turn on.
type shares struct {
	*play
	random *rand.Rand
	begins map[string]int
	made   int
	// had counts the turns of one since another began.
	had map[[2]string]int
}

// create has each namespace create some runs, and many when it begins.
func (s *shares) create(turn int) {
	for _, namespace := range slices.Sorted(maps.Keys(s.begins)) {
		count := 1 + s.random.IntN(3)
		if turn == s.begins[namespace] {
			count = 100
		}
		for range count {
			if s.made++; turn >= s.begins[namespace] {
				s.Note(s.is(fmt.Sprintf("%s-%d", namespace, s.made), queue.Waiting, fair))
			}
		}
	}
}

// count counts a turn, and wants nobody to have had two more than another who waited too.
func (s *shares) count(turn int, who string) {
	s.t.Helper()
	for other := range s.begins {
		if other == who || turn <= s.begins[other] || turn <= s.begins[who] {
			continue
		}
		s.had[[2]string{who, other}]++
		if more := s.had[[2]string{who, other}] - s.had[[2]string{other, who}]; more > 1 {
			s.t.Fatalf("%s had %d turns more than %s", who, more, other)
		}
	}
}

// TestSharesDifferByOneTurn simulates namespaces that have runs waiting all the time: whenever two of them have waited
// for the same time, neither had two turns more than the other.
func TestSharesDifferByOneTurn(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 2))
			s := &shares{
				play: newPlay(t), random: random, had: map[[2]string]int{},
				begins: map[string]int{"a": 0, "b": random.IntN(40), "c": random.IntN(40)},
			}
			s.Seed(nil)
			for turn := range 80 {
				s.create(turn)
				s.count(turn, s.next())
			}
		})
	}
}

// next has the run that is admitted end, and returns its namespace.
func (p *play) next() string {
	p.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(p.runs)) {
		if p.runs[name].State == queue.Waiting && p.Ask(p.runs[name]).Admitted {
			p.has(name)
			p.Note(p.is(name, queue.Out))
			return p.runs[name].Name.Namespace
		}
	}
	p.t.Fatal("nobody is admitted")
	return ""
}
