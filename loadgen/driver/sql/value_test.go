package sql_test

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/driver/sql"
	"github.com/mongobench/mongobench-operator/loadgen/records"
)

func TestADocumentIsFlattenedToItsValues(t *testing.T) {
	for name, tc := range map[string]struct {
		document, want string
	}{
		"a row": {
			`{"_id": {"$oid": "0102030405060708090a0b0c"}, "n": 1, "l": {"$numberLong": "2"}, "t": "x", "e": "", "b": true,
			  "d": {"$date": "2026-01-02T03:04:05.006Z"}, "f": 1.5, "u": {"$binary": {"base64": "AQI=", "subType": "00"}},
			  "z": null}`,
			"objectID 0102030405060708090a0b0c, 32-bit integer 01000000, 64-bit integer 0200000000000000, string 78, string , " +
				"boolean 01, UTC datetime 8e8ca97c9b010000, double 000000000000f83f, binary 0102, null ",
		},
		"a filter": {
			`{"_id": 7, "n": {"$gte": 1, "$lt": 2}}`,
			"32-bit integer 07000000, 32-bit integer 01000000, 32-bit integer 02000000",
		},
		"an update":    {`{"$set": {"a": "b", "c": 3}}`, "string 62, 32-bit integer 03000000"},
		"nothing":      {`{}`, ""},
		"only nothing": {`{"a": {}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := sql.Flatten(nil, raw(t, tc.document))
			if err != nil {
				t.Fatal(err)
			}
			told := make([]string, 0, len(values))
			for _, v := range values {
				told = append(told, v.Kind.String()+" "+hexOf(v.Bytes))
			}
			if got := strings.Join(told, ", "); got != tc.want {
				t.Errorf("got %s\nwant %s", got, tc.want)
			}
		})
	}
}

func hexOf(content []byte) string {
	const digits = "0123456789abcdef"
	var text strings.Builder
	for _, b := range content {
		text.WriteByte(digits[b>>4])
		text.WriteByte(digits[b&15])
	}
	return text.String()
}

func TestAValueThatNoColumnHoldsIsAnError(t *testing.T) {
	for _, document := range []string{
		`{"a": {"$regularExpression": {"pattern": "x", "options": ""}}}`, `{"a": {"$minKey": 1}}`,
	} {
		if values, err := sql.Flatten(nil, raw(t, document)); err == nil {
			t.Errorf("%s: the values are %v", document, values)
		}
	}
}

// FuzzFlatten holds documents of any bytes against BSON's own reader: what that takes is taken, with the same bytes.
func FuzzFlatten(f *testing.F) {
	f.Add([]byte(raw(f, `{"a": 1, "b": {"c": ["x", {"$oid": "0102030405060708090a0b0c"}]}, "d": true}`)))
	f.Fuzz(func(t *testing.T, content []byte) {
		values, err := sql.Flatten(nil, content)
		if records.Damage(content) != nil || err != nil {
			return
		}
		if want := leaves(t, content); len(values) != want {
			t.Errorf("%d values, and BSON's reader finds %d", len(values), want)
		}
	})
}

// leaves counts the values that hold no others.
func leaves(t *testing.T, document bson.Raw) int {
	t.Helper()
	all, err := document.Elements()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, element := range all {
		switch value := element.Value(); value.Type {
		case bson.TypeEmbeddedDocument, bson.TypeArray:
			count += leaves(t, value.Value)
		default:
			count++
		}
	}
	return count
}
