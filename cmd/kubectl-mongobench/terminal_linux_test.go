package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/suite"
)

// begun is how a line that is overwritten begins.
const begun = "\r\x1b[K"

// columns of a terminal.
const columns = 100

// terminal opens a pseudo-terminal: what a program sees, and what its user sees.
func terminal(t *testing.T) (program *os.File, user *buffer) {
	t.Helper()
	outside, program, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = outside.Close() })
	resize(t, program, columns)
	t.Cleanup(func() { _ = program.Close() })
	user = &buffer{}
	go func() {
		read := make([]byte, 4096)
		for {
			count, err := outside.Read(read)
			_, _ = user.Write(read[:count])
			if err != nil {
				return
			}
		}
	}()
	return program, user
}

func TestATerminalIsOverwrittenAndHasASparkline(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for name, tc := range map[string]struct {
		noColor string
		colours bool
	}{
		"with colours":    {"", true},
		"without colours": {"1", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("NO_COLOR", tc.noColor)
			here := namespace(t)
			made := createRun(t, here, "shown")
			program, user := terminal(t)
			called := start(t.Context(), program, here, "watch", "shown")
			until(t, user, "for the operator")
			measuring(t, made, 40, 1000)
			until(t, user, "[########............]   40 %  1,000 ops/s  █")
			measuring(t, made, 80, 4000)
			until(t, user, "80 %  4,000 ops/s")
			until(t, user, "▂█")
			end(t, made, "True", "Completed", 37400)
			if code := called.wait(t); code != 0 {
				t.Fatalf("exit code %d: %s", code, called.errOut)
			}
			until(t, user, "run/shown: succeeded\r\n")
			shown, result, _ := strings.Cut(user.String(), "Result")
			// A blank line stands above what it came to.
			if strings.Count(shown, "\n") != 1 {
				t.Errorf("the line is not overwritten:\n%q", shown)
			}
			wantFitting(t, strings.Split(strings.TrimSpace(shown), begun), columns)
			if got := strings.Contains(result, "\x1b["); got != tc.colours {
				t.Errorf("colours: %t, want %t, in\n%q", got, tc.colours, result)
			}
		})
	}
}

func wantFitting(t *testing.T, lines []string, columns int) {
	t.Helper()
	for _, line := range lines {
		if len([]rune(line)) >= columns {
			t.Errorf("%q does not fit into %d columns", line, columns)
		}
	}
}

// resize is what the user does with the window.
func resize(t *testing.T, program *os.File, to uint16) {
	t.Helper()
	if err := pty.Setsize(program, &pty.Winsize{Rows: 24, Cols: to}); err != nil {
		t.Fatal(err)
	}
}

func TestRunOnATerminalHasABarForEachStage(t *testing.T) {
	t.Setenv("TERM", "xterm")
	here := namespace(t)
	program, user := terminal(t)
	called := start(t.Context(), program, here, "run", "-f", sample("standalone"))
	until(t, user, "run/standalone applied in namespace "+here+"\r\n")
	until(t, user, "Waiting       for the operator")
	made := &benchv1alpha1.BenchmarkRun{}
	made.Namespace, made.Name = here, "standalone"
	at := func(stage, step string, percent int32, rate int64) {
		tell(t, made, func() {
			made.Status.Conditions = set(made.Generation, [4]string{"Progressing", "True", stage, "step " + step},
				[4]string{"Succeeded", "Unknown", "NotEnded", ""})
			made.Status.Progress = &benchv1alpha1.Progress{Step: step, Percent: &percent, OperationsPerSecond: &rate}
		})
	}
	at("Loading", "load", 50, 94_000)
	until(t, user, "Loading       load  [##########..........]   50 %  94,000 documents/s  █")
	at("WarmingUp", "mixed", 10, 900)
	until(t, user, "WarmingUp     mixed  [##..................]   10 %  900 ops/s  █")
	at("Measuring", "mixed", 60, 3000)
	// The rates of documents and of the warm-up are not beside those of the measurement.
	until(t, user, "Measuring     mixed  [############........]   60 %  3,000 ops/s  █")
	at("Measuring", "mixed", 65, 1500)
	until(t, user, "█▄")
	end(t, made, "True", "Completed", 37400)
	if code := called.wait(t); code != 0 {
		t.Fatalf("exit code %d: %s", code, called.errOut)
	}
	until(t, user, "run/standalone: succeeded\r\n")
	if _, result, _ := strings.Cut(user.String(), "65 %"); !strings.Contains(result, begun+"\r\n") {
		t.Errorf("the line is not taken away before the result:\n%q", result)
	}
}

func TestASuiteOnATerminalHasABarOfTheStepUnderWay(t *testing.T) {
	t.Setenv("TERM", "xterm")
	here := namespace(t)
	program, user := terminal(t)
	called := start(t.Context(), program, here, "run", "-f", sample("suite"))
	until(t, user, "suite/index applied")
	made := &benchv1alpha1.BenchmarkSuite{}
	made.Namespace, made.Name = here, "index"
	under := createRun(t, here, "index-first")
	under.Labels = map[string]string{suite.Label: "index"}
	if err := environment.client.Update(t.Context(), under); err != nil {
		t.Fatal(err)
	}
	measuring(t, under, 10, 700)
	tell(t, made, func() {
		counts := func(number int32) *int32 { return &number }
		made.Status.Runs = &benchv1alpha1.RunCounts{
			Planned: counts(10), Active: counts(1), Succeeded: counts(3), Failed: counts(1), Untrusted: counts(0),
		}
	})
	until(t, user, "4/10 runs, 1 failed  index-first mixed  [##..................]   10 %  700 ops/s  █")
	endSuite(t, made, "AllSucceeded", [2]string{"False", "NoRegression"})
	if code := called.wait(t); code != 0 {
		t.Fatalf("exit code %d: %s", code, called.errOut)
	}
	until(t, user, "suite/index: succeeded, not regressed")
}

func TestATerminalThatIsMadeNarrowerStillHasOneLine(t *testing.T) {
	t.Setenv("TERM", "xterm")
	here := namespace(t)
	made := createRun(t, here, "shown")
	program, user := terminal(t)
	ctx, interrupt := context.WithCancel(t.Context())
	called := start(ctx, program, here, "watch", "shown")
	measuring(t, made, 40, 1000)
	until(t, user, "1,000 ops/s")
	// What does not fit in 80 columns has an ellipsis as well, but behind the bar.
	const narrow, first = 44, "[########.…"
	resize(t, program, narrow)
	until(t, user, first)
	measuring(t, made, 80, 2000)
	until(t, user, "[#########…")
	interrupt()
	if code := called.wait(t); code != exitInterrupted {
		t.Fatalf("exit code %d: %s", code, called.errOut)
	}
	// What the shell writes next begins on a clean line.
	_, _ = program.WriteString("$ ")
	until(t, user, begun+"$ ")
	_, since, _ := strings.Cut(user.String(), first)
	wantFitting(t, strings.Split(since, begun), narrow)
}

func TestATerminalOfLinesAloneIsNotOverwritten(t *testing.T) {
	t.Setenv("TERM", "dumb")
	here := namespace(t)
	made := createRun(t, here, "shown")
	program, user := terminal(t)
	called := start(t.Context(), program, here, "watch", "shown")
	until(t, user, "for the operator\r\n")
	measuring(t, made, 40, 1000)
	until(t, user, "Measuring     mixed   40 %  1,000 ops/s\r\n")
	end(t, made, "True", "Completed", 37400)
	if code := called.wait(t); code != 0 {
		t.Fatalf("exit code %d: %s", code, called.errOut)
	}
	until(t, user, "run/shown: succeeded\r\n")
	if strings.Contains(user.String(), "\x1b") {
		t.Errorf("there are controls in what a terminal without any got:\n%q", user)
	}
}
