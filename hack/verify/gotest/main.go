package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func main() {
	code, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
	}
	os.Exit(code)
}

// openFailures opens the file that failures are added to; without a name they go nowhere.
func openFailures(name string) (io.WriteCloser, error) {
	if name == "" {
		name = os.DevNull
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("GOTEST_FAILURES: %w", err)
	}
	return file, nil
}

// run returns the exit code: that of go test, and 1 when the only fault is a skip that should not have been.
func run(args []string, out io.Writer) (int, error) {
	folder := "."
	if len(args) > 1 && args[0] == "-C" {
		folder, args = args[1], args[2:]
	}
	cmd := exec.CommandContext(context.Background(), "go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir = folder
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 1, fmt.Errorf("connecting to go test: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return 1, fmt.Errorf("starting go test in %s: %w", folder, err)
	}
	// The tests are told by the same signal and clean up; this program must live on to pass on what they say.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)

	failures, err := openFailures(os.Getenv("GOTEST_FAILURES"))
	if err != nil {
		return 1, errors.Join(err, cmd.Wait())
	}
	skips, err := follow(stdout, out, failures)
	if err = errors.Join(err, failures.Close()); err != nil {
		return 1, errors.Join(err, cmd.Wait())
	}
	if err := cmd.Wait(); err != nil {
		tellSkips(out, skips, probe)
		return max(cmd.ProcessState.ExitCode(), 1), fmt.Errorf("go test in %s failed: %w", folder, err)
	}
	if unexcused := tellSkips(out, skips, probe); unexcused > 0 && os.Getenv("CI") == "true" {
		return 1, fmt.Errorf("%d tests were skipped that this machine can run; make the skip's cause go away, "+
			"or say \"needs root\", \"needs docker\" or \"needs mongos\" in its reason", unexcused)
	}
	return 0, nil
}
