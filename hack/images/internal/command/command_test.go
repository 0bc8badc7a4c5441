package command

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFailureSaysWhatTheProgramPrinted(t *testing.T) {
	_, err := Command{Args: []string{"sh", "-c", "echo the cause >&2; exit 3"}}.Output(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the cause") {
		t.Errorf("error is %v", err)
	}
}

func TestOutputRunsInTheFolderWithTheEnvironment(t *testing.T) {
	folder := t.TempDir()
	got, err := Command{Args: []string{"sh", "-c", "pwd; echo $WORD"}, Folder: folder, Env: []string{"WORD=w"}}.
		Output(t.Context())
	if want := folder + "\nw\n"; err != nil || got != want {
		t.Errorf("output is %q (%v), want %q", got, err, want)
	}
}

func TestDeadlineIsNamedAsTheCause(t *testing.T) {
	cause := errors.New("took over a moment")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, cause)
	defer cancel()
	if _, err := (Command{Args: []string{"sleep", "30"}}).Output(ctx); !errors.Is(err, cause) {
		t.Errorf("error is %v, want it to wrap %v", err, cause)
	}
}

func TestLongErrorsKeepTheirEnd(t *testing.T) {
	got := tail(strings.Repeat("x", 3*tailBytes) + "end\n")
	if len(got) > tailBytes+10 || !strings.HasSuffix(got, "end") {
		t.Errorf("tail has %d bytes and ends in %q", len(got), got[len(got)-5:])
	}
}
