//go:build e2e

package ycsb

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/hack/e2e/neighbours/part"
	"github.com/mongobench/mongobench-operator/loadgen/testing/keydisttest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/ycsbtest"
)

// requests are how many each side makes.
const requests = 50_000

// properties are those of YCSB, and the parameters of a preset.
type properties map[string]string

// files are what YCSB's own files workloada to workloadf set, where it is not YCSB's default.
var files = map[benchv1alpha1.PresetName]properties{
	"YCSB-A": {"readproportion": "0.5", "updateproportion": "0.5", "requestdistribution": "zipfian"},
	"YCSB-B": {"readproportion": "0.95", "updateproportion": "0.05", "requestdistribution": "zipfian"},
	"YCSB-C": {"readproportion": "1", "updateproportion": "0", "requestdistribution": "zipfian"},
	"YCSB-D": {
		"readproportion": "0.95", "updateproportion": "0", "insertproportion": "0.05", "requestdistribution": "latest",
	},
	"YCSB-E": {
		"readproportion": "0", "updateproportion": "0", "scanproportion": "0.95", "insertproportion": "0.05",
		"requestdistribution": "zipfian", "maxscanlength": "100", "scanlengthdistribution": "uniform",
	},
	"YCSB-F": {
		"readproportion": "0.5", "updateproportion": "0", "readmodifywriteproportion": "0.5",
		"requestdistribution": "zipfian",
	},
}

// reference is YCSB itself.
type reference struct {
	java, jars string
}

func newReference(t *testing.T) reference {
	t.Helper()
	return reference{java: part.Need(t, "java", "default-jre-headless"), jars: part.Jars(t, "ycsb")}
}

// run runs one of its two commands, -load or -t, on the file of a workload with properties of its own beside. keys are
// those of the records that were loaded.
func (r reference) run(
	t *testing.T, command string, workload benchv1alpha1.PresetName, own properties, keys []string,
) *ycsbtest.Printed {
	t.Helper()
	arguments := []string{
		"-classpath", r.jars, "site.ycsb.Client", command, "-db", "site.ycsb.BasicDB", "-p", "basicdb.verbose=true",
		"-p", "workload=site.ycsb.workloads.CoreWorkload",
		"-p", fmt.Sprintf("recordcount=%d", ycsbtest.Records), "-p", fmt.Sprintf("operationcount=%d", requests),
	}
	for _, some := range []properties{files[workload], own} {
		for name, value := range some {
			arguments = append(arguments, "-p", name+"="+value)
		}
	}
	client := exec.CommandContext(t.Context(), r.java, arguments...)
	var said strings.Builder
	client.Stderr = &said
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	printed, failure := ycsbtest.Read(out, keys)
	if err := client.Wait(); err != nil || failure != nil {
		t.Fatalf("YCSB: %v, %v: %s", err, failure, said.String())
	}
	return printed
}

// TestLoadedRecords compares all that is loaded, record by record.
func TestLoadedRecords(t *testing.T) {
	ycsb := newReference(t)
	for name, own := range map[string]properties{
		"hashed":             {},
		"ordered and padded": {"insertorder": "ordered", "zeropadding": "12"},
	} {
		t.Run(name, func(t *testing.T) {
			printed := ycsb.run(t, "-load", "YCSB-A", own, nil)
			documents := ycsbtest.Compile(t, "YCSB-A", own).Documents()
			if len(printed.Loaded) != ycsbtest.Records || len(documents) != ycsbtest.Records {
				t.Fatalf("YCSB loads %d records, the preset %d", len(printed.Loaded), len(documents))
			}
			for number, document := range documents {
				compareRecord(t, document, printed.Loaded[number], printed.Values[number])
			}
		})
	}
}

// compareRecord compares a document with the key and the lengths of a record of YCSB's.
func compareRecord(t *testing.T, document bson.Raw, key string, lengths map[string]int) {
	t.Helper()
	if got := document.Lookup("_id").StringValue(); got != key {
		t.Fatalf("a record has the key %q, of YCSB %q", got, key)
	}
	got := map[string]int{}
	for field := range lengths {
		_, value := document.Lookup(field).Binary()
		got[field] = len(value)
	}
	if diff := cmp.Diff(lengths, got); diff != "" || len(got) != 10 {
		t.Fatalf("record %s has fields of these lengths (-YCSB +preset):\n%s", key, diff)
	}
}

// comparison is what is compared of a workload.
type comparison int

const (
	// ofAll compares the mix, the keys of each operation, and the fields, lengths and scans where there are any.
	ofAll comparison = iota
	// ofMix leaves the keys out: those of what is inserted are not YCSB's, and YCSB draws E's of the future as well.
	ofMix
	// ofMirrored are the keys of YCSB counted from the last record, as docs/from-ycsb-to-loadgen.md says.
	ofMirrored
)

// TestWorkloads compares what the six workloads ask for, and what their properties change.
func TestWorkloads(t *testing.T) {
	ycsb := newReference(t)
	keys := ycsb.run(t, "-load", "YCSB-A", nil, nil).Loaded
	for name, tc := range map[string]struct {
		workload benchv1alpha1.PresetName
		own      properties
		compare  comparison
	}{
		"A":                            {"YCSB-A", nil, ofAll},
		"B":                            {"YCSB-B", nil, ofAll},
		"C":                            {"YCSB-C", nil, ofAll},
		"D":                            {"YCSB-D", nil, ofMix},
		"E":                            {"YCSB-E", nil, ofMix},
		"E without inserts":            {"YCSB-E", properties{"insertproportion": "0", "scanproportion": "1"}, ofAll},
		"F":                            {"YCSB-F", nil, ofAll},
		"any record":                   {"YCSB-C", properties{"requestdistribution": "uniform"}, ofAll},
		"one record after another":     {"YCSB-C", properties{"requestdistribution": "sequential"}, ofAll},
		"the latest of those loaded":   {"YCSB-C", properties{"requestdistribution": "latest"}, ofAll},
		"a hot spot":                   {"YCSB-C", properties{"requestdistribution": "hotspot"}, ofAll},
		"an exponential decay":         {"YCSB-C", properties{"requestdistribution": "exponential"}, ofMirrored},
		"values of any length":         {"YCSB-A", properties{"fieldlengthdistribution": "uniform"}, ofAll},
		"values that are mostly short": {"YCSB-A", properties{"fieldlengthdistribution": "zipfian"}, ofAll},
		"scans that are mostly short": {
			"YCSB-E", properties{"insertproportion": "0", "scanproportion": "1", "scanlengthdistribution": "zipfian"}, ofAll,
		},
	} {
		t.Run(name, func(t *testing.T) {
			its := ycsb.run(t, "-t", tc.workload, tc.own, keys).Asked
			ours := ycsbtest.Compile(t, tc.workload, tc.own).Ask(t, requests)
			compare(t, "operations", its.Operations, ours.Operations)
			compare(t, "fields", its.Fields, ours.Fields)
			compare(t, "lengths of values", its.Lengths, ours.Lengths)
			compare(t, "lengths of scans", its.Scans, ours.Scans)
			if tc.compare == ofMix {
				return
			}
			for operation := range its.Keys {
				if tc.compare == ofMirrored {
					slices.Reverse(its.Keys[operation])
				}
				compare(t, "keys", its.Keys[operation], ours.Keys[operation])
			}
		})
	}
}

// compare compares counts. What all draws agree in, or what neither asks for, has to be the same.
func compare(t *testing.T, what string, its, ours []int) {
	t.Helper()
	t.Run(what, func(t *testing.T) {
		if some := asked(its); len(some) > 1 {
			keydisttest.RequireSameUnseeded(t, its, ours)
		} else if diff := cmp.Diff(some, asked(ours)); diff != "" {
			t.Errorf("which there are (-YCSB +preset):\n%s", diff)
		}
	})
}

// asked are the places at which there is any count.
func asked(counts []int) []int {
	var places []int
	for place, count := range counts {
		if count > 0 {
			places = append(places, place)
		}
	}
	return places
}

// TestTheComparisonTellsWorkloadsApart: a comparison that everything passes would be none.
func TestTheComparisonTellsWorkloadsApart(t *testing.T) {
	ycsb := newReference(t)
	keys := ycsb.run(t, "-load", "YCSB-A", nil, nil).Loaded
	its := ycsb.run(t, "-t", "YCSB-B", properties{"requestdistribution": "hotspot"}, keys)
	ours := ycsbtest.Compile(t, "YCSB-B", properties{
		"requestdistribution": "hotspot", "hotspotopnfraction": "0.7", "readproportion": "0.93", "updateproportion": "0.07",
	}).Ask(t, requests)
	for what, rows := range map[string][2][]int{
		"a hot spot of 70 % for one of 80 %": {its.Keys[ycsbtest.Reads], ours.Keys[ycsbtest.Reads]},
		"93 % of reads for 95 %":             {its.Operations, ours.Operations},
	} {
		probe := &verdict{TB: t}
		keydisttest.RequireSameUnseeded(probe, rows[0], rows[1])
		if !probe.failed {
			t.Errorf("it takes %s", what)
		}
	}
}

// verdict keeps what a check says from failing the test.
type verdict struct {
	testing.TB
	failed bool
}

func (v *verdict) Errorf(string, ...any) { v.failed = true }
