package extjson_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/document/extjson"
)

func TestValuesAreRead(t *testing.T) {
	tests := map[string]struct {
		text string
		want any
	}{
		"null":                  {`null`, nil},
		"a small number":        {`42`, int32(42)},
		"a large number":        {`5000000000`, int64(5000000000)},
		"a number with a point": {`1.0`, 1.0},
		"a canonical number":    {`{"$numberLong": "7"}`, int64(7)},
		"a date":                {`{"$date": "1970-01-01T00:00:01Z"}`, bson.DateTime(1000)},
		"keys in their order": {
			`{"z": 1, "a": {"$x": true}}`,
			bson.D{{Key: "z", Value: int32(1)}, {Key: "a", Value: bson.D{{Key: "$x", Value: true}}}},
		},
		"an array": {` [1, "a", []] `, bson.A{int32(1), "a", bson.A{}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := extjson.Parse(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.want, encodeAndDecode(t, got)); diff != "" {
				t.Errorf("encoded value (-want +got):\n%s", diff)
			}
		})
	}
}

func encodeAndDecode(t *testing.T, value any) (again any) {
	t.Helper()
	encoded, err := extjson.Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := encoded.Unmarshal(&again); err != nil {
		t.Fatal(err)
	}
	return again
}

func TestWhatIsNotOneValueIsRefused(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"nothing":                 {``, "byte 0"},
		"a word":                  {`red`, "byte 1"},
		"two values":              {`1, 2`, "byte 2"},
		"a value and a key":       {`1, "w": 2`, "byte 2"},
		"an early end":            {`1} {`, "byte 2"},
		"a missing brace":         {`{"a": 1`, "byte 7"},
		"a date that is none":     {`{"$date": "yesterday"}`, "Extended JSON"},
		"a number that is none":   {`{"$numberInt": "x"}`, "Extended JSON"},
		"an identifier too short": {`{"$oid": "12"}`, "Extended JSON"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := extjson.Parse(tc.text)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, wanted one with %q", err, tc.want)
			}
		})
	}
}
