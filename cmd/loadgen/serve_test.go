package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// served is a loadgen serve at work.
type served struct {
	command       *exec.Cmd
	token, folder string
	address       string
	stdout        *bytes.Buffer
	// said is what it said until it listened, and rest what it says from then on; read it after wait.
	said string
	rest *bytes.Buffer
	done chan struct{}
}

// serve starts a host, and returns once machines may join.
func serve(t *testing.T, arguments ...string) *served {
	t.Helper()
	folder := t.TempDir()
	s := &served{
		token: filepath.Join(folder, "join.token"), folder: filepath.Join(folder, "results"),
		rest: &bytes.Buffer{}, done: make(chan struct{}),
	}
	arguments = append([]string{
		"serve", "--listen", "127.0.0.1:0", "--token-file", s.token, "-o", s.folder,
	}, arguments...)
	s.command, s.stdout, _ = program(t, arguments...)
	stderr := startMeasured(t, s.command)
	s.said = readUntil(t, stderr, "mongodb://HOST:PORT")
	s.address = regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(s.said)
	go func() {
		defer close(s.done)
		_, _ = io.Copy(s.rest, stderr)
	}()
	return s
}

// wait returns the exit code of a host, and what it said.
func (s *served) wait(t *testing.T) (code int, said string) {
	t.Helper()
	<-s.done
	return exitCodeOf(t, s.command.Wait()), s.said + s.rest.String()
}

// join is the command line of a machine that joins.
func (s *served) join(t *testing.T, token, uri string) (command *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	command, _, stderr = program(t, "join", s.address, "--token-file", token, "--uri", uri)
	return command, stderr
}

// hash is what a server says that a database holds, to the byte.
func hash(t *testing.T, target *mongo.Target, database string) string {
	t.Helper()
	servers, err := target.Servers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, server := range servers {
			server.Close()
		}
	}()
	asked, able := servers[0].(observe.Commander)
	if !able {
		t.Fatal("the server takes no commands")
	}
	parsed, err := extjson.Parse(`{"dbHash": 1, "collections": ["events"]}`)
	if err != nil {
		t.Fatal(err)
	}
	command, err := extjson.Encode(parsed)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := asked.Ask(t.Context(), database, command.Document())
	if err != nil {
		t.Fatal(err)
	}
	return reply.Lookup("md5").StringValue()
}

// counted are the operations of the last step by their names, with what they came upon.
func counted(report reportv1.Report) map[string][4]int64 {
	counts := map[string][4]int64{}
	for _, operation := range report.Steps[len(report.Steps)-1].Operations {
		counts[operation.Name] = [4]int64{
			operation.Count, operation.Errors, operation.Documents, operation.Empty,
		}
	}
	return counts
}

// One process with eight threads, and four machines with two threads each, leave the same documents.
func TestMachinesShareARunAsOneProcessMakesIt(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	target := looker(t, server)
	alone := filepath.Join(t.TempDir(), "results")
	command, _, stderr := program(t, "run", "-f", "testdata/shared.yaml", "--uri", server.URI(), "-o", alone)
	if code := exitCodeOf(t, command.Run()); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	want := hash(t, target, "shared")

	host := serve(t, "-f", "testdata/shared.yaml")
	machines := make([]*exec.Cmd, 0, 4)
	for range cap(machines) {
		machine, _ := host.join(t, host.token, server.URI())
		if err := machine.Start(); err != nil {
			t.Fatal(err)
		}
		machines = append(machines, machine)
	}
	for pod, machine := range machines {
		if code := exitCodeOf(t, machine.Wait()); code != 0 {
			t.Errorf("machine %d ended with %d: %s", pod, code, machine.Stderr)
		}
	}
	code, said := host.wait(t)
	if code != 0 {
		t.Fatalf("the host ended with %d: %s", code, said)
	}
	if got := hash(t, target, "shared"); got != want {
		t.Errorf("four machines left other documents than one process: %s, want %s", got, want)
	}
	wantAll(t, host.stdout.String(), "4 pods", "2,000 documents", "Step mixed: 8 threads", "Trusted:")
	merged := readReport(t, host.folder)
	if diff := cmp.Diff(counted(readReport(t, alone)), counted(merged)); diff != "" || merged.Pods != 4 {
		t.Errorf("of %d pods, the operations of one process and of these (-want +got):\n%s", merged.Pods, diff)
	}
	if _, err := os.Stat(host.token); err == nil {
		t.Error("the token of a run that is over is still there")
	}
}

func TestOnlyWhoHasTheTokenJoins(t *testing.T) {
	host := serve(t, "-f", "testdata/shared.yaml", "--pods", "1")
	content, err := os.ReadFile(host.token)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(host.token)
	if err != nil || info.Mode() != tokenMode {
		t.Errorf("the token's mode is %v, %v; want it to be for its owner alone", info.Mode(), err)
	}
	parts := strings.Split(strings.TrimSpace(string(content)), ".")
	write := func(token string) string {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tc := range map[string]struct{ token, want string }{
		"another secret": {
			"loadgen." + strings.Repeat("A", len(parts[1])) + "." + parts[2], "the secret of the token is not the one",
		},
		"the key of another host": {
			"loadgen." + parts[1] + "." + strings.Repeat("0", len(parts[2])), "its key is not the one",
		},
		"no token": {"hush", "it holds no token"},
	} {
		t.Run(name, func(t *testing.T) {
			machine, stderr := host.join(t, write(tc.token), "mongodb://127.0.0.1:1")
			if code := exitCodeOf(t, machine.Run()); code != 1 || !strings.Contains(stderr.String(), tc.want) ||
				strings.Contains(stderr.String(), parts[1]) || strings.Contains(stderr.String(), "hush") {
				t.Errorf("exit code %d and %q, want 1, %q and no secret", code, stderr, tc.want)
			}
		})
	}
}

func TestAMachineWithoutADatabaseGivesItsPlaceBack(t *testing.T) {
	host := serve(t, "-f", "testdata/shared.yaml", "--pods", "1")
	machine, stderr := host.join(t, host.token, "mongodb://127.0.0.1:1")
	machine.Args = append(machine.Args, "--selection-timeout", "300ms")
	if code := exitCodeOf(t, machine.Run()); code != 1 || !strings.Contains(stderr.String(), "no server at") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	server := mongotest.Shared(t, mongotest.Newest())
	machine, stderr = host.join(t, host.token, server.URI())
	if code := exitCodeOf(t, machine.Run()); code != 0 {
		t.Errorf("who has the token ended with %d: %s", code, stderr)
	}
	if code, said := host.wait(t); code != 0 || !strings.Contains(said, "no server at 127.0.0.1:1") {
		t.Errorf("the host ended with %d, and said %s", code, said)
	}
}

func TestALostMachineEndsTheRunAndIsNamed(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	host := serve(t, "-f", longRun(t), "--pods", "2")
	lost, _ := host.join(t, host.token, server.URI())
	said := startMeasured(t, lost)
	other, stderr := host.join(t, host.token, server.URI())
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	readUntil(t, said, " ops/s")
	if err := lost.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = lost.Wait()
	if code := exitCodeOf(t, other.Wait()); code != 3 || !strings.Contains(stderr.String(), "was lost") {
		t.Errorf("the other machine ended with %d: %s", code, stderr)
	}
	code, told := host.wait(t)
	partial := readReport(t, host.folder).Partial
	if code != 3 || partial == nil || len(partial.MissingPods) != 1 {
		t.Fatalf("the host ended with %d and %+v, and said %s", code, partial, told)
	}
	named := fmt.Sprintf("(pod %d) was lost: its connection ended", partial.MissingPods[0])
	wantAll(t, told, named)
	wantAll(t, partial.Message, named)
	wantAll(t, host.stdout.String(), "Trusted: no", "Partial:")
}

func TestASignalToTheHostLeavesWhatAllHaveMeasured(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	host := serve(t, "-f", longRun(t), "--pods", "2")
	first, _ := host.join(t, host.token, server.URI())
	said := startMeasured(t, first)
	second, stderr := host.join(t, host.token, server.URI())
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	readUntil(t, said, " ops/s")
	if err := host.command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, said); err != nil {
		t.Error(err)
	}
	_ = first.Wait()
	if code := exitCodeOf(t, second.Wait()); code != 3 || !strings.Contains(stderr.String(), "the run was stopped") {
		t.Errorf("a machine ended with %d: %s", code, stderr)
	}
	if code, told := host.wait(t); code != 130 {
		t.Errorf("the host ended with %d, and said %s", code, told)
	}
	report := readReport(t, host.folder)
	if report.Pods != 2 || report.Partial == nil || len(report.Partial.MissingPods) > 0 {
		t.Errorf("a report of %d pods with %+v", report.Pods, report.Partial)
	}
}

// What docs/how-to/by-hand.md says to type is what is typed here, but for the addresses.
func TestThePageOnSeveralMachines(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/by-hand.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for _, line := range regexp.MustCompile(`(?m)^loadgen (serve|join) .*$`).FindAllString(string(page), -1) {
		words := strings.Fields(line)
		lines[words[1]] = words[1:]
	}
	content, err := os.ReadFile("testdata/shared.yaml")
	if err != nil {
		t.Fatal(err)
	}
	folder, server := t.TempDir(), mongotest.Shared(t, mongotest.Newest())
	if err := os.WriteFile(filepath.Join(folder, "run.yaml"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	host, stdout, _ := program(t, append(lines["serve"], "--listen", "127.0.0.1:0")...)
	host.Dir = folder
	stderr := startMeasured(t, host)
	said := readUntil(t, stderr, "mongodb://HOST:PORT")
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	address := strings.NewReplacer("load-1.example:7433", regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(said),
		"mongodb://db.example", server.URI())
	machines := make([]*exec.Cmd, 0, 3)
	for range cap(machines) {
		arguments := make([]string, 0, len(lines["join"]))
		for _, word := range lines["join"] {
			arguments = append(arguments, address.Replace(word))
		}
		machine, _, _ := program(t, arguments...)
		machine.Dir = folder
		if err := machine.Start(); err != nil {
			t.Fatal(err)
		}
		machines = append(machines, machine)
	}
	for _, machine := range machines {
		if code := exitCodeOf(t, machine.Wait()); code != 0 {
			t.Errorf("a machine ended with %d: %s", code, machine.Stderr)
		}
	}
	if code := exitCodeOf(t, host.Wait()); code != 0 {
		t.Errorf("the host ended with %d", code)
	}
	wantAll(t, stdout.String(), "3 pods", "2,000 documents")
	if report := readReport(t, filepath.Join(folder, "results")); report.Pods != 3 {
		t.Errorf("the report is of %d pods", report.Pods)
	}
}

func TestServeSaysWhatItCannotDo(t *testing.T) {
	folder := t.TempDir()
	notes := filepath.Join(folder, "notes")
	if err := os.WriteFile(notes, []byte("not to be lost"), 0o600); err != nil {
		t.Fatal(err)
	}
	duet := filepath.Join(folder, "duet.yaml")
	content, err := os.ReadFile("testdata/run.yaml")
	if err != nil {
		t.Fatal(err)
	}
	content = append(content, []byte("  duet:\n    baseline: {name: old, targetRef: {name: old}}\n"+
		"    thresholds: [{metric: P99Micros, minEffectPercent: 20}]\n")...)
	if err := os.WriteFile(duet, content, 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(folder, "token")
	for name, tc := range map[string]struct {
		arguments []string
		want      string
	}{
		"a file that is no token": {
			[]string{"-f", "testdata/shared.yaml", "--token-file", notes}, "there is a file that is no token",
		},
		"a duet":           {[]string{"-f", duet, "--token-file", fresh}, "use loadgen run"},
		"less than no pod": {[]string{"-f", "testdata/shared.yaml", "--pods", "-1", "--token-file", fresh}, "--pods is -1"},
		"more pods than threads": {
			[]string{"-f", "testdata/shared.yaml", "--pods", "9", "--token-file", fresh}, "spec.",
		},
		"nobody who joins": {
			[]string{"-f", "testdata/shared.yaml", "--token-file", fresh, "--join-timeout", "50ms"},
			"4 of 4 machines had not joined within 50ms",
		},
	} {
		t.Run(name, func(t *testing.T) {
			command, _, stderr := program(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, tc.arguments...)...)
			if code := exitCodeOf(t, command.Run()); code != 1 || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("exit code %d and %q, want 1 and %q", code, stderr, tc.want)
			}
		})
	}
	if kept, err := os.ReadFile(notes); err != nil || string(kept) != "not to be lost" {
		t.Errorf("the file holds %q, %v", kept, err)
	}
}
