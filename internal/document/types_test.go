package document_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/mongobench/mongobench-operator/internal/document"
)

func TestValuesOfTypesAreToldFromWhatOnlyLooksLikeOne(t *testing.T) {
	for text, where := range map[string]string{
		`{"$oid": "0123456789abcdef01234567"}`:                     "",
		`{"a": [{"$numberLong": "-9223372036854775808"}]}`:         "",
		`{"a": {"$date": "2026-01-02T15:04:05.678+0100"}}`:         "",
		`{"a": {"$date": {"$numberLong": "5"}}}`:                   "",
		`{"a": {"$date": -5}}`:                                     "",
		`{"a": {"$numberDecimal": "1E6144"}}`:                      "",
		`{"a": {"$numberDecimal": "-0.50e-6175"}}`:                 "",
		`{"a": {"$regex": "^x", "$options": "i"}}`:                 "", // An operator of a query.
		`{"$expr": {"$gt": ["$a", {"$literal": {"$minKey": 1}}]}}`: "",
		`{"a": {"b": 1, "$oid": "x"}}`:                             "", // A document: a type's key comes first.

		`{"a": [1, {"$numberLong": "many"}]}`:                              "x.a[1]",
		`{"a": {"$numberLong": 5}}`:                                        "x.a",
		`{"a": {"$numberInt": "2147483648"}}`:                              "x.a",
		`{"a": {"$oid": "0123"}}`:                                          "x.a",
		`{"a": {"$oid": "0123456789abcdef01234567", "b": 1}}`:              "x.a",
		`{"a": {"$date": "yesterday"}}`:                                    "x.a",
		`{"a": {"$date": {"$param": "day"}}}`:                              "x.a",
		`{"a": {"$date": {}}}`:                                             "x.a",
		`{"a": {"$date": 1.5}}`:                                            "x.a",
		`{"a": {"$numberDecimal": "1E6145"}}`:                              "x.a",
		`{"a": {"$numberDecimal": "."}}`:                                   "x.a",
		`{"a": {"$numberDecimal": "12345678901234567890123456789012345"}}`: "x.a",
		`{"a": {"$timestamp": {"t": 1}}}`:                                  "x.a",
		`{"a": {"$timestamp": {"t": 1, "i": -1}}}`:                         "x.a",
		`{"a": {"$binary": {"base64": "!", "subType": "00"}}}`:             "x.a",
		`{"a": {"$uuid": "1"}}`:                                            "x.a",
		`{"a": {"$regularExpression": {"pattern": 1, "options": ""}}}`:     "x.a",
		`{"a": {"$maxKey": 2}}`:                                            "x.a",
	} {
		value, err := document.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		wrong := document.MistypedIn(value, field.NewPath("x"))
		found := make([]string, 0, len(wrong))
		for _, one := range wrong {
			found = append(found, one.Path.String())
		}
		if got := strings.Join(found, " "); got != where {
			t.Errorf("%s: there is something wrong at %q, want %q", text, got, where)
		}
	}
}

func TestMistypedValuesAreExplained(t *testing.T) {
	for text, want := range map[string]string{
		`{"$oid": "1"}`: `is no value of Extended JSON: write {$oid: "24 hexadecimal digits"} and nothing else in the braces`,
		`{"$oid": {"$param": "id"}}`: `is no value of Extended JSON: write {$oid: "24 hexadecimal digits"} and nothing ` +
			`else in the braces; a parameter stands for a whole value, so give the parameter this type and write ` +
			`{$param: name} alone`,
	} {
		value, err := document.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := document.MistypedIn(value, nil)[0].Advice(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}
