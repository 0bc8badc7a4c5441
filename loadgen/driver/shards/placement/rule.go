package placement

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"sort"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
)

// orderHashed is what a hashed key has as its order.
const orderHashed = "hashed"

// idField is what documents of a collection without a shard key are spread by.
const idField = "_id"

// Rule says where the documents of one collection lie. It is read-only.
type Rule struct {
	shards int
	// Key are all fields of the shard key, path is the one that decides, and Field its name.
	Key   []value.Path
	path  value.Path
	Field string
	// hashed is set when the hash decides; otherwise bounds are the split points: range i begins with bound i-1.
	hashed bool
	bounds []bsoncore.Value
	// Shards are those that documents may lie on.
	Shards Set
}

// New reads what a plan says of a collection.
func New(collection planv1.Collection, shards int) (*Rule, error) {
	r := &Rule{shards: shards, hashed: true, path: value.Path{idField}, Shards: All(shards)}
	r.Key = []value.Path{r.path}
	if declared := collection.Sharding; declared != nil {
		if err := r.read(collection, declared); err != nil {
			return nil, fmt.Errorf("collection %q: sharding: %w", collection.Name, err)
		}
	}
	if err := r.check(collection.Fields); err != nil {
		return nil, fmt.Errorf("collection %q: %w", collection.Name, err)
	}
	r.Field = r.path.String()
	return r, nil
}

// read takes the shard key.
func (r *Rule) read(collection planv1.Collection, declared *planv1.Sharding) error {
	if len(declared.Zones) > 0 {
		return errors.New("zones need a mongos: they cannot be had when the load generator routes; remove them")
	}
	if len(declared.Key) == 0 {
		return errors.New("key: there are no fields")
	}
	r.Key, r.hashed = nil, false
	for i, key := range declared.Key {
		path := value.ParsePath(key.Field)
		r.Key = append(r.Key, path)
		if hashed := key.Order == orderHashed; hashed || i == 0 {
			r.path, r.hashed = path, hashed
		}
	}
	if r.hashed {
		if len(declared.SplitPoints) > 0 {
			return fmt.Errorf("splitPoints: the hash of %q alone decides when the load generator routes; remove them", r.path)
		}
		return nil
	}
	if err := r.split(collection, declared); err != nil {
		return err
	}
	r.Shards = All(min(len(r.bounds)+1, r.shards))
	return nil
}

// split finds the split points: the declared ones, or of a Sequence those that give every shard as many documents.
func (r *Rule) split(collection planv1.Collection, declared *planv1.Sharding) error {
	for i, text := range declared.SplitPoints {
		bound, err := parse(text)
		if err != nil {
			return fmt.Errorf("splitPoints[%d]: %w", i, err)
		}
		if i > 0 && value.Compare(r.bounds[i-1], bound) >= 0 {
			return fmt.Errorf("splitPoints[%d]: it is not above the one before, in MongoDB's order", i)
		}
		r.bounds = append(r.bounds, bound)
	}
	if len(declared.SplitPoints) > 0 {
		return nil
	}
	name := r.path.String()
	index := slices.IndexFunc(collection.Fields, func(f planv1.Field) bool { return f.Name == name })
	if index < 0 || collection.Fields[index].Type != benchv1alpha1.GeneratorSequence {
		return nil
	}
	sequence, documents := collection.Fields[index].Value, max(collection.DocumentCount, collection.GrowsTo)
	for i := 1; i < r.shards; i++ {
		high, low := bits.Mul64(uint64(documents), uint64(i))
		record, _ := bits.Div64(high, low, uint64(r.shards))
		if sequence.Step < 0 {
			// The lowest values are those of the last records.
			record = uint64(documents) - record - 1
		}
		point := sequence.Start + sequence.Step*int64(record)
		r.bounds = append(r.bounds, bsoncore.Value{Type: bsoncore.TypeInt64, Data: bsoncore.AppendInt64(nil, point)})
	}
	return nil
}

// check refuses fields that cannot be in a shard key: MongoDB takes no arrays there.
func (r *Rule) check(fields []planv1.Field) error {
	for _, field := range fields {
		for _, path := range r.Key {
			if field.Type == benchv1alpha1.GeneratorArray && path.Overlaps(value.ParsePath(field.Name)) {
				return fmt.Errorf("field %q is an Array, and in the shard key, which MongoDB allows no arrays in", field.Name)
			}
		}
	}
	return nil
}

func parse(text string) (bsoncore.Value, error) {
	parsed, err := extjson.Parse(text)
	if err != nil {
		return bsoncore.Value{}, err
	}
	encoded, err := extjson.Encode(parsed)
	if err != nil {
		return bsoncore.Value{}, err
	}
	return bsoncore.Value{Type: bsoncore.Type(encoded.Type), Data: encoded.Value}, nil
}

// Of is the shard that a document belongs to.
func (r *Rule) Of(document bson.Raw) int {
	v, ok := value.Find(document, r.path)
	if !ok {
		v = value.Missing
	}
	return r.Shard(v)
}

// Shard is where documents lie with this value of the field that decides.
func (r *Rule) Shard(v bsoncore.Value) int {
	if r.hashed {
		// From the least hash to the largest, the shards one after the other.
		const sign = 1 << 63
		shard, _ := bits.Mul64(uint64(value.Hash(v))^sign, uint64(r.shards))
		return int(shard)
	}
	return r.rangeOf(v) % r.shards
}

// rangeOf is the number of the range that a value lies in: of bounds at or below it.
func (r *Rule) rangeOf(v bsoncore.Value) int {
	return sort.Search(len(r.bounds), func(i int) bool { return value.Compare(r.bounds[i], v) > 0 })
}

// MaxShards is the most shards that there may be.
const MaxShards = 64

// Set is some of the shards: bit i stands for shard i.
type Set uint64

// Only is the set of one shard.
func Only(shard int) Set {
	return 1 << shard
}

// All is the set of the first number shards.
func All(shards int) Set {
	return ^Set(0) >> (MaxShards - shards)
}

// One returns the shard of a set that has one.
func (s Set) One() (shard int, ok bool) {
	return bits.TrailingZeros64(uint64(s)), s != 0 && s&(s-1) == 0
}

// First is the shard with the lowest number, which there must be.
func (s Set) First() int {
	return bits.TrailingZeros64(uint64(s))
}

// All are the shards of a set.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for rest := s; rest != 0 && yield(rest.First()); rest &= rest - 1 {
		}
	}
}

// Len is the number of shards.
func (s Set) Len() int {
	return bits.OnesCount64(uint64(s))
}

// Targets are the shards on which documents may lie that a filter selects: it is looked at for the field that decides,
// at its top and in an $and there, for a value, $eq, $in, and with ranges $gt, $gte, $lt and $lte.
//
// A filter that contradicts itself selects nothing, on any one of them.
func (r *Rule) Targets(filter bson.Raw) Set {
	targets := r.targets(filter)
	if targets == 0 {
		return Only(r.Shards.First())
	}
	return targets
}

func (r *Rule) targets(filter bson.Raw) Set {
	targets := r.Shards
	for name, v := range value.All(filter) {
		switch {
		case string(name) == "$and" && v.Type == bsoncore.TypeArray:
			for _, branch := range value.All(v.Data) {
				if branch.Type == bsoncore.TypeEmbeddedDocument {
					targets &= r.targets(bson.Raw(branch.Data))
				}
			}
		case string(name) == r.Field:
			targets &= r.selected(v)
		}
	}
	return targets
}

// Pins says whether a filter selects documents of one value only of the field that decides: of one shard, whatever the
// value is.
func (r *Rule) Pins(filter bson.Raw) bool {
	for name, v := range value.All(filter) {
		if string(name) == "$and" && r.anyPins(v) || string(name) == r.Field && isOneValue(v) {
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
	targets, first, last := r.Shards, 0, len(r.bounds)
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
		return r.Shards
	}
	return Only(r.Shard(v))
}

func (r *Rule) among(list bsoncore.Value) Set {
	if list.Type != bsoncore.TypeArray {
		return r.Shards
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
		return r.Shards
	}
	var targets Set
	for number := first; number <= last; number++ {
		targets |= Only(number % r.shards)
	}
	return targets
}
