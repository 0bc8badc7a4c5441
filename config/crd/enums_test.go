package crd_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
)

// Why a set of values may be closed: what a new value would take.
const (
	// program is a value that stands for code: a new one comes with a version of the operator, whose chart has the
	// definitions, and means nothing to the version before.
	program = "what this operator and its load generator do"
	// exact is a value of something that has no others.
	exact = "there are no others"
	// driver is a value of a protocol, for which the load generator's drivers have to change first.
	driver = "what the load generator's drivers can ask for"
	// kubernetes is a value that Kubernetes declares.
	kubernetes = "Kubernetes' own"
)

// closed are the enums with the reason why each may be one, by their values. A name of something that changes without
// the operator, such as a version, a storage engine or a compressor, is none of these: it is a text that the condition
// Accepted is about, which lists those that are known.
var closed = map[string]string{
	"Delete;KeepOnFailure;Keep": program,
	"Exclusive;Shared":          program,
	"Uniform;Zipfian;ScrambledZipfian;Latest;HotSpot;Exponential;Sequential;NURand": program,
	"Histograms;Operations": program,
	"CSV;NDJSON":            program,
	"OTLP;RemoteWrite":      program,
	"Ordered;Hashed":        program,
	"ObjectID;Sequence;Int;Long;Double;Bool;Date;String;Binary;UUID;Choice;Serial;Document;Array;" +
		"Decimal128;Timestamp;Regex;GeoPoint;Words;Fake;Reference;FromFile;Vector": program,
	"Name;FirstName;LastName;Email;Phone;Company;Address;City;Country;URL;UserAgent;IPv4": program,
	"English;German;French;Russian;Greek;Chinese;Mixed":                                   program,
	"Ascending;Descending;Hashed;Text;Sphere2D;Plane2D":                                   driver,
	"Unique;Sparse;Hidden":  driver,
	"Upper;Lower;Off":       driver,
	"Search;VectorSearch":   driver,
	"Array;Float32":         program,
	"Seconds;Minutes;Hours": driver,
	"Strict;Moderate":       driver,
	"Error;Warn":            driver,
	"BeforeLoad;AfterLoad":  program,
	"Ordered;Unordered":     driver,
	"IfClean;Never":         program,
	"CSV;NDJSON;BSON":       program,
	"Forbidden;Allowed":     program,
	"Count;Sample;All":      program,
	"Application;Driver;Wire;Prepared;Text;HandlerSocket": program,
	"Always;IfNotPresent;Never":                           kubernetes,
	"Image;Namespace":                                     program,
	"Preferred;Required;None":                             program,
	"None;Memory;OSCache;Synced;Majority":                 program,
	"None;Memory;Synced;Majority":                         program,
	"Memory;OSCache;Synced":                               program,
	"Visible;Hidden":                                      exact,
	"Enabled;Disabled":                                    exact,
	"Fail;Tolerate":                                       program,
	"None;Exclusive":                                      program,
	"Operator;MongoDBCommunity":                           program,
	"Disabled;Preferred;Required":                         program,
	"Disabled;Enabled;Window":                             program,
	"Dedicated;Shard":                                     program,
	"Mongos;Client":                                       program,
	"P50;P90;P95;P99;P999":                                program,
	"Primary;Secondary":                                   program,
	"StepDown;Freeze;DeletePod;Partition;StartBalancer;StopBalancer;RefineShardKey;ReshardCollection;" +
		"CreateIndex;DropIndex;Reconnect;MoveCollection;UnshardCollection;TransitionFromDedicatedConfigServer;" +
		"TransitionToDedicatedConfigServer;Compact;AnalyzeShardKey": program,
	"Constant;Poisson;Trace":       program,
	"All;Most;Any;None":            program,
	"All;FirstBatch;FirstDocument": program,
	"InsertOne;InsertMany;FindOne;Find;UpdateOne;ReplaceOne;DeleteOne;ReadModifyWrite;Aggregate;" +
		"CountDocuments;RunCommand;UpdateMany;DeleteMany;FindOneAndUpdate;BulkWrite;Transaction;" +
		"ChangeStream;Tail;Distinct;FindOneAndDelete;FindOneAndReplace;" +
		"EstimatedDocumentCount;InsertThenFind;Connect;Flow;InsertThenWatch": program,
	"Document;Documents;Count;Inserted;Matched;Modified;Deleted": program,
	"Direct;Gateway":                      program,
	"Always;Never":                        program,
	"TCP;TLS;Hello;Ready":                 exact,
	"Ascending;Descending":                exact,
	"Nothing;Insert":                      program,
	"Constant;Uniform;Exponential;Normal": program,
	"Reply;Start":                         program,
	"Key;ObjectID;Int;Long;Double;Bool;Date;String;Binary;UUID;Choice;" +
		"Decimal128;Timestamp;Regex;GeoPoint;Words;Fake;FromFile;Vector": program,
	"Local;Available;Majority;Linearizable;Snapshot":                driver,
	"Primary;PrimaryPreferred;Secondary;SecondaryPreferred;Nearest": driver,

	"Required;NotRequired":        driver,
	"ConnectionString;Never;Once": program,
	"None;Causal;Snapshot":        program,
	"Recorded;AsFastAsPossible":   program,
	"Skip;Send":                   program,
	"Compare;Ignore":              program,
	"True;False;Unknown":          kubernetes,
	"OperationsPerSecond;MeanMicros;P50Micros;P95Micros;P99Micros;P999Micros;P9999Micros;" +
		"StdDevMicros;RecallPerMillion;FirstDocumentP50Micros;ErrorsPerMillion;LoadDocumentsPerSecond;StorageBytes;" +
		"IndexBytes;ReplicationLagMillis;CostPerMillionOperationsMicros;CostPerMonthAtRateMicros": program,
	"Never;Regressed;Inconclusive;NotDetected": program,
	"add;remove;replace;move;copy;test":        exact,
	"Interleaved;Sequential;Shuffled;Duet":     program,
	"Alternating;Concurrent":                   program,
	"AfterCurrent;Now":                         program,
	"CPU;Memory;Members;Cost":                  program,
	"None;PerVariant":                          program,
	"HigherIsBetter;LowerIsBetter":             exact,
}

func joined(enum []apiextensions.JSON) string {
	values := make([]string, 0, len(enum))
	for _, value := range enum {
		values = append(values, fmt.Sprint(value))
	}
	return strings.Join(values, ";")
}

// TestEnums has each enum listed above, and no list of versions.
func TestEnums(t *testing.T) {
	unused := map[string]bool{}
	for values := range closed {
		unused[values] = true
	}
	number := regexp.MustCompile(`(^|;)v?[0-9.]+(;|$)`)
	for _, v := range versions(t) {
		walk("", v.schema, func(path string, schema *apiextensions.JSONSchemaProps) {
			if len(schema.Enum) == 0 {
				return
			}
			known := joined(schema.Enum)
			if number.MatchString(known) {
				t.Errorf("%s: %s: %s has a number or version: check it with the condition Accepted", v.name, path, known)
			}
			if closed[known] == "" {
				t.Errorf("%s: %s: say above why %s is closed, or make it a text that is checked with the condition Accepted",
					v.name, path, known)
			}
			delete(unused, known)
		})
	}
	for values := range unused {
		t.Errorf("%s: no field has these values any more", values)
	}
}
