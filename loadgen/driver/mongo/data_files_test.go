package mongo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/files"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// dataFiles are a CSV of 20 articles in a ConfigMap, and a dump of 30 customers in a volume.
func dataFiles(t *testing.T) files.Files {
	t.Helper()
	folder := t.TempDir()
	write := func(name string, content []byte) {
		name = filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var table strings.Builder
	table.WriteString("sku,title,price\n")
	for i := range 20 {
		fmt.Fprintf(&table, "S%03d,\"Article, no. %d\",%d.5\n", i, i, i)
	}
	write("configmap/articles/list.csv", []byte(table.String()))
	var dump []byte
	for i := range 30 {
		encoded, err := bson.Marshal(bson.D{
			{Key: "name", Value: fmt.Sprintf("c%d", i)},
			{Key: "_id", Value: bson.NewObjectID()},
			{Key: "tags", Value: bson.A{i, "x"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		dump = append(dump, encoded...)
	}
	write("volume/backup/shop/customers.bson", dump)
	return files.Files{Folder: folder}
}

func TestTheSampleOfDataOfFiles(t *testing.T) {
	for _, client := range everyClient {
		for _, pods := range []int32{1, 2} {
			t.Run(fmt.Sprintf("%s, %d pods", client, pods), func(t *testing.T) { checkDataFiles(t, client, pods) })
		}
	}
}

func checkDataFiles(t *testing.T, client benchv1alpha1.Client, pods int32) {
	t.Helper()
	server := mongotest.Shared(t, mongotest.Newest())
	db := database(t, server, "files")
	run := readSample(t, "data-files", db.Name())
	run.Spec.Dataset.Load = &benchv1alpha1.Load{Verify: new(benchv1alpha1.VerifyAll)}
	run.Spec.LoadGenerator = &benchv1alpha1.LoadGenerator{Client: &client, Pods: &pods}
	run.Spec.Workload.Steps[0].DurationSeconds = new(int32(1))
	engines, with := drivertest.Pods(spec.Compile(run.Spec), open(t, server)), dataFiles(t)
	for _, one := range engines {
		one.Files = with
	}
	reports, err := drivertest.Follow(t.Context(), engines)
	if err != nil {
		t.Fatal(err)
	}
	if hash := reports[0].FilesHash; len(hash) != 64 {
		t.Errorf("the hash of the files is %q", hash)
	}
	for _, o := range reports[0].Steps[len(reports[0].Steps)-1].Operations {
		if o.Count == 0 || o.Errors > 0 || o.Documents < o.Count {
			t.Errorf("%s: %d succeeded with %d documents, errors %+v", o.Name, o.Count, o.Documents, o.ErrorClasses)
		}
	}
	customers := documentsOf(t, db, "customers")
	isGiven := func(d bson.Raw) bool { return d.Lookup("name").StringValue() == "c7" }
	at := slices.IndexFunc(customers, isGiven)
	if at < 0 || len(customers) != 100 || customers[at].Lookup("tags", "1").StringValue() != "x" {
		t.Errorf("%d customers", len(customers))
	}
}

func TestAFileThatCannotBeReadEndsTheRunBeforeAnythingIsDropped(t *testing.T) {
	server := mongotest.Shared(t, mongotest.Newest())
	db := database(t, server, "unread")
	plan := spec.Compile(readSample(t, "data-files", db.Name()).Spec)
	broken := files.Files{ConfigMaps: map[string]map[string]string{"articles": {"list.csv": "sku,title\nS1,x,y\n"}}}
	for want, with := range map[string]files.Files{
		`file "articles", configmap/articles/list.csv: record on line 2: wrong number of fields`: broken,
		`was not told in which folder files are`:                                                 {},
	} {
		engines := drivertest.Pods(plan, open(t, server))
		engines[0].Files = with
		if _, err := drivertest.Follow(t.Context(), engines); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if names, err := db.ListCollectionNames(t.Context(), bson.D{}); err != nil || len(names) > 0 {
		t.Errorf("collections %v, error %v", names, err)
	}
}
