package workload

import (
	"errors"
	"fmt"
	"slices"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
	"github.com/mongobench/mongobench-operator/loadgen/keydist"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// parameter draws a fresh value, or with a Key the value of a loaded document.
type parameter struct {
	// used says that something refers to it; what nothing uses is not drawn.
	used bool
	// fresh is nil with a Key.
	fresh *document.Value
	key   key
	// tied is the parameter before this one whose record a Key takes, or whose value is added to a fresh one; or none.
	tied int
}

// key draws a document and takes one of its fields.
type key struct {
	stream    stream.Stream
	dist      keydist.Distribution
	generator *document.Generator
	field     int
	// records that are drawn from. The distribution may have an item more; then it draws again.
	records uint64
	// growing is the Latest distribution of a Key that draws from all records; it draws through newest, which Compile
	// sets when the step inserts into the collection.
	growing *keydist.Growing
	newest  *newest
}

// compileParameter compiles the last of the parameters; it may be tied to those before.
func compileParameter(planSeed int64, step string, c collection, all []planv1.Parameter) (parameter, error) {
	last := len(all) - 1
	declared, before := all[last], all[:last]
	p := parameter{tied: none}
	var err error
	if declared.Type == planv1.TypeKey {
		if declared.PlusParameter != "" {
			return p, errors.New("nothing can be added to a Key")
		}
		if declared.SameRecordAs != "" {
			if p.tied, err = sameRecord(before, declared.SameRecordAs); err != nil {
				return p, err
			}
		}
		p.key, err = compileKey(planSeed, step, c, declared)
		return p, err
	}
	if declared.SameRecordAs != "" {
		return p, errors.New("only a Key can have the record of another")
	}
	if declared.PlusParameter != "" {
		if p.tied, err = summand(c, before, declared); err != nil {
			return p, err
		}
	}
	p.fresh, err = document.CompileValue(planSeed, step, declared.Value)
	return p, err
}

func compileKey(planSeed int64, step string, c collection, declared planv1.Parameter) (key, error) {
	if c.loaded == 0 {
		return key{}, fmt.Errorf("collection %q has no loaded documents to draw from", c.generator.Name())
	}
	field, ok := c.generator.FieldIndex(declared.KeyField)
	if !ok {
		return key{}, fmt.Errorf("collection %q has no field %q", c.generator.Name(), declared.KeyField)
	}
	k := key{generator: c.generator, field: field}
	if declared.SameRecordAs != "" {
		return k, nil
	}
	if declared.KeyRangePercent < 1 || declared.KeyRangePercent > 100 {
		return key{}, errors.New("the range must be 1 to 100 percent")
	}
	k.records = uint64(max(c.loaded*int64(declared.KeyRangePercent)/100, 1))
	items := k.records
	if benchv1alpha1.DistributionType(declared.Distribution.Type) == benchv1alpha1.DistributionScrambledZipfian {
		// As YCSB's core workload does, so that the same records are popular: it has one item too many, and draws again.
		items++
	}
	dist, err := keydist.New(declared.Distribution, items)
	if err != nil {
		return key{}, err
	}
	k.stream, k.dist = stream.New(planSeed+int64(declared.Seed), "key\x00"+step), dist
	if isLatest(declared.Distribution) && declared.KeyRangePercent == 100 {
		k.growing, err = keydist.NewGrowing(declared.Distribution)
	}
	return k, err
}

func indexOf(parameters []planv1.Parameter, name string) int {
	return slices.IndexFunc(parameters, func(p planv1.Parameter) bool { return p.Name == name })
}

// sameRecord finds the Key whose record another takes.
func sameRecord(before []planv1.Parameter, name string) (int, error) {
	index := indexOf(before, name)
	if index < 0 || before[index].Type != planv1.TypeKey {
		return none, fmt.Errorf("sameRecordAs %q is no parameter of type Key before this one", name)
	}
	return index, nil
}

// draw appends the value to those of the request.
func (p *parameter) draw(number int64, req *Request) {
	value := drawn{start: len(req.values)}
	if p.fresh != nil {
		value.bsonType, req.values = p.fresh.Append(req.values, number)
		if p.tied != none {
			other := &req.parameters[p.tied]
			add(value.bsonType, req.values[value.start:], req.values[other.start:other.end])
		}
	} else {
		value.record = p.drawRecord(number, req)
		value.bsonType, req.values = p.key.generator.AppendValue(req.values, p.key.field, value.record)
	}
	value.end = len(req.values)
	req.parameters = append(req.parameters, value)
}

// drawRecord is the record that a Key takes its value of.
func (p *parameter) drawRecord(number int64, req *Request) int64 {
	if p.tied != none {
		return req.parameters[p.tied].record
	}
	point := p.key.stream.At(number)
	if p.key.newest != nil {
		return p.key.newest.record(point, number)
	}
	record := p.key.dist.Draw(uint64(point), number)
	for attempt := uint64(1); record >= p.key.records && attempt <= attempts; attempt++ {
		record = p.key.dist.Draw(point.Value(attempt), number)
	}
	return int64(min(record, p.key.records-1))
}

// attempts bounds how often a record is drawn again. Of two items, one of them a record, it is drawn so often once in
// a billion times; of more, never in any run.
const attempts = 30
