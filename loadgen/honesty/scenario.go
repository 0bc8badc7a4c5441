package honesty

import (
	"flag"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/result"
)

// Scenario is a way in which a number could be wrong and pass as right.
type Scenario struct {
	// Item is what of the review of the measurements it stands for, such as A1. Name is the test's, in a few words, such
	// as "a starved generator".
	Item, Name string
	// Truth is what really is so, in a few words, and how that is known.
	Truth string
	// Doubt is the reason that must be among the doubts when the number is wrong, and not otherwise: one of those of the
	// condition Trusted. Empty where the remedy is that the number is right, or that the result says it by other means.
	Doubt string
	// Long scenarios are left out of the short form.
	Long bool
	// Run makes it happen.
	Run func(t *testing.T) Told
}

// Told is what was reported of a scenario.
type Told struct {
	// Reported is the number, with its unit and in a few words.
	Reported string
	// Wrong says that it is not the truth: by more than what the documentation allows.
	Wrong bool
	// Near says that it is so close to what is allowed that the result may doubt it or not, where what happens cannot be
	// set to the last digit.
	Near bool
	// Doubts are those of the report.
	Doubts []result.Doubt
	// Says is how the result tells a reader otherwise, such as a mark beside the number; empty when it does not.
	Says string
}

// doubt is the message of the doubt with this reason; empty when there is none.
func (t Told) doubt(reason string) string {
	at := slices.IndexFunc(t.Doubts, func(d result.Doubt) bool { return d.Reason == reason })
	if reason == "" || at < 0 {
		return ""
	}
	return t.Doubts[at].Message
}

// verdict says what is wrong with how a scenario ended; empty when nothing is.
func (s Scenario) verdict(told Told) string {
	doubted := told.doubt(s.Doubt) != ""
	switch {
	case told.Near:
	case told.Wrong && !doubted && told.Says == "":
		return "a wrong number passed untold"
	case !told.Wrong && doubted:
		return "a right number was doubted"
	}
	return ""
}

var long = flag.Bool("long", false, "run the scenarios and the numbers of cases of the long form as well")

// Long says whether this is the long form, for a scenario that has more cases then.
func Long() bool { return *long }

// Check runs a scenario as a test of its own, adds it to the table, and fails when a wrong number passed untold.
func Check(t *testing.T, s Scenario) {
	t.Helper()
	if s.Long && !Long() {
		return
	}
	t.Run(s.Item+" "+s.Name, func(t *testing.T) {
		told := s.Run(t)
		if t.Failed() {
			return
		}
		add(s, told)
		if wrong := s.verdict(told); wrong != "" {
			t.Errorf("%s\n  the truth: %s\n  reported:  %s\n  doubts:    %s", wrong, s.Truth, told.Reported,
				reasons(told.Doubts))
		}
	})
}

// reasons are those of doubts with their messages, a line each.
func reasons(doubts []result.Doubt) string {
	if len(doubts) == 0 {
		return "none"
	}
	lines := make([]string, len(doubts))
	for i, doubt := range doubts {
		lines[i] = doubt.Reason + ": " + doubt.Message
	}
	return strings.Join(lines, "\n             ")
}

// What the tests of this process have found so far.
var (
	mutex   sync.Mutex
	rows    []row
	figures []headline
)

// row is one scenario in the table.
type row struct {
	scenario Scenario
	told     Told
}

// headline is a number that the project is judged by.
type headline struct {
	name, unit string
	value      float64
}

func add(s Scenario, told Told) {
	mutex.Lock()
	defer mutex.Unlock()
	rows = append(rows, row{s, told})
}

// Figure adds a number that `make bench ONLY=honesty` prints as a line of its own. Its bound is in hack/perf.
func Figure(name string, value float64, unit string) {
	mutex.Lock()
	defer mutex.Unlock()
	figures = append(figures, headline{name, unit, value})
}
