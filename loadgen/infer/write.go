package infer

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Result is what is written: a dataset of one collection, and what is to be said of it.
type Result struct {
	Dataset benchv1alpha1.Dataset
	Notes   []Note
	// Header are lines in front of it all.
	Header []string
}

// Write writes the dataset as YAML, each note in front of the field that it is about.
func Write(to io.Writer, result Result) error {
	var text strings.Builder
	for _, line := range result.Header {
		comment(&text, "", line)
	}
	if result.Dataset.Database != nil {
		fmt.Fprintf(&text, "database: %s\n", flow(*result.Dataset.Database))
	}
	text.WriteString("collections:\n")
	for _, collection := range result.Dataset.Collections {
		writeCollection(&text, collection, result.Notes)
	}
	_, err := io.WriteString(to, text.String())
	return err
}

func writeCollection(text *strings.Builder, collection benchv1alpha1.Collection, notes []Note) {
	byField := notesByField(collection, notes)
	for _, note := range byField[""] {
		comment(text, "", strings.TrimSpace(note.Field+" "+note.Text))
	}
	fmt.Fprintf(text, "- name: %s\n", flow(collection.Name))
	if collection.DocumentCount != nil {
		fmt.Fprintf(text, "  documentCount: %d\n", *collection.DocumentCount)
	}
	if collection.Options != nil {
		fmt.Fprintf(text, "  options: %s\n", flow(collection.Options))
	}
	if len(collection.Indexes) > 0 {
		text.WriteString("  indexes:\n")
	}
	for _, index := range collection.Indexes {
		fmt.Fprintf(text, "  - %s\n", flow(index))
	}
	if len(collection.Fields) > 0 {
		text.WriteString("  fields:\n")
	}
	for _, field := range collection.Fields {
		for _, note := range byField[field.Name] {
			comment(text, "  ", note.Field+" "+note.Text)
		}
		fmt.Fprintf(text, "  - %s\n", flow(field))
	}
}

// notesByField gives each note to the declared field that it is about; those of none to the empty name.
func notesByField(collection benchv1alpha1.Collection, notes []Note) map[string][]Note {
	declared := map[string]bool{}
	for _, field := range collection.Fields {
		declared[field.Name] = true
	}
	byField := map[string][]Note{}
	for _, note := range notes {
		of := owner(note.Field, declared)
		byField[of] = append(byField[of], note)
	}
	return byField
}

// owner is the declared field that a note belongs to: the field itself, or the array or document that it is in.
func owner(path string, declared map[string]bool) string {
	for path != "" {
		if declared[path] {
			return path
		}
		if cut := strings.LastIndexAny(path, ".["); cut >= 0 {
			path = path[:cut]
		} else {
			path = ""
		}
	}
	return ""
}

// commentWidth is where the lines of a comment are broken.
const commentWidth = 100

func comment(text *strings.Builder, indent, sentence string) {
	line := indent + "#"
	for word := range strings.FieldsSeq(sentence) {
		if len(line)+1+len(word) > commentWidth {
			text.WriteString(line + "\n")
			line = indent + "#  "
		}
		line += " " + word
	}
	text.WriteString(line + "\n")
}

// token is what JSON writes otherwise than YAML's flow style: a text, or what stands behind a key or an element.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[,:]`)

// plain is a text in quotes that YAML takes as what it is without them.
var plain = regexp.MustCompile(`^"[A-Za-z_][A-Za-z0-9_.-]*"$`)

// otherwise are the words that some reader of YAML takes as something else.
var otherwise = regexp.MustCompile(`^"(?i:true|false|null|yes|no|on|off|y|n)"$`)

// flow writes a value in YAML's flow style, on one line, its fields in the order of the API: as JSON, without quotes
// that YAML does not need.
func flow(value any) string {
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	// YAML knows \u0026, and people read & more easily.
	encoder.SetEscapeHTML(false)
	// Of the API's types nothing fails to be encoded.
	_ = encoder.Encode(value)
	return token.ReplaceAllStringFunc(strings.TrimSuffix(encoded.String(), "\n"), func(found string) string {
		switch {
		case found[0] != '"':
			return found + " "
		case plain.MatchString(found) && !otherwise.MatchString(found):
			return strings.Trim(found, `"`)
		default:
			return found
		}
	})
}
