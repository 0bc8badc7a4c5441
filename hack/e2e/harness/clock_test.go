package harness

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tellTime makes this test program one that tells the time whenever it is asked.
const tellTime = "MONGOBENCH_TELL_TIME"

func TestMain(m *testing.M) {
	if os.Getenv(tellTime) == "" {
		os.Exit(m.Run())
	}
	for asked := bufio.NewScanner(os.Stdin); asked.Scan(); {
		fmt.Println(time.Now().UnixNano())
	}
}

// teller is a process that tells the time.
type teller struct {
	process *exec.Cmd
	ask     io.WriteCloser
	answers *bufio.Scanner
}

func newTeller(t *testing.T) teller {
	t.Helper()
	child := teller{process: exec.CommandContext(t.Context(), os.Args[0])}
	child.process.Env = append(os.Environ(), tellTime+"=yes")
	answers, err := child.process.StdoutPipe()
	if err == nil {
		child.ask, err = child.process.StdinPipe()
	}
	if err == nil {
		err = child.process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	child.answers = bufio.NewScanner(answers)
	return child
}

// behind is how far the process' clock is behind this one's, at least and at most.
func (c teller) behind(t *testing.T) (least, most time.Duration) {
	t.Helper()
	before := time.Now()
	if _, err := fmt.Fprintln(c.ask); err != nil || !c.answers.Scan() {
		t.Fatalf("the child does not tell the time: %v, %v", err, c.answers.Err())
	}
	after := time.Now()
	nanos, err := strconv.ParseInt(strings.TrimSpace(c.answers.Text()), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	told := time.Unix(0, nanos)
	return before.Round(0).Sub(told), after.Round(0).Sub(told)
}

func TestTheClockOfOneProcessIsSetAndNoOther(t *testing.T) {
	child := newTeller(t)
	for _, seconds := range []int8{0, 60, 127, 0} {
		err := setClockBack(filepath.Join("/proc", strconv.Itoa(child.process.Process.Pid)), seconds)
		if errors.Is(err, ErrNoClocks) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := time.Duration(seconds) * time.Second
		if least, most := child.behind(t); least > want || most < want {
			t.Errorf("the child's clock is from %s to %s behind, want %s", least, most, want)
		}
	}
	if err := errors.Join(child.ask.Close(), child.process.Wait()); err != nil {
		t.Errorf("the child: %v", err)
	}
}
