package workload_test

import (
	"slices"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/testing/keydisttest"
	"github.com/mongobench/mongobench-operator/loadgen/testing/ycsbtest"
)

// fixtures are counts that YCSB itself made; testdata/README.md says how.
const (
	fixtures     = "testdata/ycsb-counts.txt"
	ycsbRequests = 50_000
)

// ask counts what the requests of a preset ask for.
func ask(tb testing.TB, name benchv1alpha1.PresetName, parameters map[string]string) *ycsbtest.Asked {
	tb.Helper()
	return ycsbtest.Compile(tb, name, parameters).Ask(tb, ycsbRequests)
}

func TestPresetsMixAsYCSBDoes(t *testing.T) {
	for name, fixture := range map[benchv1alpha1.PresetName]string{
		"YCSB-A": "a", "YCSB-B": "b", "YCSB-D": "d", "YCSB-E": "e", "YCSB-F": "f",
	} {
		t.Run(fixture, func(t *testing.T) {
			want := keydisttest.Counts(t, fixtures, fixture+"-operations", 5)[:4] // The fifth are deletes.
			keydisttest.RequireSame(t, want, ask(t, name, nil).Operations)
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
			asked := ask(t, tc.name, parameters)
			want := keydisttest.Counts(t, fixtures, tc.fixture, ycsbtest.Records)
			if tc.mirrored {
				slices.Reverse(want) // YCSB counts from the newest record, the API from the first.
			}
			for _, operation := range []int{ycsbtest.Reads, ycsbtest.Updates, ycsbtest.Scans} {
				if asked.Operations[operation] > 0 {
					keydisttest.RequireSame(t, want, asked.Keys[operation])
				}
			}
		})
	}
}

func TestPresetsScanAsFarAsYCSBDoes(t *testing.T) {
	for distribution, fixture := range map[string]string{"uniform": "e-scans", "zipfian": "scans-zipfian-scans"} {
		t.Run(distribution, func(t *testing.T) {
			asked := ask(t, "YCSB-E", map[string]string{"scanlengthdistribution": distribution})
			keydisttest.RequireSame(t, keydisttest.Counts(t, fixtures, fixture, 101), asked.Scans)
		})
	}
}

func TestPresetsWriteTheFieldsAndLengthsThatYCSBWrites(t *testing.T) {
	asked := ask(t, "YCSB-A", nil)
	keydisttest.RequireSame(t, keydisttest.Counts(t, fixtures, "a-fields", 10), asked.Fields)
	if updates := asked.Operations[ycsbtest.Updates]; asked.Lengths[100] != updates || updates == 0 {
		t.Errorf("%d of %d values have 100 bytes", asked.Lengths[100], updates)
	}
	for _, distribution := range []string{"uniform", "zipfian"} {
		t.Run(distribution, func(t *testing.T) {
			asked := ask(t, "YCSB-A", map[string]string{"fieldlengthdistribution": distribution})
			want := keydisttest.Counts(t, fixtures, "lengths-"+distribution+"-lengths", 101)
			keydisttest.RequireSame(t, want, asked.Lengths)
		})
	}
}

// YCSB's workload D reads what it has inserted; the shape is tested beside newest, and this is that the preset has it.
func TestWorkloadDReadsWhatItInserted(t *testing.T) {
	asked := ask(t, "YCSB-D", nil)
	loaded := 0
	for _, count := range asked.Keys[ycsbtest.Reads] {
		loaded += count
	}
	if share := float64(loaded) / float64(asked.Operations[ycsbtest.Reads]); share < 0.02 || share > 0.3 {
		t.Errorf("%.2f of the reads are of records that were loaded", share)
	}
}
