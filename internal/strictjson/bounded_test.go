package strictjson_test

import (
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

var bounds = strictjson.Bounds{Bytes: 200, Depth: 3, Items: 4, Objects: 6, Text: 20}

func TestDecodeBounded(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"within all bounds":    {`{"version":"v1","filter":"a"}`, ""},
		"too many bytes":       {`{"version":"v1"` + strings.Repeat(" ", 200) + `}`, "it has 216 bytes, and 200 are allowed"},
		"too deep":             {`{"version":"v1","filter":[[[1]]]}`, "nested more than 3 deep"},
		"too many entries":     {`{"version":"v1","filter":[1,2,3,4,5]}`, "more than 4 entries"},
		"too many members":     {`{"a":1,"b":2,"c":3,"d":4,"e":5}`, "more than 4 entries"},
		"too many objects":     {`{"a":[],"b":[],"c":[],"d":[{},{}]}`, "more than 6 lists and objects"},
		"too long a text":      {`{"version":"v1","filter":"` + strings.Repeat("a", 21) + `"}`, "a text has 21 bytes"},
		"too long a name":      {`{"` + strings.Repeat("a", 21) + `":1}`, "a text has 21 bytes"},
		"no JSON":              {`{"version":`, "decoding JSON"},
		"something after it":   {`{"version":"v1"} 1`, "after top-level value"},
		"a field of a later":   {`{"version":"v1","other":1}`, ""},
		"another version":      {`{"version":"v2"}`, `version is "v2", want "v1"`},
		"nothing":              {``, "decoding JSON"},
		"an end and no begin":  {`]`, "decoding JSON"},
		"too many at the root": {`1 2 3`, "decoding JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			var got document
			err := strictjson.DecodeBounded([]byte(tc.text), bounds, "v1", &got)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got error %v, want %q", err, tc.want)
			}
		})
	}
}
