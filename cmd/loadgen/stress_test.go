package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/internal/spec/stress"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// short are the flags of a line that takes a second.
var short = []string{"--threads", "2", "--duration", "1s", "--warmup", "0s", "--records", "500"}

// looker looks into a server beside the program.
func looker(t *testing.T, server *mongotest.Server) *mongo.Target {
	t.Helper()
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{server.URI()}, Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeTarget(t.Context(), target) })
	return target
}

// wantHeld says which collections a database is to hold, but for that of its mark.
func wantHeld(t *testing.T, target *mongo.Target, database string, want ...string) {
	t.Helper()
	held, err := target.Holds(t.Context(), database)
	if err != nil || !slices.Equal(held, want) {
		t.Errorf("database %s holds %v, want %v; %v", database, held, want, err)
	}
}

// stressed runs a line, and returns what it says.
func stressed(t *testing.T, wantCode int, arguments ...string) (stdout, stderr string) {
	t.Helper()
	command, out, said := program(t, append([]string{"stress"}, arguments...)...)
	if code := exitCodeOf(t, command.Run()); code != wantCode {
		t.Fatalf("exit code %d, want %d: %s", code, wantCode, said)
	}
	return out.String(), said.String()
}

func wantAll(t *testing.T, said string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(said, want) {
			t.Errorf("it lacks %q:\n%s", want, said)
		}
	}
}

func TestStressMeasuresByOneLineAndLeavesNothing(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := mongotest.Shared(t, version)
			target := looker(t, server)
			arguments := slices.Concat([]string{server.URI(), "--inserts", "60", "--reads", "40"}, short)
			table, said := stressed(t, 0, arguments...)
			wantAll(t, table,
				"500 documents", "Step stress: 2 threads", "insert     InsertOne", "read       FindOne", "Trusted:")
			wantAll(t, said, "step 4/4 stress", `dropped what was made in database "mongobench_stress"`)
			if strings.Contains(table, "UpdateOne") {
				t.Errorf("a line with shares has others, too:\n%s", table)
			}
			wantHeld(t, target, stress.Database)
			if mark, err := target.Mark(t.Context(), stress.Database); mark != nil || err != nil {
				t.Errorf("the mark is %v, %v; want none", mark, err)
			}
		})
	}
}

// Every operation of the mix is answered, of documents that have the size that was asked for.
func TestStressDoesWhatItsSharesSay(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	target := looker(t, server)
	folder := filepath.Join(t.TempDir(), "results")
	line := slices.Concat([]string{
		server.URI(), "--keep", "--database", "every-share", "--document-bytes", "2000", "--fields", "7", "-o", folder,
	}, short)
	for _, flag := range shareFlags {
		line = append(line, "--"+flag.name, "1")
	}
	stressed(t, 0, line...)
	step := readReport(t, folder).Steps[3]
	if len(step.Operations) != len(shareFlags) {
		t.Errorf("%d operations, want %d", len(step.Operations), len(shareFlags))
	}
	for _, operation := range step.Operations {
		if operation.Count == 0 || operation.Errors > 0 {
			t.Errorf("%s: %d succeeded and %d failed", operation.Name, operation.Count, operation.Errors)
		}
	}
	wantHeld(t, target, "every-share", stress.Collection)
	infer, inferred, _ := program(t, "infer", "--uri", server.URI(), "--database", "every-share", "--collection",
		stress.Collection)
	if code := exitCodeOf(t, infer.Run()); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	bytes, err := strconv.Atoi(averages.FindStringSubmatch(inferred.String())[1])
	if err != nil || bytes > 2000 || bytes <= 2000-7 {
		t.Errorf("a document has %d bytes, %v; want 2,000 or as few less as equal texts allow", bytes, err)
	}
}

func TestStressReusesWhatItKept(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	line := slices.Concat([]string{server.URI(), "--reads", "1", "--database", "kept", "--keep"}, short)
	first, _ := stressed(t, 0, line...)
	wantAll(t, first, "500 documents in ")
	again, _ := stressed(t, 0, line...)
	wantAll(t, again, "the dataset lies there already")
}

// A line reads what is there as it is: documents of which it knows nothing but that they have an _id.
func TestStressReadsWhatIsThere(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	target := looker(t, server)
	stressed(t, 0, slices.Concat([]string{server.URI(), "--reads", "1", "--database", "there", "--keep"}, short)...)
	table, _ := stressed(t, 0, server.URI(), "--database", "there", "--existing", stress.Collection, "--reads", "9",
		"--scans", "1", "--duration", "1s", "--warmup", "0s")
	wantAll(t, table, "found there, not loaded: 500 documents", "FindOne", "Find  ", "Trusted:")
	wantHeld(t, target, "there", stress.Collection)
	table, _ = stressed(t, 0, server.URI(), "--database", "there", "--existing", stress.Collection, "--duration", "1s",
		"--warmup", "0s")
	wantAll(t, table, "FindOne", "500 documents")
}

func TestStressNeverDropsWhatIsNotItsOwn(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	target := looker(t, server)
	collection := planv1.Collection{Name: stress.Collection}
	if err := target.Create(t.Context(), "shop", collection); err != nil {
		t.Fatal(err)
	}
	_, said := stressed(t, 1, slices.Concat([]string{server.URI(), "--database", "shop"}, short)...)
	wantAll(t, said, "shop")
	wantHeld(t, target, "shop", stress.Collection)
}

func TestAKeyPressedEndsStressAndLeavesNothing(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	target := looker(t, server)
	command, stdout, _ := program(t, "stress", server.URI(), "--database", "cut", "--duration", "10m", "--records", "500")
	code, said := signalWhileMeasuring(t, command, syscall.SIGINT)
	if code != 130 {
		t.Errorf("exit code %d, want 130: %s", code, said)
	}
	wantAll(t, stdout.String(), "Trusted: no", "Partial:")
	wantHeld(t, target, "cut")
}

func TestStressShowsNoPassword(t *testing.T) {
	_, said := stressed(t, 1, "mongodb://name:hush@127.0.0.1:1", "--selection-timeout", "300ms")
	wantAll(t, said, "127.0.0.1:1")
	if strings.Contains(said, "hush") {
		t.Errorf("it shows the password: %s", said)
	}
}

func TestStressSaysWhatItCannotDo(t *testing.T) {
	const uri = "mongodb://127.0.0.1:1"
	for name, tc := range map[string]struct {
		arguments []string
		want      string
	}{
		"no server":              {nil, "say what to load"},
		"two servers":            {[]string{uri, "--local"}, "say what to load, by one of"},
		"half a second":          {[]string{uri, "--duration", "500ms"}, "give whole seconds"},
		"no room for the fields": {[]string{uri, "--document-bytes", "100"}, "has no room for 10 fields"},
		"no field":               {[]string{uri, "--fields", "0"}, "one at least"},
		"no thread":              {[]string{uri, "--threads", "0"}, "spec.workload.steps[0].threads"},
		"no share above 0":       {[]string{uri, "--reads", "0"}, "spec.workload.steps[0].operations"},
		"writes to what exists": {
			[]string{uri, "--database", "shop", "--existing", "orders", "--updates", "1"}, "only reads and scans",
		},
		"exists somewhere": {[]string{uri, "--existing", "orders"}, "say by --database"},
		"exists and is loaded": {
			[]string{uri, "--existing", "orders", "--records", "5"}, "--records is for a collection that is made",
		},
		"a share below 0": {[]string{uri, "--reads", "-1"}, "spec.workload.steps[0].operations[0].weight"},
	} {
		t.Run(name, func(t *testing.T) {
			_, said := stressed(t, 1, tc.arguments...)
			wantAll(t, said, tc.want)
		})
	}
}

// What --print prints is followed by the same plan as the line, and is an object that the API server takes.
func TestPrintedRunIsTheSame(t *testing.T) {
	printed, _ := stressed(t, 0, "--print", "--reads", "9", "--updates", "1", "--rate", "500", "--records", "1000")
	path := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(path, []byte(printed), 0o600); err != nil {
		t.Fatal(err)
	}
	run, _, err := readRun(path)
	if err != nil {
		t.Fatal(err)
	}
	declared, err := stress.Load{
		Shares: stress.Shares{Reads: 9, Updates: 1}, Threads: stress.DefaultThreads, Rate: 500,
		Duration: stress.DefaultDuration, WarmUp: stress.DefaultWarmUp, Records: 1000, Fields: stress.DefaultFields,
		DocumentBytes: stress.DefaultDocumentBytes, Database: stress.Database,
	}.Run()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := spec.Compile(run.Spec).Dataset, spec.Compile(declared.Spec).Dataset; got != want {
		t.Errorf("the dataset is %s, want %s", got, want)
	}
	step := spec.Compile(run.Spec).Steps[3]
	if step.Arrival == nil || step.DurationSeconds != 30 || step.WarmupSeconds != 5 || len(step.Operations) != 2 {
		t.Errorf("the step is %+v", step)
	}
}
