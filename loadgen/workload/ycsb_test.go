package workload_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/testing/keydisttest"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// fixtures are counts that YCSB itself made; testdata/README.md says how.
const (
	fixtures     = "testdata/ycsb-counts.txt"
	ycsbRecords  = 1000
	ycsbRequests = 50_000
)

// preset compiles one of YCSB's core workloads, as a run with this preset would.
func preset(
	tb testing.TB, name benchv1alpha1.PresetName, parameters map[string]string,
) (*workload.Dataset, *workload.Mix) {
	tb.Helper()
	plan := spec.Compile(benchv1alpha1.BenchmarkRunSpec{
		Preset: &benchv1alpha1.Preset{Name: name, Parameters: parameters},
	})
	return compile(tb, plan, len(plan.Steps)-1)
}

// observed is what requests were seen to ask for.
type observed struct {
	records map[string]int
	// operations are reads, updates, inserts and scans, as in the fixtures.
	operations, keys, scans, fields, lengths []int
}

// observe draws the first requests of a mix and counts what they ask for.
func observe(tb testing.TB, d *workload.Dataset, m *workload.Mix) *observed {
	tb.Helper()
	o := &observed{
		records: map[string]int{}, operations: make([]int, 5), keys: make([]int, ycsbRecords),
		scans: make([]int, 101), fields: make([]int, 10), lengths: make([]int, 101),
	}
	for record := range ycsbRecords {
		document := bson.Raw(d.Generator("usertable").Append(nil, int64(record)))
		o.records[document.Lookup("_id").StringValue()] = record
	}
	var r workload.Request
	for number := range int64(ycsbRequests) {
		m.Draw(number, &r)
		o.see(tb, &r)
	}
	return o
}

func (o *observed) see(tb testing.TB, r *workload.Request) {
	tb.Helper()
	switch r.Kind {
	case operation.FindOne:
		o.operations[0]++
		o.key(r.Filter.Lookup("_id"))
	case operation.UpdateOne:
		o.operations[1]++
		o.key(r.Filter.Lookup("_id"))
		o.update(tb, r.Update)
	case operation.InsertOne:
		o.operations[2]++
	case operation.Find:
		o.operations[3]++
		o.key(r.Filter.Lookup("_id", "$gte"))
		o.scans[r.Limit]++
	case operation.ReadModifyWrite:
		// YCSB's fixture counts both halves.
		o.operations[0]++
		o.operations[1]++
		o.key(r.Filter.Lookup("_id"))
		o.update(tb, r.Update)
	default:
		tb.Fatalf("a %s", r.Kind)
	}
}

// key counts a record that is asked for; records that the step inserted have no cell.
func (o *observed) key(id bson.RawValue) {
	if record, ok := o.records[id.StringValue()]; ok {
		o.keys[record]++
	}
}

func (o *observed) update(tb testing.TB, update bson.Raw) {
	tb.Helper()
	elements, err := update.Lookup("$set").Document().Elements()
	if err != nil || len(elements) != 1 || len(elements[0].Key()) != len("field0") {
		tb.Fatalf("update is %v: %v", update, err)
	}
	_, value := elements[0].Value().Binary()
	o.fields[elements[0].Key()[len("field")]-'0']++
	o.lengths[len(value)]++
}

func TestPresetsMixAsYCSBDoes(t *testing.T) {
	for name, fixture := range map[benchv1alpha1.PresetName]string{
		"YCSB-A": "a", "YCSB-B": "b", "YCSB-D": "d", "YCSB-E": "e", "YCSB-F": "f",
	} {
		t.Run(fixture, func(t *testing.T) {
			d, m := preset(t, name, nil)
			keydisttest.RequireSame(t, keydisttest.Counts(t, fixtures, fixture+"-operations", 5), observe(t, d, m).operations)
		})
	}
}

func TestPresetsAskForTheRecordsThatYCSBAsksFor(t *testing.T) {
	tests := map[string]struct {
		name         benchv1alpha1.PresetName
		distribution string
		fixture      string
		mirrored     bool
	}{
		"A":                {"YCSB-A", "", "core-zipfian", false},
		"A, once more":     {"YCSB-A", "", "a-keys", false},
		"B":                {"YCSB-B", "", "core-zipfian", false},
		"C":                {"YCSB-C", "", "core-zipfian", false},
		"E":                {"YCSB-E", "", "core-zipfian", false},
		"F":                {"YCSB-F", "", "core-zipfian", false},
		"C by uniform":     {"YCSB-C", "uniform", "core-uniform", false},
		"C by latest":      {"YCSB-C", "latest", "core-latest", false},
		"C by hotspot":     {"YCSB-C", "hotspot", "core-hotspot", false},
		"C by exponential": {"YCSB-C", "exponential", "core-exponential", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			parameters := map[string]string{}
			if tc.distribution != "" {
				parameters["requestdistribution"] = tc.distribution
			}
			d, m := preset(t, tc.name, parameters)
			keys := observe(t, d, m).keys
			if tc.mirrored {
				// YCSB counts from the newest record, the API from the first.
				for i, j := 0, len(keys)-1; i < j; i, j = i+1, j-1 {
					keys[i], keys[j] = keys[j], keys[i]
				}
			}
			keydisttest.RequireSame(t, keydisttest.Counts(t, fixtures, tc.fixture, ycsbRecords), keys)
		})
	}
}

func TestPresetsScanAsFarAsYCSBDoes(t *testing.T) {
	for distribution, fixture := range map[string]string{"uniform": "e-scans", "zipfian": "scans-zipfian-scans"} {
		t.Run(distribution, func(t *testing.T) {
			d, m := preset(t, "YCSB-E", map[string]string{"scanlengthdistribution": distribution})
			keydisttest.RequireSame(t, keydisttest.Counts(t, fixtures, fixture, 101), observe(t, d, m).scans)
		})
	}
}

func TestPresetsWriteTheFieldsAndLengthsThatYCSBWrites(t *testing.T) {
	d, m := preset(t, "YCSB-A", nil)
	o := observe(t, d, m)
	keydisttest.RequireSame(t, keydisttest.Counts(t, fixtures, "a-fields", 10), o.fields)
	if updates := o.operations[1]; o.lengths[100] != updates || updates == 0 {
		t.Errorf("%d of %d values have 100 bytes", o.lengths[100], updates)
	}
	for _, distribution := range []string{"uniform", "zipfian"} {
		t.Run(distribution, func(t *testing.T) {
			d, m := preset(t, "YCSB-A", map[string]string{"fieldlengthdistribution": distribution})
			want := keydisttest.Counts(t, fixtures, "lengths-"+distribution+"-lengths", 101)
			keydisttest.RequireSame(t, want, observe(t, d, m).lengths)
		})
	}
}

// YCSB's workload D reads what it has inserted; the shape is tested beside newest, and this is that the preset has it.
func TestWorkloadDReadsWhatItInserted(t *testing.T) {
	d, m := preset(t, "YCSB-D", nil)
	o := observe(t, d, m)
	loaded := 0
	for _, count := range o.keys {
		loaded += count
	}
	if share := float64(loaded) / float64(o.operations[0]); share < 0.02 || share > 0.3 {
		t.Errorf("%.2f of the reads are of records that were loaded", share)
	}
}
