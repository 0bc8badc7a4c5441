package shown

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestReportsAreAsTheSchemaSays holds a report with everything in it against the schema. Those that the commands of the
// pages write are, too.
func TestReportsAreAsTheSchemaSays(t *testing.T) {
	text := read(t, "loadgen/output/testdata/report.json")
	validate(t, text)
	// What it would find.
	for good, bad := range map[string]string{
		`"count": `: `"counted": `, `"planHash": "`: `"planHash": 1, "was": "`, `"pods": `: `"pods": -0.5, "was": `,
	} {
		spoiled := strings.Replace(text, good, bad, 1)
		if spoiled == text {
			t.Errorf("the report has no %s", good)
		} else if err := schema(t).Validate(decoded(t, spoiled)); err == nil {
			t.Errorf("a report with %s is taken", bad)
		}
	}
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	path := absolute(t, filepath.Join(root, "docs", "reference", "report.schema.json"))
	compiled, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func validate(t *testing.T, report string) {
	t.Helper()
	if err := schema(t).Validate(decoded(t, report)); err != nil {
		t.Error(err)
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
