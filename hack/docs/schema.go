package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/mongobench/mongobench-operator/loadgen/output"
)

// schema of what report -o json, and loadgen run -o, write: of the Go types, with their comments.
func schema(root string) (*jsonschema.Schema, error) {
	reflector := jsonschema.Reflector{
		// A later version may have more fields; readers should not fail at them.
		AllowAdditionalProperties: true,
		Anonymous:                 true,
	}
	for _, folder := range []string{"api/report/v1alpha1", "internal/result", "loadgen/output"} {
		err := reflector.AddGoComments("github.com/mongobench/mongobench-operator", filepath.Join(root, folder))
		if err != nil {
			return nil, fmt.Errorf("reading the comments of %s: %w", folder, err)
		}
	}
	made := reflector.Reflect(output.Document{})
	made.Title = "Report of a mongobench run, version report.mongobench.dev/v1alpha1"
	return made, nil
}

func schemaText(root string) (string, error) {
	made, err := schema(root)
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(made, "", "  ")
	return string(text) + "\n", err
}

const schemaIntro = "After this page you can read a report with a program: what `kubectl mongobench report NAME " +
	"-o json` prints, and `loadgen run -o FOLDER` writes to `report.json`. " +
	"[report.schema.json](report.schema.json) is the same as a JSON Schema, of draft 2020-12. Each release has " +
	"its own: fields are added, and reports of earlier releases lack them. What the figures mean is in [reading " +
	"a result](../how-to/reading-a-result.md#what-the-numbers-are)."

// schemaPage has a table for each type of the schema.
func schemaPage(root string) (string, error) {
	made, err := schema(root)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString(generated("api/report/v1alpha1") + "# The report in JSON\n\n" + wrapped(schemaIntro) + "\n")
	names := slices.Sorted(maps.Keys(made.Definitions))
	// The document comes first.
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
	for _, name := range names {
		fmt.Fprintf(&text, "\n## %s\n", name)
		if said := made.Definitions[name].Description; said != "" {
			fmt.Fprintf(&text, "\n%s\n", cell(said))
		}
		fields(&text, made.Definitions[name])
	}
	return text.String(), nil
}

func place(name string) int {
	if name == "Document" {
		return 0
	}
	return 1
}

func fields(text *strings.Builder, of *jsonschema.Schema) {
	if of.Properties.Len() == 0 {
		return
	}
	text.WriteString("\n| field | type | meaning |\n|---|---|---|\n")
	for pair := of.Properties.Oldest(); pair != nil; pair = pair.Next() {
		name := "`" + pair.Key + "`"
		if !slices.Contains(of.Required, pair.Key) {
			name += " (optional)"
		}
		fmt.Fprintf(text, "| %s | %s | %s |\n", name, kind(pair.Value), cell(pair.Value.Description))
	}
}

// kind is the type of a field, with a link to that of its own.
func kind(of *jsonschema.Schema) string {
	switch {
	case of.Ref != "":
		name := of.Ref[strings.LastIndex(of.Ref, "/")+1:]
		return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
	case of.Type == "array" && of.Items != nil:
		return "list of " + kind(of.Items)
	case of.Type == "object" && of.AdditionalProperties != nil:
		return "map to " + kind(of.AdditionalProperties)
	case of.Format != "":
		return of.Type + ", " + of.Format
	case of.Type == "":
		return "any"
	}
	return of.Type
}

// cell is a comment on one line.
func cell(comment string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(comment), " "), "|", "\\|")
}
