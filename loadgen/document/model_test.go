package document_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// model says of a decoded document what a plan demands of it. It knows nothing of how documents are made, so it can
// tell which types, ranges and names are right, and the values of a Sequence.
type model struct {
	tb     testing.TB
	record int64
}

// check compares a document with the fields that it was declared with.
func (m model) check(path string, doc bson.D, fields []planv1.Field) {
	m.tb.Helper()
	order, groups := groupByName(fields)
	if path == "" {
		order = append([]string{"_id"}, slices.DeleteFunc(order, func(s string) bool { return s == "_id" })...)
		if groups["_id"] == nil {
			groups["_id"] = []planv1.Field{{Value: planv1.Value{Type: benchv1alpha1.GeneratorObjectID}}}
		}
	}
	names := make([]string, 0, len(doc))
	for _, e := range doc {
		names = append(names, e.Key)
		group := groups[e.Key]
		switch {
		case group == nil:
			m.tb.Errorf("record %d: %s%s was not declared", m.record, path, e.Key)
		case group[0].Name == "":
			m.value(path+e.Key, e.Value, group[0].Value)
		default:
			nested, _ := e.Value.(bson.D)
			m.check(path+e.Key+".", nested, group)
		}
	}
	if !slices.Equal(names, order) {
		m.tb.Errorf("record %d: fields of %q are %v, not %v", m.record, path, names, order)
	}
}

// groupByName gives the names of a document in their order, and what was declared below each.
func groupByName(fields []planv1.Field) (order []string, groups map[string][]planv1.Field) {
	groups = map[string][]planv1.Field{}
	for _, f := range fields {
		name, rest, _ := strings.Cut(f.Name, ".")
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
		f.Name = rest
		groups[name] = append(groups[name], f)
	}
	return order, groups
}

func (m model) value(path string, got any, v planv1.Value) {
	m.tb.Helper()
	var right bool
	switch v.Type {
	case benchv1alpha1.GeneratorDocument:
		right = is(got, func(x bson.D) bool { m.check(path+".", x, v.Fields); return true })
	case benchv1alpha1.GeneratorArray:
		right = is(got, func(x bson.A) bool {
			for i, item := range x {
				m.value(fmt.Sprintf("%s[%d]", path, i), item, *v.Element)
			}
			return inRange(int64(len(x)), v)
		})
	default:
		right = scalars[v.Type](m, got, v)
	}
	if !right {
		m.tb.Errorf("record %d: %s is %v (%T), which is not what type %s may be", m.record, path, got, got, v.Type)
	}
}

// scalars says for each type which values are right.
var scalars = map[benchv1alpha1.GeneratorType]func(m model, got any, v planv1.Value) bool{
	benchv1alpha1.GeneratorObjectID: func(m model, got any, _ planv1.Value) bool {
		at := time.Unix(1_577_836_800+m.record>>20, 0)
		return is(got, func(x bson.ObjectID) bool { return x.Timestamp().Equal(at) })
	},
	benchv1alpha1.GeneratorSequence: func(m model, got any, v planv1.Value) bool { return got == v.Start+v.Step*m.record },
	benchv1alpha1.GeneratorInt: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x int32) bool { return inRange(int64(x), v) })
	},
	benchv1alpha1.GeneratorLong: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x int64) bool { return inRange(x, v) })
	},
	benchv1alpha1.GeneratorDouble: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x float64) bool { return x >= v.MinDouble && x < v.MaxDouble })
	},
	benchv1alpha1.GeneratorBool: func(_ model, got any, _ planv1.Value) bool { return got == true || got == false },
	benchv1alpha1.GeneratorDate: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x bson.DateTime) bool { return inRange(int64(x), v) })
	},
	benchv1alpha1.GeneratorString: func(_ model, got any, v planv1.Value) bool {
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		return is(got, func(x string) bool { return strings.Trim(x, alphabet) == "" && rightBytes([]byte(x), v) })
	},
	benchv1alpha1.GeneratorBinary: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x bson.Binary) bool { return x.Subtype == 0 && rightBytes(x.Data, v) })
	},
	benchv1alpha1.GeneratorUUID: func(_ model, got any, _ planv1.Value) bool {
		return is(got, func(x bson.Binary) bool {
			return x.Subtype == 4 && len(x.Data) == 16 && x.Data[6]>>4 == 4 && x.Data[8]>>6 == 2
		})
	},
	benchv1alpha1.GeneratorChoice: func(_ model, got any, _ planv1.Value) bool {
		return got == "Oslo" || got == "Rome" || got == int64(7)
	},
}

// is says whether a value has a type and fulfils a condition.
func is[T any](got any, fulfils func(T) bool) bool {
	x, ok := got.(T)
	return ok && fulfils(x)
}

func inRange(x int64, v planv1.Value) bool {
	return x >= v.Min && x <= v.Max
}

// rightBytes checks the length, and that the share which may be compressed is one byte repeated.
func rightBytes(x []byte, v planv1.Value) bool {
	tail := x[len(x)-len(x)*v.CompressiblePercent/100:]
	return inRange(int64(len(x)), v) && strings.Trim(string(tail), "x") == ""
}
