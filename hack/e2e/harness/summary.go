package harness

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mongobench/mongobench-operator/internal/present"
)

// MaxManagerBytes is what the manager may need at most: the limit that the project states.
const MaxManagerBytes = 60_000_000

// Summary is what is told at the end of all scenarios.
type Summary struct {
	lock      sync.Mutex
	scenarios []scenario
	figures   []string
	memory    int64
	samples   int
}

type scenario struct {
	name   string
	took   time.Duration
	failed bool
}

// Scenario notes how long a scenario took.
func (s *Summary) Scenario(name string, took time.Duration, failed bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.scenarios = append(s.scenarios, scenario{name: strings.TrimPrefix(name, "Test"), took: took, failed: failed})
}

// Figure notes something that was measured on the way.
func (s *Summary) Figure(format string, values ...any) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.figures = append(s.figures, fmt.Sprintf(format, values...))
}

// Memory notes a sample of the manager's memory.
func (s *Summary) Memory(bytes int64) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.samples++
	s.memory = max(s.memory, bytes)
}

// Verdict is an error when the manager needed too much memory, or how much is not known.
func (s *Summary) Verdict() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case len(s.scenarios) == 0:
		return nil
	case s.samples == 0:
		return fmt.Errorf("the memory of the manager could not be read after any of %d scenarios", len(s.scenarios))
	case s.memory >= MaxManagerBytes:
		return fmt.Errorf("the manager needed %s of memory, and its limit is %s", megabytes(s.memory),
			megabytes(MaxManagerBytes))
	}
	return nil
}

// Write prints the table.
func (s *Summary) Write(to io.Writer) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.scenarios) == 0 {
		return nil
	}
	table := present.NewTable([]string{"", ""}, "")
	row := func(name, verdict string, took time.Duration) {
		table.Add(name, verdict, fmt.Sprintf("%6.1f s", took.Seconds()))
	}
	var all time.Duration
	for _, one := range s.scenarios {
		all += one.took
		verdict := "ok"
		if one.failed {
			verdict = "FAILED"
		}
		row(one.name, verdict, one.took)
	}
	row("all scenarios", "", all)
	if err := table.Write(to, false); err != nil {
		return err
	}
	figures := slices.Clone(s.figures)
	if s.samples > 0 {
		figures = append(figures, fmt.Sprintf("manager: at most %s resident, in %d samples", megabytes(s.memory), s.samples))
	}
	_, err := io.WriteString(to, strings.Join(append(figures, ""), "\n"))
	return err
}

func megabytes(bytes int64) string {
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
