package extjson

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// wrapped is the name that a value gets in the document that bson wants around it.
const wrapped = "v"

// Parse reads one value. Documents become a bson.D, which keeps the order of keys, and arrays a bson.A. A mistake in
// the JSON itself is reported with its position.
func Parse(text string) (any, error) {
	var raw json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("reading JSON at byte %d: %w", syntax.Offset, err)
		}
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	var doc bson.D
	if err := bson.UnmarshalExtJSON([]byte(`{"`+wrapped+`":`+text+`}`), false, &doc); err != nil {
		return nil, fmt.Errorf("reading Extended JSON: %w", err)
	}
	if len(doc) != 1 {
		return nil, errors.New("reading Extended JSON: it is not one value")
	}
	return doc[0].Value, nil
}

// Encode encodes a value that Parse has read.
func Encode(value any) (bson.RawValue, error) {
	// Inside a document, because bson encodes no null that stands alone.
	doc, err := bson.Marshal(bson.D{{Key: wrapped, Value: value}})
	if err != nil {
		return bson.RawValue{}, fmt.Errorf("encoding as BSON: %w", err)
	}
	return bson.Raw(doc).Lookup(wrapped), nil
}
