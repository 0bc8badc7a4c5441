package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/result"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// startGateway starts a gateway, and returns its address and what ends it with a signal.
func startGateway(t *testing.T, run, secretFile string, uris ...string) (address string, end func()) {
	t.Helper()
	secret := []string{"--listen", "127.0.0.1:0", "--secret-file", secretFile}
	command, _, stderr := program(t, slices.Concat([]string{"gateway", "-f", run}, secret, given(uris))...)
	command.Stdout = nil
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		if code := exitCodeOf(t, command.Wait()); code != 0 {
			t.Errorf("the gateway ended with %d: %s", code, stderr)
		}
	}
	return regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(readUntil(t, stdout, "\n")), end
}

// given are the connection strings of one deployment, or of shards, as a command line has them.
func given(uris []string) []string {
	arguments := make([]string, 0, 2*len(uris))
	for _, uri := range uris {
		arguments = append(arguments, "--uri", uri)
	}
	return arguments
}

// A load through two gateways leaves the same documents as one without, comes upon the same ones, and says how long the
// database took of what the service did.
func TestALoadGoesThroughGateways(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	target := looker(t, server)
	run := goesThrough(t)
	follow := func(run string, arguments ...string) reportv1.Report {
		folder := filepath.Join(t.TempDir(), "results")
		arguments = append([]string{"run", "-f", run, "--uri", server.URI(), "-o", folder}, arguments...)
		command, stdout, stderr := program(t, arguments...)
		if code := exitCodeOf(t, command.Run()); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		if len(arguments) > 7 {
			wantAll(t, stdout.String(), "gateway by ", "database", "in each of 2 gateways")
		}
		return readReport(t, folder)
	}
	direct := follow("testdata/shared.yaml")
	want := hash(t, target, "shared")

	secret := secretFile(t, "what both sides know")
	first, end := startGateway(t, run, secret, server.URI())
	defer end()
	second, end := startGateway(t, run, secret, server.URI())
	defer end()
	report := follow(run, "--gateway", first, "--gateway", second, "--gateway-secret-file", secret)
	if got := hash(t, target, "through"); got != want {
		t.Errorf("through gateways other documents were left: %s, want %s", got, want)
	}
	if diff := cmp.Diff(counted(direct), counted(report)); diff != "" {
		t.Errorf("the operations without a gateway and through two (-want +got):\n%s", diff)
	}
	checkThrough(t, report)
}

// TestAGatewayRoutesToShards in place of the load generator, which finds all documents as it does by itself.
func TestAGatewayRoutesToShards(t *testing.T) {
	first := mongotest.SharedAs(t, "shard0", mongotest.Newest()).URI()
	second := mongotest.SharedAs(t, "shard1", mongotest.Newest()).URI()
	seen := make([]map[string][4]int64, 0, 2)
	for _, way := range []string{"", ", through: Gateway, gateway: {poolSize: 3}"} {
		run := rewritten(t, "{pods: 4}", "{client: Wire"+way+"}", "documentCount: 2000",
			"documentCount: 2000\n      sharding: {key: [{field: _id, type: Hashed}]}")
		folder := filepath.Join(t.TempDir(), "results")
		arguments := []string{"run", "-f", run, "--uri", first, "--uri", second, "-o", folder}
		if way != "" {
			secret := secretFile(t, "what both sides know")
			address, end := startGateway(t, run, secret, first, second)
			defer end()
			arguments = append(arguments, "--gateway", address, "--gateway-secret-file", secret)
		}
		command, _, stderr := program(t, arguments...)
		if code := exitCodeOf(t, command.Run()); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		report := readReport(t, folder)
		seen = append(seen, counted(report))
		client, through := report.Steps[len(report.Steps)-1].Client, way != ""
		if !strings.Contains(client, "routed by the client") || strings.HasPrefix(client, "gateway by ") != through {
			t.Errorf("through a gateway is %t, and it was sent by %q", through, client)
		}
	}
	if diff := cmp.Diff(seen[0], seen[1]); diff != "" {
		t.Errorf("the operations without a gateway and through one (-want +got):\n%s", diff)
	}
}

// checkThrough checks what a result says of the gateways, and of the database behind them.
func checkThrough(t *testing.T, report reportv1.Report) {
	t.Helper()
	summary, err := result.Summarise(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range summary.Steps[0].Operations {
		database := operation.DatabaseTime
		if database == nil || database.Timed != operation.Count || database.MeanMicros >= operation.MeanMicros {
			t.Errorf("operation %s took %+v, and the database %+v of it", operation.Name, operation.TimesSummary, database)
		}
	}
	for _, seen := range summary.Steps[0].Gateways {
		if seen.Lost || seen.Requests < 1 || seen.PoolSize != 3 || seen.DatabaseMicros > seen.RequestMicros {
			t.Errorf("a gateway says %+v", seen)
		}
	}
}

// goesThrough is the file of a run like that of testdata/shared.yaml, through a gateway.
func goesThrough(t *testing.T) string {
	t.Helper()
	return rewritten(t, "{pods: 4}", "{pods: 4, through: Gateway, gateway: {poolSize: 3}}",
		"database: shared", "database: through")
}

// rewritten is the file of a run like that of testdata/shared.yaml, with some texts replaced.
func rewritten(t *testing.T, oldAndNew ...string) string {
	t.Helper()
	content, err := os.ReadFile("testdata/shared.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.yaml")
	changed := strings.NewReplacer(oldAndNew...).Replace(string(content))
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAGatewaySaysWhatIsWrong(t *testing.T) {
	run, direct, uri := goesThrough(t), "testdata/shared.yaml", mongotest.Shared(t, mongotest.Newest()).URI()
	for name, tc := range map[string]struct {
		arguments []string
		want      string
	}{
		"for others without a secret": {
			[]string{"gateway", "-f", run, "--uri", uri, "--listen", ":7080"}, "give --secret-file",
		},
		"no secret": {
			[]string{"gateway", "-f", run, "--uri", uri, "--secret-file", secretFile(t, " \n")}, "it is empty",
		},
		"a run that goes straight to its target": {
			[]string{"gateway", "-f", direct, "--uri", uri}, "write spec.loadGenerator.through: Gateway",
		},
		"such a run, sent through one": {
			[]string{"run", "-f", direct, "--uri", uri, "--gateway", "http://127.0.0.1:1"}, "through: Gateway",
		},
		"a run that misses its gateway": {[]string{"run", "-f", run, "--uri", uri}, "name it by --gateway"},
		"MariaDB": {
			[]string{"gateway", "-f", run, "--uri", "mysql://127.0.0.1:1"}, "this is for MongoDB",
		},
	} {
		t.Run(name, func(t *testing.T) {
			command, _, stderr := program(t, tc.arguments...)
			if code := exitCodeOf(t, command.Run()); code != 1 || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("exit code %d: %s, want %q", code, stderr, tc.want)
			}
		})
	}
}
