package document_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
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
	var order []string
	groups := map[string][]planv1.Field{}
	for _, f := range fields {
		name, rest, nested := strings.Cut(f.Name, ".")
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
		if nested {
			f.Name = rest
		} else {
			f.Name = ""
		}
		groups[name] = append(groups[name], f)
	}
	if path == "" {
		order = append([]string{"_id"}, slices.DeleteFunc(order, func(s string) bool { return s == "_id" })...)
	}
	names := make([]string, 0, len(doc))
	for _, e := range doc {
		names = append(names, e.Key)
		group := groups[e.Key]
		switch {
		case group == nil && path == "" && e.Key == "_id":
			m.value("_id", e.Value, planv1.Value{Type: planv1.TypeObjectID})
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

func (m model) value(path string, got any, v planv1.Value) {
	m.tb.Helper()
	if why := m.wrong(path, got, v); why != "" {
		m.tb.Errorf("record %d: %s is %v (%T): %s", m.record, path, got, got, why)
	}
}

func (m model) wrong(path string, got any, v planv1.Value) string {
	m.tb.Helper()
	switch x := got.(type) {
	case bson.ObjectID:
		at := time.Unix(1_577_836_800+m.record>>20, 0)
		return unless(v.Type == planv1.TypeObjectID && x.Timestamp().Equal(at), "not the ObjectID of its second")
	case int32:
		return unless(v.Type == planv1.TypeInt && int64(x) >= v.Min && int64(x) <= v.Max, "not an Int in its range")
	case int64:
		switch v.Type {
		case planv1.TypeSequence:
			return unless(x == v.Start+v.Step*m.record, "not its turn")
		case planv1.TypeChoice:
			return unless(x == 7, "not a choice")
		default:
			return unless(v.Type == planv1.TypeLong && x >= v.Min && x <= v.Max, "not a Long in its range")
		}
	case float64:
		return unless(v.Type == planv1.TypeDouble && x >= v.MinDouble && x < v.MaxDouble, "not a Double in its range")
	case bool:
		return unless(v.Type == planv1.TypeBool, "not declared as a Bool")
	case bson.DateTime:
		return unless(v.Type == planv1.TypeDate && int64(x) >= v.Min && int64(x) <= v.Max, "not a Date in its range")
	case bson.Binary:
		return wrongBinary(x, v)
	case string:
		if v.Type == planv1.TypeChoice {
			return unless(x == "Oslo" || x == "Rome", "not a choice")
		}
		return wrongText(x, v)
	case bson.D:
		m.check(path+".", x, v.Fields)
		return unless(v.Type == planv1.TypeDocument, "not declared as a Document")
	case bson.A:
		for i, item := range x {
			m.value(fmt.Sprintf("%s[%d]", path, i), item, *v.Element)
		}
		length := int64(len(x))
		return unless(v.Type == planv1.TypeArray && length >= v.Min && length <= v.Max, "not an Array of such a length")
	default:
		return "of a type that no generator makes"
	}
}

func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

func wrongBinary(x bson.Binary, v planv1.Value) string {
	if v.Type == planv1.TypeUUID {
		ok := x.Subtype == 4 && len(x.Data) == 16 && x.Data[6]>>4 == 4 && x.Data[8]>>6 == 2
		return unless(ok, "not a UUID of version 4")
	}
	if v.Type != planv1.TypeBinary || x.Subtype != 0 {
		return "not of the generic subtype"
	}
	return wrongBytes(x.Data, v)
}

func wrongText(x string, v planv1.Value) string {
	for _, c := range x {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", c) {
			return "not of the alphabet"
		}
	}
	return unless(v.Type == planv1.TypeString, "not declared as a String") + wrongBytes([]byte(x), v)
}

func wrongBytes(x []byte, v planv1.Value) string {
	if int64(len(x)) < v.Min || int64(len(x)) > v.Max {
		return "not of a length in its range"
	}
	repeated := len(x) * v.CompressiblePercent / 100
	tail := x[len(x)-repeated:]
	return unless(strings.Trim(string(tail), "x") == "", "its compressible share is not one byte repeated")
}
