package infer

import (
	"bytes"
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
		fmt.Fprintf(&text, "database: %s\n", scalar(*result.Dataset.Database))
	}
	text.WriteString("collections:\n")
	for _, collection := range result.Dataset.Collections {
		if err := writeCollection(&text, collection, result.Notes); err != nil {
			return err
		}
	}
	_, err := io.WriteString(to, text.String())
	return err
}

func writeCollection(text *strings.Builder, collection benchv1alpha1.Collection, notes []Note) error {
	byField := notesByField(collection, notes)
	for _, note := range byField[""] {
		comment(text, "", strings.TrimSpace(note.Field+" "+note.Text))
	}
	fmt.Fprintf(text, "- name: %s\n", scalar(collection.Name))
	if collection.DocumentCount != nil {
		fmt.Fprintf(text, "  documentCount: %d\n", *collection.DocumentCount)
	}
	if collection.Options != nil {
		if err := writeFlow(text, "  options: ", collection.Options); err != nil {
			return err
		}
	}
	if err := writeIndexes(text, collection.Indexes); err != nil {
		return err
	}
	return writeFields(text, collection.Fields, byField)
}

func writeIndexes(text *strings.Builder, indexes []benchv1alpha1.Index) error {
	if len(indexes) > 0 {
		text.WriteString("  indexes:\n")
	}
	for _, index := range indexes {
		if err := writeFlow(text, "  - ", index); err != nil {
			return err
		}
	}
	return nil
}

func writeFields(text *strings.Builder, fields []benchv1alpha1.Field, notes map[string][]Note) error {
	if len(fields) > 0 {
		text.WriteString("  fields:\n")
	}
	for _, field := range fields {
		for _, note := range notes[field.Name] {
			comment(text, "  ", note.Field+" "+note.Text)
		}
		if err := writeFlow(text, "  - ", field); err != nil {
			return err
		}
	}
	return nil
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

func writeFlow(text *strings.Builder, before string, value any) error {
	flow, err := flow(value)
	if err != nil {
		return err
	}
	text.WriteString(before + flow + "\n")
	return nil
}

// flow writes a value in YAML's flow style, on one line, its fields in the order of the API.
func flow(value any) (string, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("writing the dataset: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var text strings.Builder
	if err := flowValue(&text, decoder); err != nil {
		return "", fmt.Errorf("writing the dataset: %w", err)
	}
	return text.String(), nil
}

// flowValue copies one JSON value, without quotes that YAML does not need.
func flowValue(text *strings.Builder, decoder *json.Decoder) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	delimiter, nested := token.(json.Delim)
	if !nested {
		text.WriteString(tokenText(token))
		return nil
	}
	text.WriteString(delimiter.String())
	for first := true; decoder.More(); first = false {
		if !first {
			text.WriteString(", ")
		}
		if delimiter == '{' {
			key, err := decoder.Token()
			if err != nil {
				return err
			}
			text.WriteString(tokenText(key) + ": ")
		}
		if err := flowValue(text, decoder); err != nil {
			return err
		}
	}
	closing, err := decoder.Token()
	if err != nil {
		return err
	}
	fmt.Fprint(text, closing)
	return nil
}

func tokenText(token json.Token) string {
	if word, ok := token.(string); ok {
		return scalar(word)
	}
	encoded, err := json.Marshal(token)
	if err != nil {
		return "null"
	}
	return string(encoded)
}

// plain is a word that YAML takes as the text that it is; others are in quotes.
var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// otherwise are the words that some reader of YAML takes as something else.
var otherwise = regexp.MustCompile(`^(?i:true|false|null|yes|no|on|off|y|n)$`)

func scalar(text string) string {
	if plain.MatchString(text) && !otherwise.MatchString(text) {
		return text
	}
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	// YAML knows \u0026, and people read & more easily.
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return "null"
	}
	return strings.TrimRight(quoted.String(), "\n")
}
