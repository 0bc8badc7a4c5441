package value_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/members"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

func TestMain(m *testing.M) {
	os.Exit(mongotest.Main(m))
}

// member is a server to ask, with an empty database.
func member(t *testing.T, version string) *members.Member {
	t.Helper()
	target, err := mongo.Open(t.Context(), mongo.Config{URIs: []string{mongotest.Shared(t, version).URI()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	members, err := target.Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(members[0].Close)
	ask(t, members[0], bson.D{{Key: "dropDatabase", Value: 1}})
	return members[0]
}

// ask sends a command and returns the documents of its first batch.
func ask(t *testing.T, member *members.Member, command bson.D) []bson.Raw {
	t.Helper()
	encoded, err := bson.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := member.Ask(t.Context(), "value", encoded)
	if err != nil {
		t.Fatal(err)
	}
	if failed, err := reply.LookupErr("writeErrors"); err == nil {
		t.Fatal(failed)
	}
	batch, _ := reply.Lookup("cursor", "firstBatch").ArrayOK()
	if batch == nil {
		return nil
	}
	values, err := batch.Values()
	if err != nil {
		t.Fatal(err)
	}
	documents := make([]bson.Raw, 0, len(values))
	for _, v := range values {
		documents = append(documents, v.Document())
	}
	return documents
}

// values are some of every type.
func values(t *testing.T) []any {
	t.Helper()
	found := make([]any, 0, 1000)
	found = append(found,
		math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e300, -1e300, 5.9, -5.9, 9007199254740993.0,
		int64(math.MaxInt64), int64(math.MinInt64), int32(math.MinInt32), int64(9007199254740993), 0.1,
		bson.Binary{Subtype: 4, Data: make([]byte, 16)},
		bson.Binary{Data: []byte("abc")},
		bson.Binary{Data: []byte{}},
		bson.Symbol("symbol"), bson.JavaScript("f()"),
		bson.CodeWithScope{Code: "g()", Scope: bson.D{{Key: "x", Value: 1}}},
		bson.Undefined{},
		bson.Timestamp{T: 5, I: 6},
		bson.Timestamp{T: math.MaxUint32},
		bson.NewObjectID(),
	)
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `5`, `{"$numberLong": "5"}`, `{"$numberDouble": "5.0"}`, `-7`, `""`, `"a"`, `"a b"`,
		`"ä"`, `"abc"`, `{"$date": {"$numberLong": "-5"}}`, `{"$date": {"$numberLong": "1700000000000"}}`,
		`{"$numberDecimal": "5"}`, `{"$numberDecimal": "5.25"}`, `{"$numberDecimal": "-1E+30"}`,
		`{"$numberDecimal": "NaN"}`, `{"$numberDecimal": "Infinity"}`, `{"$numberDecimal": "-Infinity"}`,
		`{}`, `{"a": 1}`, `{"a": 1.5, "b": {"c": "x", "d": [1, {"e": null}]}}`, `{"b": 1}`, `{"a": "x"}`,
		`{"$minKey": 1}`, `{"$maxKey": 1}`, `{"$regularExpression": {"pattern": "a", "options": "i"}}`,
		`"user0000000000001234567890 and more, so that it is longer than what is hashed without another buffer: ` +
			`Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore ` +
			`magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip"`,
	} {
		v, err := extjson.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, v)
	}
	for i := range 200 {
		found = append(found, int64(i)*math.MaxInt64/200, float64(i)*1.37, fmt.Sprintf("user%08d", i), bson.NewObjectID())
	}
	return found
}

// insert writes the values as field v of documents.
func insert(t *testing.T, member *members.Member, of []any) {
	t.Helper()
	documents := make(bson.A, 0, len(of))
	for i, v := range of {
		documents = append(documents, bson.D{{Key: "_id", Value: i}, {Key: "v", Value: v}})
	}
	ask(t, member, bson.D{{Key: "insert", Value: "values"}, {Key: "documents", Value: documents}})
}

func TestHashIsTheServers(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			member := member(t, version)
			index := bson.D{{Key: "key", Value: bson.D{{Key: "v", Value: "hashed"}}}, {Key: "name", Value: "hashed"}}
			ask(t, member, bson.D{{Key: "createIndexes", Value: "values"}, {Key: "indexes", Value: bson.A{index}}})
			all := values(t)
			insert(t, member, all)
			for i, v := range all {
				checkHash(t, member, i, v)
			}
		})
	}
}

// checkHash compares with the key in the server's index, of the document with an _id.
func checkHash(t *testing.T, member *members.Member, id int, v any) {
	t.Helper()
	encoded, err := bson.Marshal(bson.D{{Key: "v", Value: v}})
	if err != nil {
		t.Fatal(err)
	}
	keys := ask(t, member, bson.D{
		{Key: "find", Value: "values"},
		{Key: "filter", Value: bson.D{{Key: "_id", Value: id}}},
		{Key: "min", Value: bson.D{{Key: "v", Value: bson.MinKey{}}}},
		{Key: "returnKey", Value: true},
		{Key: "hint", Value: bson.D{{Key: "v", Value: "hashed"}}},
	})
	if len(keys) != 1 {
		t.Fatalf("value %v: %d keys", v, len(keys))
	}
	if got, want := value.Hash(field(encoded)), keys[0].Lookup("v").Int64(); got != want {
		t.Errorf("%T %v: hash %d, want %d", v, v, got, want)
	}
}

func TestOrderIsTheServers(t *testing.T) {
	for _, version := range mongotest.Versions() {
		t.Run("mongod "+version, func(t *testing.T) {
			member := member(t, version)
			all := values(t)
			insert(t, member, all)
			sorted := ask(t, member, bson.D{
				{Key: "find", Value: "values"},
				{Key: "sort", Value: bson.D{{Key: "v", Value: 1}}},
				{Key: "batchSize", Value: len(all) + 1},
			})
			if len(sorted) != len(all) {
				t.Fatalf("%d documents", len(sorted))
			}
			keys := checkOrder(t, sorted)
			groups := ask(t, member, bson.D{
				{Key: "aggregate", Value: "values"},
				{Key: "cursor", Value: bson.D{{Key: "batchSize", Value: len(all)}}},
				{Key: "pipeline", Value: bson.A{bson.D{{Key: "$group", Value: bson.D{{Key: "_id", Value: "$v"}}}}}},
			})
			if len(groups) != keys {
				t.Errorf("the server has %d groups of values, and there are %d keys", len(groups), keys)
			}
		})
	}
}

// checkOrder looks at documents in the server's order, and returns how many keys they have: equal values one.
func checkOrder(t *testing.T, sorted []bson.Raw) int {
	t.Helper()
	keys := map[string]bool{string(value.AppendKey(nil, field(sorted[0]))): true}
	for i := range sorted[1:] {
		a, b := field(sorted[i]), field(sorted[i+1])
		order, key := value.Compare(a, b), string(value.AppendKey(nil, b))
		if order > 0 {
			t.Errorf("%s before %s", sorted[i], sorted[i+1])
		}
		if same := string(value.AppendKey(nil, a)) == key; (order == 0) != same {
			t.Errorf("%s and %s compare as %d, and their keys are the same: %t", sorted[i], sorted[i+1], order, same)
		}
		keys[key] = true
	}
	return len(keys)
}

func field(document bson.Raw) bsoncore.Value {
	v, _ := value.Field(document, "v")
	return v
}

func TestNothingIsAllocatedToHashAndCompare(t *testing.T) {
	nested := bson.D{{Key: "v", Value: "user000000001234"}}
	document, err := bson.Marshal(bson.D{{Key: "a", Value: nested}, {Key: "v", Value: 5}})
	if err != nil {
		t.Fatal(err)
	}
	path := value.ParsePath("a.v")
	if allocations := testing.AllocsPerRun(100, func() {
		v, ok := value.Find(document, path)
		if !ok || value.Hash(v) == 0 || value.Compare(v, v) != 0 {
			t.Fatal("not found")
		}
	}); allocations > 0 {
		t.Errorf("it allocates %.0f times", allocations)
	}
}
