package mongo_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/testing/mongotest"
)

// text is a document of a plan, which is a string of Extended JSON.
func text(extended string) planv1.Document { return benchv1alpha1.Verbatim(extended) }

// german compares texts as a German phone book does.
var german = &planv1.Collation{
	Locale: "de", Strength: new(int32(2)), CaseLevel: new(benchv1alpha1.Enabled),
	CaseFirst: new(benchv1alpha1.CaseFirstUpper), NumericOrdering: new(benchv1alpha1.Enabled),
}

const asGerman = `{"locale": "de", "strength": 2, "caseLevel": true, "caseFirst": "upper", "numericOrdering": true}`

// declared is a collection, with what a server that has it lists.
type declared struct {
	collection planv1.Collection
	// kind is the type that the server lists, options are some of its options, and indexes some of each index besides
	// those that the server makes by itself.
	kind, options string
	indexes       []string
	// since is the first release that has it; without is what any before says.
	since   mongod.Release
	without string
}

func indexOf(index planv1.Index, field, order string) planv1.Collection {
	index.Keys = []planv1.IndexKey{{Field: field, Order: order}}
	return planv1.Collection{Indexes: []planv1.Index{index}}
}

func everyOption() map[string]declared {
	return map[string]declared{
		"a time series": {
			collection: planv1.Collection{TimeSeries: &planv1.TimeSeriesOptions{
				TimeField: "at", MetaField: new("sensor"), Granularity: new(benchv1alpha1.GranularityMinutes),
				ExpireAfterSeconds: new(int32(1 << 30)),
			}, Compressor: "zlib"},
			kind: "timeseries", options: `{"expireAfterSeconds": 1073741824, "timeseries": {"timeField": "at",
				"metaField": "sensor", "granularity": "minutes", "bucketMaxSpanSeconds": 86400}}`,
			since: mongod.Release{Major: 5}, without: "options.timeSeries needs MongoDB 5.0 or later, and this is 4.",
		},
		"a time series with a span of its own": {
			collection: planv1.Collection{TimeSeries: &planv1.TimeSeriesOptions{
				TimeField: "at", BucketMaxSpanSeconds: new(int32(300)),
			}},
			kind: "timeseries", options: `{"timeseries": {"timeField": "at", "bucketMaxSpanSeconds": 300,
				"bucketRoundingSeconds": 300}}`,
			since: mongod.Release{Major: 6, Minor: 3}, without: "needs MongoDB",
		},
		"a clustered collection": {
			collection: planv1.Collection{Clustered: &planv1.ClusteredOptions{ExpireAfterSeconds: new(int32(1 << 30))}},
			kind:       "collection", options: `{"expireAfterSeconds": 1073741824,
				"clusteredIndex": {"key": {"_id": 1}, "unique": true}}`,
			since: mongod.Release{Major: 5, Minor: 3}, without: "options.clustered needs MongoDB 5.3 or later, and this is",
		},
		"a collation": {
			collection: planv1.Collection{Collation: german}, kind: "collection", options: `{"collation": ` + asGerman + `}`,
		},
		"a validator": {
			collection: planv1.Collection{Validator: &planv1.Validator{
				Filter: text(`{"$jsonSchema": {"required": ["n"]}}`), Level: new(benchv1alpha1.ValidationModerate),
				Action: new(benchv1alpha1.ValidationWarn),
			}},
			kind: "collection", options: `{"validator": {"$jsonSchema": {"required": ["n"]}},
				"validationLevel": "moderate", "validationAction": "warn"}`,
		},
		"a strict validator": {
			collection: planv1.Collection{Validator: &planv1.Validator{
				Filter: text(`{"n": {"$gt": 0}}`), Level: new(benchv1alpha1.ValidationStrict),
				Action: new(benchv1alpha1.ValidationError),
			}},
			kind: "collection", options: `{"validator": {"n": {"$gt": 0}}, "validationLevel": "strict",
				"validationAction": "error"}`,
		},
		"images of changes": {
			collection: planv1.Collection{PreAndPostImages: true},
			kind:       "collection", options: `{"changeStreamPreAndPostImages": {"enabled": true}}`,
			since: mongod.Release{Major: 6}, without: "options.changeStreamPreAndPostImages needs MongoDB 6.0 or later",
		},
		"a view": {
			collection: planv1.Collection{View: &planv1.View{
				Source: "things", Pipeline: text(`[{"$match": {"n": {"$gte": 100}}}]`),
			}},
			kind: "view", options: `{"viewOn": "things", "pipeline": [{"$match": {"n": {"$gte": 100}}}]}`,
		},
	}
}

func everyIndex() map[string]declared {
	return map[string]declared{
		"a partial index": {
			collection: indexOf(planv1.Index{PartialFilter: text(`{"n": {"$gte": 5}}`)}, "a", "1"),
			indexes:    []string{`{"key": {"a": 1}, "name": "a_1", "partialFilterExpression": {"n": {"$gte": 5}}}`},
		},
		"a hidden index": {
			collection: indexOf(planv1.Index{Hidden: true}, "a", "1"), indexes: []string{`{"name": "a_1", "hidden": true}`},
			since:   mongod.Release{Major: 4, Minor: 4},
			without: "indexes[0].properties needs MongoDB 4.4 or later, and this is 4.2",
		},
		"an index with a collation": {
			collection: indexOf(planv1.Index{Collation: german}, "a", "1"),
			indexes:    []string{`{"name": "a_1", "collation": ` + asGerman + `}`},
		},
		"a text index": {
			collection: planv1.Collection{Indexes: []planv1.Index{{
				Keys: []planv1.IndexKey{{Field: "title", Order: "text"}, {Field: "body", Order: "text"}},
				Text: &planv1.TextIndex{
					DefaultLanguage: new("german"), Weights: []benchv1alpha1.TextWeight{{Field: "title", Weight: 10}},
				},
			}}},
			indexes: []string{`{"key": {"_fts": "text", "_ftsx": 1}, "name": "title_text_body_text",
				"default_language": "german", "weights": {"title": 10, "body": 1}}`},
		},
		"an index of places": {
			collection: indexOf(planv1.Index{}, "place", "2dsphere"),
			indexes:    []string{`{"key": {"place": "2dsphere"}, "name": "place_2dsphere"}`},
		},
		"an index of a plane": {
			collection: indexOf(planv1.Index{}, "point", "2d"),
			indexes:    []string{`{"key": {"point": "2d"}, "name": "point_2d"}`},
		},
		"a wildcard of some fields": {
			collection: indexOf(planv1.Index{WildcardProjection: text(`{"a": true}`)}, "$**", "1"),
			indexes:    []string{`{"key": {"$**": 1}, "wildcardProjection": {"a": true}}`},
		},
	}
}

func TestCollectionsAndIndexesAreMadeAsDeclared(t *testing.T) {
	for _, version := range mongotest.All() {
		t.Run("mongod "+version, func(t *testing.T) {
			server := replicaSet(t, version)
			target, db := open(t, server), database(t, server, "options")
			for _, cases := range []map[string]declared{everyOption(), everyIndex()} {
				for name, tc := range cases {
					t.Run(name, func(t *testing.T) { checkMade(t, target, db, mongod.ParseRelease(version), tc) })
				}
			}
		})
	}
}

// checkMade makes a collection, or is refused it.
func checkMade(t *testing.T, target *mongo.Target, db *driver.Database, release mongod.Release, tc declared) {
	t.Helper()
	tc.collection.Name = "made"
	err := target.Prepare(t.Context(), db.Name(), tc.collection)
	if !release.AtLeast(tc.since) {
		wantMissing(t, err, tc.without)
		return
	}
	if err == nil {
		err = target.Index(t.Context(), db.Name(), tc.collection)
	}
	if err != nil {
		t.Fatal(err)
	}
	checkListed(t, db, tc)
	// A load that is gone on with finds it there.
	if err := target.Create(t.Context(), db.Name(), tc.collection); err != nil {
		t.Errorf("again: %v", err)
	}
}

// wantMissing wants what a server is too old for to be refused, by a sentence with both versions.
func wantMissing(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

// checkListed reads back what the server has made.
func checkListed(t *testing.T, db *driver.Database, tc declared) {
	t.Helper()
	found, err := db.ListCollectionSpecifications(t.Context(), bson.D{{Key: "name", Value: "made"}})
	if err != nil || len(found) != 1 {
		t.Fatalf("%d collections, error %v; want one", len(found), err)
	}
	if tc.kind != "" && found[0].Type != tc.kind {
		t.Errorf("it is a %s, want a %s", found[0].Type, tc.kind)
	}
	if tc.options != "" {
		wantWithin(t, "options", encodeText(t, tc.options), found[0].Options)
	}
	if len(tc.indexes) == 0 {
		return
	}
	cursor, err := db.Collection("made").Indexes().List(t.Context())
	var listed []bson.Raw
	if err == nil {
		err = cursor.All(t.Context(), &listed)
	}
	if err != nil || len(listed) != 1+len(tc.indexes) {
		t.Fatalf("indexes %v, error %v; want %d besides the one on _id", listed, err, len(tc.indexes))
	}
	for i, want := range tc.indexes {
		wantWithin(t, "index", encodeText(t, want), listed[1+i])
	}
}

// wantWithin wants the fields of a document in another, which may have more.
func wantWithin(t *testing.T, name string, want, got bson.Raw) {
	t.Helper()
	elements, err := want.Elements()
	if err != nil {
		t.Fatal(err)
	}
	for _, element := range elements {
		found, path := got.Lookup(element.Key()), name+"."+element.Key()
		if within, ok := element.Value().DocumentOK(); ok && found.Type == bson.TypeEmbeddedDocument {
			wantWithin(t, path, within, found.Document())
			continue
		}
		number, isNumber := element.Value().AsInt64OK()
		other, otherIs := found.AsInt64OK()
		if isNumber && otherIs && number == other {
			continue
		}
		if !element.Value().Equal(found) {
			t.Errorf("%s is %s, want %s", path, found, element.Value())
		}
	}
}

// encodeText encodes a document of Extended JSON.
func encodeText(t *testing.T, extended string) bson.Raw {
	t.Helper()
	value, err := extjson.Parse(extended)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := extjson.Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	return encoded.Document()
}
