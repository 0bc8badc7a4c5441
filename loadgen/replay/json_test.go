package replay

import (
	"bytes"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

var jsonTexts = []string{
	`{}`, `{"a": 1, "b": -2147483649, "c": 9223372036854775807, "d": 1.5, "e": -1e3, "f": 99999999999999999999}`,
	`{"a": "x\u00e9\ud83d\ude00\n\"\\\/", "": "", "ü": "é"}`, `{"a": [1, [2, []], {"b": [{}]}], "t": true, "f": false, "n": null}`,
	`{"a": {"$oid": "64b7c3f2a1d2e3f405162738"}, "b": {"$numberInt": "-5"}, "c": {"$numberLong": "123456789012"}}`,
	`{"a": {"$numberDouble": "NaN"}, "b": {"$numberDecimal": "1.10"}, "c": {"$date": "2026-03-01T12:00:00.250Z"}}`,
	`{"a": {"$date": {"$numberLong": "1772366400000"}}, "b": {"$date": "2026-11-28T22:21:08.000+00:00"}}`,
	`{"a": {"$uuid": "129b35be-26ed-4f9e-8a51-3d9bc8633d92"}, "b": {"$binary": {"base64": "AQID", "subType": "80"}}}`,
	`{"a": {"$timestamp": {"t": 1, "i": 2}}, "b": {"$regularExpression": {"pattern": "a", "options": "i"}}, "c": {"$minKey": 1}}`,
	`{"a": {"$gt": 3, "$lt": {"$numberLong": "4"}}, "b": {"$in": [{"$oid": "64b7c3f2a1d2e3f405162738"}]}, "c": {"$set": {}}}`,
	` { "a" : [ 1 , 2 ] , "b" : { } } `,
}

func TestJSONIsReadAsPackageBSONDoes(t *testing.T) {
	for _, text := range jsonTexts {
		var want bson.Raw
		if err := bson.UnmarshalExtJSON([]byte(text), false, &want); err != nil {
			t.Fatal(err)
		}
		got, err := parseJSON([]byte(text))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is read as\n%s, %v; want\n%s", text, got, err, want)
		}
	}
}

func TestWhatIsNoJSONIsRefused(t *testing.T) {
	for _, text := range []string{
		``, `{`, `[]`, `1`, `{}}`, `{"a"}`, `{"a": }`, `{"a": 01}`, `{"a": 1.}`, `{"a": -}`, `{"a": +1}`, `{"a": "x}`, `{"a": "\x"}`,
		`{"a": "\u12"}`, `{"a\u0000": 1}`, `{"a": 1,}`, `{"a": [1,]}`, `{"a": tru}`, `{a: 1}`, "{\"a\": \"\n\"}", `{"a": 1 "b": 2}`,
		"{\"a\": \"\xff\"}", strings.Repeat(`{"a": `, 300) + `1` + strings.Repeat(`}`, 300),
	} {
		if got, err := parseJSON([]byte(text)); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

// FuzzJSON compares what is read with what package bson reads: whatever both take they read alike.
func FuzzJSON(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := parseJSON(text)
		if err != nil {
			return
		}
		if err := got.Validate(); err != nil {
			t.Fatalf("%q is read as %x: %v", text, []byte(got), err)
		}
		var want bson.Raw
		if bson.UnmarshalExtJSON(text, false, &want) == nil && want.Validate() == nil && !bytes.Equal(got, want) {
			t.Errorf("%q is read as\n%s, want\n%s", text, got, want)
		}
	})
}
