package shown

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestReportsAreAsTheSchemaSays holds a report that make demo recorded, and one with everything in it, against the schema.
func TestReportsAreAsTheSchemaSays(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(absolute(t, filepath.Join(root, "docs", "reference", "report.schema.json")))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"hack/page/testdata/standalone.json", "loadgen/output/testdata/report.json"} {
		text := read(t, file)
		if err := schema.Validate(decoded(t, text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		// What it would find.
		for good, bad := range map[string]string{
			`"count": `: `"counted": `, `"planHash": "`: `"planHash": 1, "was": "`, `"pods": `: `"pods": -0.5, "was": `,
		} {
			spoiled := strings.Replace(text, good, bad, 1)
			if spoiled == text {
				t.Errorf("%s has no %s", file, good)
			} else if err := schema.Validate(decoded(t, spoiled)); err == nil {
				t.Errorf("%s with %s is taken", file, bad)
			}
		}
	}
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
