package merge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

// Order is what documents are sorted by.
type Order []Key

// Key is one field of an order.
type Key struct {
	Path       value.Path
	Descending bool
}

// errParallel is what the server says too, of a sort by two arrays.
var errParallel = errors.New("cannot merge documents that are sorted by two fields with arrays")

// emptyArray is what an array without elements is sorted as: before null.
var emptyArray = bsoncore.Value{Type: bsoncore.TypeUndefined}

// ParseOrder reads a sort document.
func ParseOrder(sort bson.Raw) (Order, error) {
	var order Order
	for name, v := range value.All(sort) {
		direction, isNumber := value.Number(v)
		if !isNumber || direction != 1 && direction != -1 {
			return nil, fmt.Errorf("a sort by %q is neither 1 nor -1, and several shards cannot be merged by anything else",
				name)
		}
		key := Key{Path: value.ParsePath(string(name)), Descending: direction < 0}
		for _, part := range key.Path {
			if _, err := strconv.Atoi(part); err == nil {
				return nil, fmt.Errorf("a sort by %q, where a number is part of the name, cannot be merged; sort by another field",
					name)
			}
		}
		order = append(order, key)
	}
	return order, nil
}

// Overlaps says whether the order depends on what becomes of a field.
func (o Order) Overlaps(path value.Path) bool {
	return slices.ContainsFunc(o, func(key Key) bool { return key.Path.Overlaps(path) })
}

// Keys appends the values that a document is sorted by: of an array the least of its elements, or the greatest when it
// is sorted by descending.
func (o Order) Keys(dst []bsoncore.Value, document []byte) ([]bsoncore.Value, error) {
	arrays := 0
	for i := range o {
		v, array := o[i].of(document, o[i].Path)
		if array {
			arrays++
		}
		dst = append(dst, v)
	}
	if arrays > 1 {
		return nil, errParallel
	}
	return dst, nil
}

// Compare says which of two documents comes first by their keys.
func (o Order) Compare(a, b []bsoncore.Value) int {
	for i := range o {
		c := value.Compare(a[i], b[i])
		if o[i].Descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// of is the value of the rest of a path in a document, and whether an array was in its way.
func (k *Key) of(document []byte, path value.Path) (_ bsoncore.Value, array bool) {
	found, ok := value.Field(document, path[0])
	switch {
	case !ok:
		return value.Missing, false
	case found.Type == bsoncore.TypeArray:
		return k.extreme(found.Data, path[1:]), true
	case len(path) == 1:
		return found, false
	case found.Type == bsoncore.TypeEmbeddedDocument:
		return k.of(found.Data, path[1:])
	default:
		return value.Missing, false
	}
}

// extreme is the least value, or the greatest, among those of an array's elements.
func (k *Key) extreme(array []byte, rest value.Path) bsoncore.Value {
	best := value.Missing
	if len(rest) == 0 {
		best = emptyArray
	}
	first := true
	for _, v := range value.All(array) {
		v = k.within(v, rest)
		if c := value.Compare(v, best); first || k.Descending && c > 0 || !k.Descending && c < 0 {
			best, first = v, false
		}
	}
	return best
}

// within is the value of the rest of a path, if any is left, in an element of an array.
func (k *Key) within(element bsoncore.Value, rest value.Path) bsoncore.Value {
	if len(rest) == 0 {
		return element
	}
	if element.Type != bsoncore.TypeEmbeddedDocument {
		return value.Missing
	}
	found, _ := k.of(element.Data, rest)
	return found
}

// Range says which of a number of merged documents are wanted.
type Range struct {
	// Skip are the first that are not. Limit is how many are, and negative for all.
	Skip, Limit int64
}

// NewRange is that of a request, in which a limit of 0 is none.
func NewRange(skip, limit int64) Range {
	return Range{Skip: skip, Limit: cmp.Or(limit, -1)}
}

// Asked is the limit that every shard is given, 0 for none.
func (r Range) Asked() int64 {
	if r.Limit < 0 {
		return 0
	}
	return r.Skip + r.Limit
}

// Of are the documents that are wanted.
func (r Range) Of(documents []bson.Raw) []bson.Raw {
	documents = documents[min(r.Skip, int64(len(documents))):]
	if r.Limit < 0 {
		return documents
	}
	return documents[:min(r.Limit, int64(len(documents)))]
}

// cut takes a $skip or $limit.
func (r *Range) cut(stage string, argument bsoncore.Value) error {
	number, ok := value.Number(argument)
	switch {
	case !ok:
		return fmt.Errorf("it is of type %s, not a number", argument.Type)
	case stage == "$skip":
		r.Skip += number
		if r.Limit >= 0 {
			r.Limit = max(r.Limit-number, 0)
		}
	case r.Limit < 0 || number < r.Limit:
		r.Limit = number
	}
	return nil
}

// effect is what a projection does to a field.
type effect uint8

const (
	computes effect = iota
	includes
	excludes
)

func effectOf(v bsoncore.Value) effect {
	set, isBool := v.BooleanOK()
	if !isBool {
		number, ok := value.Number(v)
		if !ok {
			return computes
		}
		// A fraction is no 0, though it is cut off to one.
		set = number != 0 || v.Type == bsoncore.TypeDouble && v.Double() != 0
	}
	if set {
		return includes
	}
	return excludes
}

const idField = "_id"

// Project appends a projection by which the shards send what the order needs, though the given one leaves it out: what
// is merged by has to be there. It refuses a projection that makes something else of such a field.
func (o Order) Project(dst []byte, projection bson.Raw) ([]byte, error) {
	start, dst := bsoncore.AppendDocumentStart(dst)
	inclusion := isInclusion(projection)
	for name, v := range value.All(projection) {
		drop, err := o.drops(string(name), effectOf(v))
		if err != nil {
			return nil, err
		}
		if !drop {
			dst = appendElement(dst, name, v)
		}
	}
	if inclusion {
		for i := range o {
			if o[i].included(projection) || o[:i].Overlaps(o[i].Path) {
				continue
			}
			dst = bsoncore.AppendInt32Element(dst, o[i].Path.String(), 1)
		}
	}
	return end(dst, start), nil
}

// isInclusion says whether a projection names what is wanted, rather than what is not.
func isInclusion(projection bson.Raw) bool {
	id := false
	for name, v := range value.All(projection) {
		kind := effectOf(v)
		if string(name) != idField || kind == computes {
			return kind != excludes
		}
		id = kind == includes
	}
	return id
}

// drops says whether an element of a projection has to go, for it would leave out what the order needs.
func (o Order) drops(name string, kind effect) (bool, error) {
	path := value.ParsePath(name)
	for i := range o {
		if !o[i].Path.Overlaps(path) {
			continue
		}
		same := len(path) == len(o[i].Path)
		switch {
		case kind == excludes && same:
			return true, nil
		case kind == includes && len(path) <= len(o[i].Path):
		default:
			return false, fmt.Errorf("the projection of %q changes what is sorted by, %q, by which several shards are merged; "+
				"project the whole field, or sort by another", name, o[i].Path)
		}
	}
	return false, nil
}

// included says whether an inclusion has the key already.
func (k *Key) included(projection bson.Raw) bool {
	if k.Path[0] == idField {
		// It is there unless it is excluded, and that is dropped.
		return true
	}
	for name, v := range value.All(projection) {
		if effectOf(v) == includes && k.Path.Overlaps(value.ParsePath(string(name))) {
			return true
		}
	}
	return false
}

// end ends the document that began at start.
func end(dst []byte, start int32) []byte {
	dst = append(dst, 0)
	return bsoncore.UpdateLength(dst, start, int32(len(dst))-start)
}

func appendElement[Name []byte | string](dst []byte, name Name, v bsoncore.Value) []byte {
	dst = append(dst, byte(v.Type))
	dst = append(append(dst, name...), 0)
	return append(dst, v.Data...)
}
