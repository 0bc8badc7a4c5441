package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// asProgram makes the test binary be the program, so that signals and exit codes are the real ones.
const asProgram = "LOADGEN_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(mongotest.Main(m))
}

// program is the command line of a process that a test may start; it ends with the test.
func program(t *testing.T, arguments ...string) (command *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	command = exec.CommandContext(t.Context(), os.Args[0], arguments...)
	command.Env = append(os.Environ(), asProgram+"=1")
	command.Stdout, command.Stderr = stdout, stderr
	return command, stdout, stderr
}

func exitCodeOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return exit.ExitCode()
}

func TestRunByHandWritesTheResultInEveryForm(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			folder := filepath.Join(t.TempDir(), "results")
			command, stdout, stderr := program(t, "run", "-f", "testdata/run.yaml", "--uri", server.URI(), "-o", folder)
			if code := exitCodeOf(t, command.Run()); code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			for _, want := range []string{
				"MongoDB " + version, "2,000 documents", "Step mixed: 2 threads", "p99.9", "Trusted:",
			} {
				if !strings.Contains(stdout.String(), want) {
					t.Errorf("the table lacks %q:\n%s", want, stdout)
				}
			}
			if !strings.Contains(stderr.String(), "step 4/4 mixed") {
				t.Errorf("no progress was shown: %q", stderr)
			}
			checkResults(t, folder, stdout.String())
		})
	}
}

// checkResults looks at the files of a run.
func checkResults(t *testing.T, folder, table string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "report.txt"))
	if err != nil || string(text) != table {
		t.Errorf("report.txt is another text than the table, or %v", err)
	}
	lines, err := os.ReadFile(filepath.Join(folder, "report.csv"))
	if err != nil || strings.Count(string(lines), "\n") != 5 {
		t.Errorf("report.csv is %q, %v; want a head, the load, two operations and their sum", lines, err)
	}
	content, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil || !json.Valid(content) {
		t.Errorf("report.json is no JSON, %v", err)
	}
	plot, err := os.ReadFile(filepath.Join(folder, "mixed.read.hgrm"))
	if err != nil || !strings.Contains(string(plot), "#[Max") {
		t.Errorf("mixed.read.hgrm is %q, %v; want a distribution", plot, err)
	}
}

// longTime is for how long a run measures that does not come to its end.
const longTime = 10 * time.Minute

// longRun is the file of such a run.
func longRun(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("testdata/run.yaml")
	if err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), "long.yaml")
	seconds := fmt.Appendf(nil, "durationSeconds: %d", int(longTime.Seconds()))
	content = bytes.Replace(content, []byte("durationSeconds: 1"), seconds, 1)
	if err := os.WriteFile(long, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return long
}

func TestASignalLeavesWhatWasMeasured(t *testing.T) {
	long := longRun(t)
	server := mongotest.Shared(t, mongotest.Versions()[1])
	for name, tc := range map[string]struct {
		signal   syscall.Signal
		wantCode int
	}{
		"a key pressed":           {syscall.SIGINT, 130},
		"Kubernetes ends the pod": {syscall.SIGTERM, 143},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			command, stdout, _ := program(t, "run", "-f", long, "--uri", server.URI(), "-o", folder)
			code, said := signalWhileMeasuring(t, command, tc.signal)
			if code != tc.wantCode || !strings.Contains(said, "stopped by signal") {
				t.Errorf("exit code %d, want %d and a word about the signal: %s", code, tc.wantCode, said)
			}
			checkCut(t, folder, stdout.String())
		})
	}
}

// checkCut looks at what a run left whose long step was cut.
func checkCut(t *testing.T, folder, table string) {
	t.Helper()
	for _, want := range []string{
		"Step mixed: 2 threads", "Trusted: no", `Partial: the plan was not followed to its end: step "mixed" was cut after`,
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	checkResults(t, folder, table)
	partial := readReport(t, folder).Partial
	planned := longTime.Milliseconds()
	if partial == nil || partial.Cause != reportv1.PartialInterrupted || partial.PlannedMillis != planned ||
		partial.MeasuredMillis <= 0 || partial.MeasuredMillis >= planned {
		t.Errorf("partial is %+v, want a step of %s that was cut", partial, longTime)
	}
}

// readReport reads the report out of the JSON that a run left.
func readReport(t *testing.T, folder string) reportv1.Report {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Report reportv1.Report `json:"report"`
	}
	if err := json.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	return document.Report
}

func TestAnOutageLeavesWhatWasMeasured(t *testing.T) {
	t.Parallel()
	// It takes the minute that a worker is patient; a server of its own is killed.
	server := mongotest.Start(t, mongotest.Versions()[1])
	long := longRun(t)
	folder := t.TempDir()
	command, _, _ := program(t, "run", "-f", long, "--uri", server.URI(), "-o", folder)
	stderr := startMeasured(t, command)
	_ = readUntil(t, stderr, " ops/s")
	server.Stop()
	var rest bytes.Buffer
	_, _ = rest.ReadFrom(stderr)
	if code := exitCodeOf(t, command.Wait()); code != 3 {
		t.Errorf("exit code %d, want 3: %s", code, &rest)
	}
	report := readReport(t, folder)
	if report.Partial == nil || report.Partial.Cause != reportv1.PartialOutage {
		t.Fatalf("partial is %+v, want an outage", report.Partial)
	}
	var succeeded, failed int64
	for _, operation := range report.Steps[len(report.Steps)-1].Operations {
		succeeded, failed = succeeded+operation.Count, failed+operation.Errors
	}
	if succeeded == 0 || failed == 0 {
		t.Errorf("%d operations succeeded and %d failed, want some from before the outage and some of it", succeeded, failed)
	}
}

// startMeasured starts a run, and returns what it says.
func startMeasured(t *testing.T, command *exec.Cmd) io.Reader {
	t.Helper()
	command.Stderr = nil
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return stderr
}

// signalWhileMeasuring starts a run, sends it a signal once it measures, and returns its exit code and what it said.
func signalWhileMeasuring(t *testing.T, command *exec.Cmd, signal syscall.Signal) (code int, said string) {
	t.Helper()
	stderr := startMeasured(t, command)
	said = readUntil(t, stderr, " ops/s")
	signalled := time.Now()
	if err := command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	var rest bytes.Buffer
	_, _ = rest.ReadFrom(stderr)
	code = exitCodeOf(t, command.Wait())
	if took := time.Since(signalled); took > 5*time.Second {
		t.Errorf("it took %s to stop, want at most 5s", took)
	}
	return code, said + rest.String()
}

// readUntil reads until a text was seen; the pipe's end, which comes with the process's, bounds the wait.
func readUntil(t *testing.T, from interface {
	Read(into []byte) (int, error)
}, text string,
) string {
	t.Helper()
	var said strings.Builder
	buffer := make([]byte, 1024)
	for !strings.Contains(said.String(), text) {
		n, err := from.Read(buffer)
		said.Write(buffer[:n])
		if err != nil {
			t.Fatalf("it ended before it said %q: %s", text, &said)
		}
	}
	return said.String()
}

func TestErrorsSayWhatAndWhere(t *testing.T) {
	folder := t.TempDir()
	content, err := os.ReadFile("testdata/run.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, old, replacement string) string {
		path := filepath.Join(folder, name)
		changed := strings.Replace(string(content), old, replacement, 1)
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const uri = "mongodb://127.0.0.1:1"
	for name, tc := range map[string]struct {
		arguments []string
		want      string
	}{
		"a field that is not known": {
			[]string{"run", "-f", write("a.yaml", "threads: 2\n      op", "threat: 2\n      op"), "--uri", uri},
			`spec.workload.steps[0].threat: Forbidden: is not known`,
		},
		"a parameter that is not declared": {
			[]string{"run", "-f", write("b.yaml", "{$key: _id}", "{$param: other}"), "--uri", uri},
			"spec.workload.steps[0].operations[0].filter",
		},
		"a step without an end": {
			[]string{"run", "-f", write("e.yaml", "durationSeconds: 1\n", "\n"), "--uri", uri},
			"spec.workload.steps[0].durationSeconds: Invalid value: " +
				"exactly one of durationSeconds and operationCount must be set",
		},
		"a kind of operation that there is not": {
			[]string{"run", "-f", write("f.yaml", "kind: FindOne", "kind: FindSome"), "--uri", uri},
			`spec.workload.steps[0].operations[0].kind: Unsupported value: "FindSome"`,
		},
		"a file without a run": {
			[]string{"run", "-f", write("c.yaml", "kind: BenchmarkRun", "kind: Other"), "--uri", uri},
			"there is no BenchmarkRun in it",
		},
		"another version of the API": {
			[]string{"run", "-f", write("d.yaml", "mongobench.dev/v1alpha1", "mongobench.dev/v9"), "--uri", uri},
			`apiVersion: Unsupported value: "mongobench.dev/v9"`,
		},
		"a password on the command line": {
			[]string{"run", "-f", "testdata/run.yaml", "--uri", "mongodb://name:secret@127.0.0.1:1"},
			"--uri must not hold a password",
		},
		"no server": {
			[]string{"run", "-f", "testdata/run.yaml", "--uri", uri, "--selection-timeout", "300ms"},
			"no server at 127.0.0.1:1 answered within 300ms",
		},
		"neither file nor plan": {
			[]string{"run", "--uri", uri}, "at least one of the flags in the group [filename plan preset] is required",
		},
		"a plan outside of a pod": {
			[]string{
				"run", "--plan", "missing.json", "--uri", uri, "--gate-configmap", "g", "--pod-configmap-prefix", "p-",
				"--report-configmap", "r", "--collected-configmap", "c",
			},
			"reading the plan",
		},
	} {
		t.Run(name, func(t *testing.T) {
			command, stdout, stderr := program(t, tc.arguments...)
			if code := exitCodeOf(t, command.Run()); code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			if !strings.Contains(stderr.String(), tc.want) || strings.Contains(stderr.String(), "secret") {
				t.Errorf("it said %q, want %q and no password", stderr, tc.want)
			}
			if stdout.Len() != 0 {
				t.Errorf("it wrote %q where results go", stdout)
			}
		})
	}
}

func TestKeyfileHasTheModeThatMongodInsistsOn(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "from"), filepath.Join(folder, "to")
	if err := os.WriteFile(from, []byte("c2VjcmV0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		command, _, stderr := program(t, "keyfile", "--from", from, "--to", to)
		if code := exitCodeOf(t, command.Run()); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
	}
	content, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(to)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o400 || string(content) != "c2VjcmV0\n" {
		t.Errorf("mode %s and content %q, want -r-------- and the same content", info.Mode(), content)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".making-*")); len(left) != 0 {
		t.Errorf("files %v were left behind", left)
	}
}

func TestCertificateAndKeyComeToLieInOneFile(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{"tls.crt": "certificate", "tls.key": "key\n", "ca.crt": "authority\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pem := filepath.Join(t.TempDir(), "server.pem")
	for range 2 {
		command, _, stderr := program(t, "keyfile", "--certificate", folder, "--pem", pem)
		if code := exitCodeOf(t, command.Run()); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
	}
	content, err := os.ReadFile(pem)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(pem)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o400 || string(content) != "certificate\nkey\n" {
		t.Errorf("mode %s and content %q, want -r-------- with the certificate and its key", info.Mode(), content)
	}
	command, _, stderr := program(t, "keyfile")
	if code := exitCodeOf(t, command.Run()); code != 1 || !strings.Contains(stderr.String(), "certificate") {
		t.Errorf("with nothing to make: exit code %d, %s", code, stderr)
	}
}

func TestTerminationMessageIsWrittenOnlyWhereKubernetesWantsIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "termination-log")
	writeTerminationMessage(path, "lost")
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made where there was none")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	writeTerminationMessage(path, strings.Repeat("x", 10_000))
	if content, err := os.ReadFile(path); err != nil || len(content) != maxTerminationMessage {
		t.Errorf("%d bytes were written, %v; want %d", len(content), err, maxTerminationMessage)
	}
}

func TestPodIndex(t *testing.T) {
	for name, tc := range map[string]struct {
		variable string
		pods     int
		want     int
		wantErr  bool
	}{
		"the index of an Indexed Job": {"2", 3, 2, false},
		"one pod alone needs none":    {"", 1, 0, false},
		"several pods need one":       {"", 2, 0, true},
		"one beyond the plan":         {"3", 3, 0, true},
		"no number":                   {"two", 3, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(indexVariable, tc.variable)
			got, err := podIndex(tc.pods)
			if got != tc.want || (err != nil) != tc.wantErr {
				t.Errorf("index %d, %v; want %d, error: %t", got, err, tc.want, tc.wantErr)
			}
		})
	}
}
