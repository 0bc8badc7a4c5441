package harness

import (
	"bufio"
	"errors"
	"fmt"
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

func TestTheClockOfOneProcessIsSetAndNoOther(t *testing.T) {
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), tellTime+"=yes")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	// behind is how far the child's clock is behind this process's, at least and at most.
	behind := func() (least, most time.Duration) {
		before := time.Now()
		_, err := fmt.Fprintln(in)
		if err != nil || !answers.Scan() {
			t.Fatalf("the child does not tell the time: %v, %v", err, answers.Err())
		}
		after := time.Now()
		nanos, err := strconv.ParseInt(strings.TrimSpace(answers.Text()), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		told := time.Unix(0, nanos)
		return before.Round(0).Sub(told), after.Round(0).Sub(told)
	}
	for _, seconds := range []int8{0, 60, 127, 0} {
		err := setClockBack(filepath.Join("/proc", strconv.Itoa(child.Process.Pid)), seconds)
		if errors.Is(err, ErrNoClocks) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := time.Duration(seconds) * time.Second
		if least, most := behind(); least > want || most < want {
			t.Errorf("the child's clock is from %s to %s behind, want %s", least, most, want)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Errorf("the child: %v", err)
	}
}
