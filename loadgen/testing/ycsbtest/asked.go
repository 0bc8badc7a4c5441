package ycsbtest

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/spec"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// Records are how many a collection has here: what YCSB's files say, and the default of presets.
const Records = 1000

// The places of Asked.Operations.
const (
	Reads = iota
	Updates
	Inserts
	Scans
	operations
)

// The sizes of what is counted: lengths count from 0.
const (
	fields  = 10
	lengths = 101
)

// Asked counts what requests were seen to ask for.
type Asked struct {
	// Operations are reads, updates, inserts and scans. A read-modify-write is a read and an update.
	Operations []int
	// Keys are how often each of them asked for each record, by the record's number. Records that were inserted meanwhile
	// are not counted.
	Keys [operations][]int
	// Scans are how many scans had each length, and Fields and Lengths which fields updates wrote, with values of what
	// length.
	Scans, Fields, Lengths []int

	// numbers are those of the records, by their keys.
	numbers map[string]int
}

func newAsked(keys []string) *Asked {
	a := &Asked{
		Operations: make([]int, operations), Scans: make([]int, lengths), Fields: make([]int, fields),
		Lengths: make([]int, lengths), numbers: map[string]int{},
	}
	for operation := range a.Keys {
		a.Keys[operation] = make([]int, len(keys))
	}
	for number, key := range keys {
		a.numbers[key] = number
	}
	return a
}

// ask counts a request for a record.
func (a *Asked) ask(operation int, key string) {
	a.Operations[operation]++
	if number, loaded := a.numbers[key]; loaded {
		a.Keys[operation][number]++
	}
}

// write counts a value that an update writes.
func (a *Asked) write(field byte, length int) {
	a.Fields[field-'0']++
	a.Lengths[length]++
}

// Preset is one of YCSB's core workloads as a run with this preset has it.
type Preset struct {
	dataset *workload.Dataset
	mix     *workload.Mix
}

// Compile compiles a preset, as a run does.
func Compile(tb testing.TB, name benchv1alpha1.PresetName, parameters map[string]string) Preset {
	tb.Helper()
	plan := spec.Compile(benchv1alpha1.BenchmarkRunSpec{
		Preset: &benchv1alpha1.Preset{Name: name, Parameters: parameters},
	})
	dataset, err := workload.NewDataset(plan)
	if err != nil {
		tb.Fatal(err)
	}
	mix, err := workload.Compile(dataset, len(plan.Steps)-1)
	if err != nil {
		tb.Fatal(err)
	}
	return Preset{dataset, mix}
}

// Documents are those that are loaded, in the order of their numbers.
func (p Preset) Documents() []bson.Raw {
	documents := make([]bson.Raw, Records)
	for number := range documents {
		documents[number] = bson.Raw(p.dataset.Generator("usertable").Append(nil, int64(number)))
	}
	return documents
}

// Ask draws the first requests and counts what they ask for.
func (p Preset) Ask(tb testing.TB, requests int) *Asked {
	tb.Helper()
	keys := make([]string, Records)
	for number, document := range p.Documents() {
		keys[number] = document.Lookup("_id").StringValue()
	}
	asked := newAsked(keys)
	var r workload.Request
	for number := range int64(requests) {
		p.mix.Draw(number, &r)
		asked.see(tb, &r)
	}
	return asked
}

// asks has the operations of YCSB that a kind of ours is, and what of its filter names the record.
var asks = map[operation.Kind]struct {
	operations []int
	key        []string
}{
	operation.FindOne:         {[]int{Reads}, []string{"_id"}},
	operation.UpdateOne:       {[]int{Updates}, []string{"_id"}},
	operation.ReadModifyWrite: {[]int{Reads, Updates}, []string{"_id"}},
	operation.Find:            {[]int{Scans}, []string{"_id", "$gte"}},
}

func (a *Asked) see(tb testing.TB, r *workload.Request) {
	tb.Helper()
	if r.Kind == operation.InsertOne {
		a.Operations[Inserts]++
		return
	}
	asked, known := asks[r.Kind]
	if !known {
		tb.Fatalf("a %s", r.Kind)
	}
	for _, one := range asked.operations {
		a.ask(one, r.Filter.Lookup(asked.key...).StringValue())
		if one == Updates {
			a.update(tb, r.Update)
		}
		if one == Scans {
			a.Scans[r.Limit]++
		}
	}
}

func (a *Asked) update(tb testing.TB, update bson.Raw) {
	tb.Helper()
	elements, err := update.Lookup("$set").Document().Elements()
	if err != nil || len(elements) != 1 || len(elements[0].Key()) != len("field0") {
		tb.Fatalf("update is %v: %v", update, err)
	}
	_, value := elements[0].Value().Binary()
	a.write(elements[0].Key()[len("field")], len(value))
}
