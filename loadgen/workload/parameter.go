package workload

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

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
	stream stream.Stream
	dist   keydist.Distribution
	of     keyed
	field  int
	// records that are drawn from. The distribution may have an item more; then it draws again.
	records uint64
	// growing is the Latest distribution of a Key that draws from all records; it draws through newest, which Compile
	// sets when the step inserts into the collection.
	growing *keydist.Growing
	newest  *newest
}

// compileParameter compiles the last of the parameters; it may be tied to those before.
func compileParameter(d *Dataset, step string, c collection, all []planv1.Parameter) (parameter, error) {
	planSeed := d.plan.DrawSeed()
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
	p.fresh, err = document.CompileValue(planSeed, step, declared.Value, d.read...)
	return p, err
}

func compileKey(planSeed int64, step string, c collection, declared planv1.Parameter) (key, error) {
	of := c.keyed()
	if c.loaded == 0 {
		return key{}, fmt.Errorf("collection %q has no documents to draw from", of.Name())
	}
	field, ok := of.FieldIndex(declared.KeyField)
	if !ok {
		return key{}, fmt.Errorf("collection %q has no field %q", of.Name(), declared.KeyField)
	}
	k := key{of: of, field: field}
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
	if isLatest(declared.Distribution) && declared.KeyRangePercent == 100 && c.keys == nil && c.copies == nil {
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

// drawOrSkip draws the value if anything needs it.
func (p *parameter) drawOrSkip(number int64, req *Request) {
	if p.used {
		p.draw(number, req)
	} else {
		req.parameters = append(req.parameters, drawn{})
	}
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
		value.bsonType, req.values = p.key.of.AppendValue(req.values, p.key.field, value.record)
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

// summed are the types of parameters that another can be added to, with their types in BSON.
var summed = map[benchv1alpha1.GeneratorType]bson.Type{
	benchv1alpha1.GeneratorInt:    bson.TypeInt32,
	benchv1alpha1.GeneratorLong:   bson.TypeInt64,
	benchv1alpha1.GeneratorDouble: bson.TypeDouble,
	benchv1alpha1.GeneratorDate:   bson.TypeDateTime,
}

// summand finds the parameter whose value is added to that of a declared one: it is of the same type, or a Key whose
// field is.
func summand(c collection, before []planv1.Parameter, declared planv1.Parameter) (int, error) {
	want, ok := summed[declared.Type]
	if !ok {
		return none, fmt.Errorf("nothing can be added to a value of type %s", declared.Type)
	}
	index := indexOf(before, declared.PlusParameter)
	if index < 0 {
		return none, fmt.Errorf("plusParameter %q is no parameter before this one", declared.PlusParameter)
	}
	other := before[index]
	if other.Type == planv1.TypeKey && c.holds(other.KeyField, want) {
		return index, nil
	}
	if summed[other.Type] != want {
		return none, fmt.Errorf("plusParameter %q is not of type %s", declared.PlusParameter, declared.Type)
	}
	return index, nil
}

// holds says whether every value of a field has this type.
func (c collection) holds(name string, want bson.Type) bool {
	for _, field := range c.fields {
		if field.Name == name && field.PresencePercent == 0 && field.NullPercent == 0 {
			return summed[field.Type] == want || field.Type == benchv1alpha1.GeneratorSequence && want == bson.TypeInt64
		}
	}
	return false
}

// add adds another value of the same type to an encoded one, in its place. What does not fit becomes the nearest value
// that does.
func add(bsonType byte, value, other []byte) {
	switch bson.Type(bsonType) {
	case bson.TypeInt32:
		sum := int64(int32(binary.LittleEndian.Uint32(value))) + int64(int32(binary.LittleEndian.Uint32(other)))
		sum = min(max(sum, math.MinInt32), math.MaxInt32)
		binary.LittleEndian.PutUint32(value, uint32(int32(sum)))
	case bson.TypeInt64, bson.TypeDateTime:
		sum := saturated(int64(binary.LittleEndian.Uint64(value)), int64(binary.LittleEndian.Uint64(other)))
		binary.LittleEndian.PutUint64(value, uint64(sum))
	case bson.TypeDouble:
		sum := double(value) + double(other)
		sum = min(max(sum, -math.MaxFloat64), math.MaxFloat64)
		binary.LittleEndian.PutUint64(value, math.Float64bits(sum))
	default:
	}
}

func double(value []byte) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(value))
}

func saturated(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}
