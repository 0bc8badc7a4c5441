package mongo_test

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/observe"
	"github.com/mongobench/mongobench-operator/loadgen/testing/ftdctest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// collecting is a server that takes diagnostic data, which those of tests do not.
func collecting(t *testing.T, version string) *mongotest.Server {
	t.Helper()
	server := mongotest.Start(t, version)
	enable := bson.D{
		{Key: "setParameter", Value: 1},
		{Key: "diagnosticDataCollectionEnabled", Value: true},
		// It writes what it has so far after so many samples.
		{Key: "diagnosticDataCollectionSamplesPerInterimUpdate", Value: 2},
	}
	if err := database(t, server, "kept").Client().Database("admin").RunCommand(t.Context(), enable).Err(); err != nil {
		t.Fatal(err)
	}
	return server
}

// kept are the diagnostic data of a server from an instant on, until the server has samples of its own from then on.
func kept(t *testing.T, server *mongotest.Server, budget int, from time.Time, own int) *reportv1.Diagnostics {
	t.Helper()
	began := time.Now()
	observer := &observe.Observer{
		Database: "kept", Interval: 250 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
		Servers: open(t, server).Servers, DiagnosticBytes: budget,
	}
	observer.Start(t.Context())
	end := observer.Keep(from)
	for deadline := began.Add(2 * time.Minute); len(observer.Latest()) == 0 || ownSince(t, server, began) < own; {
		if time.Now().After(deadline) {
			t.Fatalf("the server has not %d samples of its own", own)
		}
		<-time.After(500 * time.Millisecond)
	}
	end()
	members := observer.Stop()
	if len(members) != 1 {
		t.Fatalf("observed %+v, want one server", members)
	}
	return members[0].Diagnostics
}

func TestTheDiagnosticDataOfAServerIsKept(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run("mongod "+version, func(t *testing.T) {
			t.Parallel()
			server := collecting(t, version)
			found := kept(t, server, 0, time.Now(), 4)
			if found == nil || found.Samples < 2 || found.Dropped != 0 || found.Missing != "" ||
				len(found.Data) > observe.DefaultDiagnosticBytes {
				t.Fatalf("kept %+v, want a sample of each second", found)
			}
			if folder := os.Getenv("FTDC_FOLDER"); folder != "" {
				_ = os.WriteFile(filepath.Join(folder, "metrics."+version), found.Data, 0o600)
			}
			checkFile(t, version, found)
			if same := sameAsItsOwn(t, server, found.Data); same < 2 {
				t.Errorf("%d samples are those that the server wrote itself, want most", same)
			}
		})
	}
}

func checkFile(t *testing.T, version string, found *reportv1.Diagnostics) {
	t.Helper()
	documents := ftdctest.Documents(t, found.Data)
	if about := documents[0]; about.Type != 0 || about.Doc.Lookup("buildInfo", "version").StringValue() != version ||
		about.Doc.Lookup("hostInfo", "system").Type != bson.TypeEmbeddedDocument {
		t.Errorf("the file begins with type %d, %s; want what the server is", about.Type, about.Doc)
	}
	samples, metrics := 0, 0
	var last bson.DateTime
	for _, one := range documents[1:] {
		reference, decoded := ftdctest.Decode(t, one.Data)
		samples, metrics = samples+len(decoded), len(decoded[0])
		if one.Type != 1 || one.ID <= last || reference.Lookup("serverStatus", "connections").Type == 0 {
			t.Errorf("a chunk of type %d at %d after %d without a serverStatus", one.Type, one.ID, last)
		}
		last = one.ID
	}
	if samples != found.Samples {
		t.Errorf("%d samples in the file, want %d", samples, found.Samples)
	}
	t.Logf("%d bytes for %d samples of %d metrics in %d chunks", len(found.Data), samples, metrics, len(documents)-1)
}

// ownSamples are those that the server wrote itself.
func ownSamples(t *testing.T, server *mongotest.Server) map[int64][]int64 {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(server.Folder, "diagnostic.data", "metrics.*"))
	if err != nil {
		t.Fatal(err)
	}
	own := map[int64][]int64{}
	for _, path := range paths {
		// It may be written anew at the same time.
		if content, err := os.ReadFile(path); err == nil {
			maps.Copy(own, samplesOf(t, content))
		}
	}
	return own
}

// ownSince is how many of them are of an instant and later.
func ownSince(t *testing.T, server *mongotest.Server, from time.Time) (count int) {
	t.Helper()
	for start := range ownSamples(t, server) {
		if start >= from.UnixMilli() {
			count++
		}
	}
	return count
}

// sameAsItsOwn compares the samples of a file with those that the server wrote itself, and returns how many are in
// both.
func sameAsItsOwn(t *testing.T, server *mongotest.Server, file []byte) (same int) {
	t.Helper()
	own := ownSamples(t, server)
	for start, sample := range samplesOf(t, file) {
		if its, is := own[start]; is {
			same++
			if diff := cmp.Diff(its, sample); diff != "" {
				t.Errorf("sample of %d (-the server's own +kept):\n%s", start, diff)
			}
		}
	}
	return same
}

// samplesOf are the samples of a file by their start, which is their first metric.
func samplesOf(t *testing.T, file []byte) map[int64][]int64 {
	t.Helper()
	found := map[int64][]int64{}
	for _, one := range ftdctest.Documents(t, file) {
		if one.Type == 1 {
			_, decoded := ftdctest.Decode(t, one.Data)
			for _, sample := range decoded {
				found[sample[0]] = sample
			}
		}
	}
	return found
}

func TestDiagnosticDataIsKeptWithinItsTimeAndItsBudget(t *testing.T) {
	server := collecting(t, mongotest.Newest())
	if found := kept(t, server, 0, time.Now().Add(time.Hour), 2); found != nil {
		t.Errorf("kept %+v before it was to be", found)
	}
	found := kept(t, server, 1000, time.Now(), 3)
	if found == nil || found.Data != nil || found.Samples != 0 || found.Dropped == 0 || found.Missing == "" {
		t.Errorf("kept %+v in 1,000 bytes, want that they are too few", found)
	}
	if found = kept(t, mongotest.Shared(t, mongotest.Newest()), 0, time.Now(), 0); found == nil || found.Missing == "" {
		t.Errorf("kept %+v of a server that takes none, want that it is said", found)
	}
}
