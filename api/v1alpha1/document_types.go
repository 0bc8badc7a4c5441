package v1alpha1

import (
	"encoding/json"
	"fmt"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// Document is a document, pipeline or update as its author wrote it: an object or a list, or a string of MongoDB
// Extended JSON, which keeps the order of its keys where the API server sorts those of objects. It holds the JSON of
// that, so that an object reads and writes the form that it was given.
//
// Objects are read with encoding/json (FromUnstructured), and not with Kubernetes' converter of unstructured objects,
// which takes the text of a string for the document.
//
// Every form is accepted by the schema, and so is what is none: a run whose documents are wrong is refused by its
// condition Accepted, which can say where in the document.
//
// +kubebuilder:validation:Type=""
// +kubebuilder:pruning:PreserveUnknownFields
type Document string

// Verbatim is the document that this text of Extended JSON is.
func Verbatim(text string) Document {
	return Document(quote(text))
}

// Verbatim says whether the document is a string of Extended JSON, whose keys have the order that their author meant.
func (d Document) Verbatim() bool {
	return len(d) > 0 && d[0] == '"'
}

// Text is the document in Extended JSON without spaces, and with its keys in their order. Of a string that is no JSON
// it is that string.
func (d Document) Text() string {
	text := []byte(d)
	if d.Verbatim() {
		var held string
		if json.Unmarshal(text, &held) != nil {
			return string(d)
		}
		text = []byte(held)
	}
	return compact(text)
}

// MarshalJSON writes the form that was read.
func (d Document) MarshalJSON() ([]byte, error) {
	return marshal(string(d))
}

// UnmarshalJSON reads any value but null, which leaves the document unset.
func (d *Document) UnmarshalJSON(encoded []byte) error {
	text := compact(encoded)
	if text == "null" {
		text = ""
	}
	*d = Document(text)
	return nil
}

// Constant is a value of a document, written in YAML: a string is just that string, and types of MongoDB Extended JSON
// are objects such as {$date: "2026-01-01T00:00:00Z"}. A null is {$json: "null"}. It holds the JSON of that.
//
// +kubebuilder:validation:Type=""
// +kubebuilder:pruning:PreserveUnknownFields
type Constant string

// Text is the constant in Extended JSON without spaces, and with its keys in their order.
func (c Constant) Text() string {
	return compact([]byte(c))
}

// MarshalJSON writes the value that was read.
func (c Constant) MarshalJSON() ([]byte, error) {
	return marshal(string(c))
}

// UnmarshalJSON reads any value but null, which leaves the constant unset.
func (c *Constant) UnmarshalJSON(encoded []byte) error {
	text := compact(encoded)
	if text == "null" {
		text = ""
	}
	*c = Constant(text)
	return nil
}

// compact is a text of JSON without spaces. What is no JSON stays as it is: validation refuses it.
func compact(text []byte) string {
	short, err := strictjson.Compact(text)
	if err != nil {
		return string(text)
	}
	return string(short)
}

func marshal(text string) ([]byte, error) {
	if text == "" {
		return []byte("null"), nil
	}
	encoded := []byte(text)
	if !json.Valid(encoded) {
		return nil, fmt.Errorf("writing a document: %q is no JSON", text)
	}
	return encoded, nil
}

// quote writes a text as a string of JSON.
func quote(text string) []byte {
	encoded, _ := strictjson.Encode(text) // Of a string it does not fail.
	return encoded
}
