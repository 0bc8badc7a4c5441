package mariadb_test

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/mariadb"
)

// The environment that makes the test program what Start starts, and the program that calls it.
const (
	asWriter  = "usage-writer"
	startFile = "MONGOBENCH_TEST_START"
)

// TestMain is also the program that Start leaves beside a server, and the one that becomes a server.
func TestMain(m *testing.M) {
	switch file := os.Getenv(startFile); {
	case len(os.Args) == 4 && os.Args[1] == asWriter:
		process, err := strconv.Atoi(os.Args[2])
		if err != nil {
			os.Exit(1)
		}
		mariadb.WriteUsage(context.Background(), process, os.Args[3], slog.New(slog.DiscardHandler))
	case file != "":
		err := mariadb.Start(context.Background(), []string{"sh", "-c", "while :; do :; done"}, []string{asWriter}, file)
		panic(err)
	default:
		os.Exit(m.Run())
	}
}

// patience is how long anything is waited for.
const patience = 60 * time.Second

// read waits until the file says what it was to say.
func read(t *testing.T, file string, enough func(figures map[string]int64) bool) map[string]int64 {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		figures := map[string]int64{}
		content, _ := os.ReadFile(file)
		for line := range strings.Lines(string(content)) {
			name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			number, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			figures[name] = number
		}
		if enough(figures) {
			return figures
		}
		if time.Now().After(deadline) {
			t.Fatalf("the file says %v", figures)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// TestAServerIsTheProcessThatWasStartedAndIsLookedAt: a program that does nothing but work uses CPU, is killed by the
// number of the process that was started, and nothing looks at it any more.
func TestAServerIsTheProcessThatWasStartedAndIsLookedAt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "folder", "usage")
	server := exec.CommandContext(t.Context(), os.Args[0])
	server.Env = append(os.Environ(), startFile+"="+file)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	working := func(figures map[string]int64) bool {
		return figures["cpu.user"] >= 100_000 && figures["memory.resident"] > 0
	}
	read(t, file, working)
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err == nil || server.ProcessState.ExitCode() != -1 {
		t.Errorf("the process ended with %v", server.ProcessState)
	}
	awaitRemoval(t, file)
}

// awaitRemoval waits until a file is no more, which tells that its writer has ended.
func awaitRemoval(t *testing.T, file string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		_, err := os.Stat(file)
		if os.IsNotExist(err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the file is there still (%v)", err)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestWhatAProcessUsesIsWrittenUntilItIsEnough(t *testing.T) {
	file := filepath.Join(t.TempDir(), "usage")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		mariadb.WriteUsage(ctx, os.Getpid(), file, slog.New(slog.DiscardHandler))
	}()
	got := read(t, file, func(figures map[string]int64) bool { return len(figures) >= 4 })
	cancel()
	<-ended
	if got["memory.resident"] < 1<<20 {
		t.Errorf("got %v", got)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) > 0 {
		t.Errorf("the folder still has %v (%v)", left, err)
	}
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	mariadb.WriteUsage(t.Context(), 1<<30, file, slog.New(slog.DiscardHandler))
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("of a process that has ended there is a file: %v", err)
	}
}

// TestAFileThatCannotBeWrittenIsSaidOnceAndWrittenAgain: its folder is missing, is there, is missing, and is there.
func TestAFileThatCannotBeWrittenIsSaidOnceAndWrittenAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "missing", "usage")
	ctx, cancel := context.WithCancel(t.Context())
	said := &lines{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		mariadb.WriteUsage(ctx, os.Getpid(), file, slog.New(slog.NewTextHandler(said, nil)))
	}()
	works := func(figures map[string]int64) bool { return len(figures) >= 4 }
	for failures := range 2 {
		for deadline := time.Now().Add(patience); len(said.all()) <= failures; <-time.After(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("nothing is said")
			}
		}
		if err := mariadb.UsageFolder(file); err != nil {
			t.Fatal(err)
		}
		read(t, file, works)
		if failures == 0 {
			// At once, since the writer does not stop for it.
			if err := os.Rename(filepath.Dir(file), filepath.Dir(file)+".gone"); err != nil {
				t.Fatal(err)
			}
		}
	}
	cancel()
	<-ended
	if got := said.all(); len(got) != 2 || !strings.Contains(got[0], "cannot be written") {
		t.Errorf("it says %q, want that twice", got)
	}
}

// lines are what a log was told.
type lines struct {
	mutex sync.Mutex
	told  []string
}

// Write takes one line.
func (l *lines) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.told = append(l.told, string(line))
	return len(line), nil
}

func (l *lines) all() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.told)
}
