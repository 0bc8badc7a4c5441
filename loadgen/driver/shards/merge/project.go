package merge

import (
	"encoding/binary"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

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
	start, dst := begin(dst)
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

// begin starts a document at the end of dst.
func begin(dst []byte) (start int, _ []byte) {
	return len(dst), append(dst, 0, 0, 0, 0)
}

// end ends the document that began at start.
func end(dst []byte, start int) []byte {
	dst = append(dst, 0)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}

func appendElement[Name []byte | string](dst []byte, name Name, v bsoncore.Value) []byte {
	dst = append(dst, byte(v.Type))
	dst = append(append(dst, name...), 0)
	return append(dst, v.Data...)
}
