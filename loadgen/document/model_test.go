package document_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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
	order = slices.DeleteFunc(order, func(name string) bool {
		return groups[name][0].Name == "" && groups[name][0].PresencePercent > 0 && !slices.Contains(names, name)
	})
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
	case benchv1alpha1.GeneratorReference:
		right = got == nil && v.NullPercent > 0 || scalars[v.Reference.Of.Type](m, got, v.Reference.Of)
	default:
		right = got == nil && v.NullPercent > 0 || scalars[v.Type](m, got, v)
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
	benchv1alpha1.GeneratorDecimal: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x bson.Decimal128) bool {
			number, exponent, err := x.BigInt()
			return err == nil && exponent == -v.Scale && number.IsInt64() && inRange(number.Int64(), v)
		})
	},
	benchv1alpha1.GeneratorTimestamp: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x bson.Timestamp) bool { return inRange(int64(x.T)*1000+int64(x.I)-1, v) && x.I >= 1 })
	},
	benchv1alpha1.GeneratorRegex: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x bson.Regex) bool {
			return x.Options == "" && rightBytes([]byte(x.Pattern), v) && regexp.QuoteMeta(x.Pattern) == x.Pattern
		})
	},
	benchv1alpha1.GeneratorGeoPoint: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x bson.D) bool {
			at, isPoint := x[1].Value.(bson.A)
			if len(x) != 2 || x[0].Value != "Point" || x[1].Key != "coordinates" || !isPoint || len(at) != 2 {
				return false
			}
			east, north := at[0].(float64), at[1].(float64)
			return east >= float64(v.Geo.West)/1e7 && east <= float64(v.Geo.East)/1e7 &&
				north >= float64(v.Geo.South)/1e7 && north <= float64(v.Geo.North)/1e7
		})
	},
	benchv1alpha1.GeneratorWords: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x string) bool {
			spaced := v.Language == benchv1alpha1.LanguageChinese || inRange(int64(len(strings.Fields(x))), v)
			return spaced && utf8.ValidString(x)
		})
	},
	benchv1alpha1.GeneratorFake: func(_ model, got any, v planv1.Value) bool {
		return is(got, func(x string) bool { return looks[v.Fake].MatchString(x) && utf8.ValidString(x) })
	},
}

// looks are what fakes look like.
var looks = map[benchv1alpha1.FakeKind]*regexp.Regexp{
	benchv1alpha1.FakeName:      regexp.MustCompile(`^\S.* \S+$`),
	benchv1alpha1.FakeFirstName: regexp.MustCompile(`^\p{Lu}\S+$`),
	benchv1alpha1.FakeLastName:  regexp.MustCompile(`^\p{Lu}\S+$`),
	benchv1alpha1.FakeEmail:     regexp.MustCompile(`^[a-z]+\.[a-z]+[0-9]{1,4}@example\.(com|net|org)$`),
	benchv1alpha1.FakePhone:     regexp.MustCompile(`^\+1-[2-9][0-9]{2}-555-[0-9]{4}$`),
	benchv1alpha1.FakeCompany:   regexp.MustCompile(`^\S.*\S$`),
	benchv1alpha1.FakeAddress:   regexp.MustCompile(`^[1-9][0-9]{0,2} \S+ \S+, .+, \p{L}.*$`),
	benchv1alpha1.FakeCity:      regexp.MustCompile(`^\S.*\S$`),
	benchv1alpha1.FakeCountry:   regexp.MustCompile(`^\S.*\S$`),
	benchv1alpha1.FakeURL:       regexp.MustCompile(`^https://www\.example\.(com|net|org)/[a-z]+/[a-z]+/[1-9][0-9]*$`),
	benchv1alpha1.FakeUserAgent: regexp.MustCompile(`^Mozilla/5\.0 \(.+\) .+/1[0-9]{2}\.0`),
	benchv1alpha1.FakeIPv4:      regexp.MustCompile(`^[1-9][0-9]{0,2}(\.[0-9]{1,3}){2}\.[1-9][0-9]{0,2}$`),
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
