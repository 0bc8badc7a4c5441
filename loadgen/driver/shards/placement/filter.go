package placement

import (
	"bytes"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

// Targets are the shards on which documents may lie that a filter selects: it is looked at for the field that decides,
// at its top and in an $and there, for a value, $eq, $in, and with ranges $gt, $gte, $lt and $lte.
//
// A filter that contradicts itself selects nothing, on any one of them.
func (r *Rule) Targets(filter bson.Raw) Set {
	targets := r.targets(filter)
	if targets == 0 {
		return Only(r.all.First())
	}
	return targets
}

func (r *Rule) targets(filter bson.Raw) Set {
	targets := r.all
	for name, v := range value.All(filter) {
		switch {
		case string(name) == "$and" && v.Type == bsoncore.TypeArray:
			for _, branch := range value.All(v.Data) {
				if branch.Type == bsoncore.TypeEmbeddedDocument {
					targets &= r.targets(bson.Raw(branch.Data))
				}
			}
		case r.decides(name):
			targets &= r.selected(v)
		}
	}
	return targets
}

// decides says whether a name in a filter is that of the field that decides, without putting it together.
func (r *Rule) decides(name []byte) bool {
	for i, part := range r.path {
		if i > 0 {
			if len(name) == 0 || name[0] != '.' {
				return false
			}
			name = name[1:]
		}
		if len(name) < len(part) || string(name[:len(part)]) != part {
			return false
		}
		name = name[len(part):]
	}
	return len(name) == 0
}

// Pins says whether a filter selects documents of one value only of the field that decides: of one shard, whatever the
// value is.
func (r *Rule) Pins(filter bson.Raw) bool {
	for name, v := range value.All(filter) {
		if string(name) == "$and" && r.anyPins(v) || r.decides(name) && isOneValue(v) {
			return true
		}
	}
	return false
}

// anyPins says whether one of the filters of an $and does.
func (r *Rule) anyPins(branches bsoncore.Value) bool {
	if branches.Type != bsoncore.TypeArray {
		return false
	}
	for _, branch := range value.All(branches.Data) {
		if branch.Type == bsoncore.TypeEmbeddedDocument && r.Pins(bson.Raw(branch.Data)) {
			return true
		}
	}
	return false
}

// isOneValue says whether what a filter demands of a field is that it has a value.
func isOneValue(v bsoncore.Value) bool {
	if !isOperators(v) {
		return isValue(v)
	}
	v, ok := value.Field(v.Data, "$eq")
	return ok && isValue(v)
}

// isOperators says whether a value in a filter is a document of operators.
func isOperators(v bsoncore.Value) bool {
	if v.Type != bsoncore.TypeEmbeddedDocument {
		return false
	}
	name, _, ok := value.First(v.Data)
	return ok && bytes.HasPrefix(name, []byte("$"))
}

// isValue says whether a filter with this value selects documents by their having the same: a regular expression
// selects many, and an array those that have it as an element too, which a shard key has not.
func isValue(v bsoncore.Value) bool {
	return v.Type != bsoncore.TypeRegex && v.Type != bsoncore.TypeArray
}

// selected are the shards of what a filter demands of the field that decides.
func (r *Rule) selected(v bsoncore.Value) Set {
	if !isOperators(v) {
		return r.equal(v)
	}
	targets, first, last := r.all, 0, len(r.bounds)
	for name, operand := range value.All(v.Data) {
		switch string(name) {
		case "$eq":
			targets &= r.equal(operand)
		case "$in":
			targets &= r.among(operand)
		case "$gt", "$gte":
			first = max(first, r.rangeOf(operand))
		case "$lt", "$lte":
			last = min(last, r.rangeOf(operand))
		}
	}
	return targets & r.between(first, last)
}

func (r *Rule) equal(v bsoncore.Value) Set {
	if !isValue(v) {
		return r.all
	}
	return Only(r.Shard(v))
}

func (r *Rule) among(list bsoncore.Value) Set {
	if list.Type != bsoncore.TypeArray {
		return r.all
	}
	var targets Set
	for _, v := range value.All(list.Data) {
		targets |= r.equal(v)
	}
	return targets
}

// between are the shards of the ranges from one number to another.
func (r *Rule) between(first, last int) Set {
	if r.hashed || last-first >= r.shards-1 {
		return r.all
	}
	var targets Set
	for number := first; number <= last; number++ {
		targets |= Only(number % r.shards)
	}
	return targets
}
