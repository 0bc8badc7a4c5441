package workload

import (
	"errors"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
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
}

// key draws a loaded document and takes one of its fields.
type key struct {
	stream    stream.Stream
	dist      keydist.Distribution
	generator *document.Generator
	field     int
}

func compileParameter(planSeed int64, step string, c collection, declared planv1.Parameter) (parameter, error) {
	if declared.Type != planv1.TypeKey {
		fresh, err := document.CompileValue(planSeed, step, declared.Value)
		return parameter{fresh: fresh}, err
	}
	if c.loaded == 0 {
		return parameter{}, fmt.Errorf("collection %q has no loaded documents to draw from", c.generator.Name())
	}
	field, ok := c.generator.FieldIndex(declared.KeyField)
	if !ok {
		return parameter{}, fmt.Errorf("collection %q has no field %q", c.generator.Name(), declared.KeyField)
	}
	if declared.KeyRangePercent < 1 || declared.KeyRangePercent > 100 {
		return parameter{}, errors.New("the range must be 1 to 100 percent")
	}
	records := max(c.loaded*int64(declared.KeyRangePercent)/100, 1)
	dist, err := keydist.New(declared.Distribution, uint64(records))
	return parameter{key: key{
		stream:    stream.New(planSeed+int64(declared.Seed), "key\x00"+step),
		dist:      dist,
		generator: c.generator,
		field:     field,
	}}, err
}

// draw appends the value to those of the request.
func (p *parameter) draw(number int64, req *Request) {
	value := drawn{start: len(req.values)}
	if p.fresh != nil {
		value.bsonType, req.values = p.fresh.Append(req.values, number)
	} else {
		value.record = int64(p.key.dist.Draw(uint64(p.key.stream.At(number)), number))
		value.bsonType, req.values = p.key.generator.AppendValue(req.values, p.key.field, value.record)
	}
	value.end = len(req.values)
	req.parameters = append(req.parameters, value)
}
