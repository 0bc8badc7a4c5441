package observe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// anyValue stands for a value.
const anyValue = "?"

// deepestShape is how deep a command is looked into.
const deepestShape = 8

// extended are the names of a value's type in MongoDB's JSON: what has one of them is a value as a number is.
var extended = []string{
	"$oid", "$date", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$binary", "$uuid", "$timestamp",
	"$regularExpression", "$minKey", "$maxKey", "$code", "$symbol", "$undefined", "$dbPointer",
}

// aroundCommand are elements of commands that say nothing about what is asked for.
var aroundCommand = []string{
	"$db", "$clusterTime", "$configTime", "$topologyTime", "$readPreference", "$client", "lsid", "txnNumber", "autocommit",
	"startTransaction", "writeConcern", "readConcern", "maxTimeMS", "ordered", "cursor", "shardVersion",
	"databaseVersion", "clientOperationKey", "runtimeConstants", "mayBypassWriteBlocking", "apiVersion",
}

// shapeOf is what a command of a log looks like without its values: its name, and the names of its fields. The log
// calls a part of a write by its type.
func shapeOf(kind string, command json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(command))
	fields, err := shapeOfObject(decoder, func(key, value string, first bool) string {
		switch {
		case first && kind == "command":
			// The value is the collection.
			kind = key
			return ""
		case slices.Contains(aroundCommand, key):
			return ""
		default:
			return key + ": " + value
		}
	})
	if err != nil {
		return measure.Shorten(kind, reportv1.MaxShapeBytes)
	}
	return measure.Shorten(kind+" "+fields, reportv1.MaxShapeBytes)
}

// shapeOfObject is that of an object whose fields are written by a function; what that leaves empty is left out.
func shapeOfObject(decoder *json.Decoder, write func(key, value string, first bool) string) (string, error) {
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return "", fmt.Errorf("reading a command: %v instead of an object (%w)", open, err)
	}
	return restOfObject(decoder, 0, write)
}

// restOfObject is that of an object whose brace was read.
func restOfObject(
	decoder *json.Decoder, depth int, write func(key, value string, first bool) string,
) (string, error) {
	var fields []string
	isValue := false
	for first := true; decoder.More(); first = false {
		token, err := decoder.Token()
		if err != nil {
			return "", err
		}
		key, _ := token.(string)
		value, err := shapeOfValue(decoder, depth+1)
		if err != nil {
			return "", err
		}
		isValue = isValue || depth > 0 && slices.Contains(extended, key)
		if field := write(key, value, first); field != "" {
			fields = append(fields, field)
		}
	}
	if _, err := decoder.Token(); err != nil {
		return "", err
	}
	if isValue {
		return anyValue, nil
	}
	return "{" + strings.Join(fields, ", ") + "}", nil
}

// shapeOfValue is that of whatever comes next. What is too deep is a value.
func shapeOfValue(decoder *json.Decoder, depth int) (string, error) {
	token, err := decoder.Token()
	if err != nil {
		return "", err
	}
	shape := anyValue
	switch token {
	case json.Delim('{'):
		shape, err = restOfObject(decoder, depth, func(key, value string, _ bool) string { return key + ": " + value })
	case json.Delim('['):
		shape, err = restOfArray(decoder, depth)
	}
	if depth > deepestShape {
		shape = anyValue
	}
	return shape, err
}

// restOfArray is that of an array whose bracket was read: what is in it, each shape once.
func restOfArray(decoder *json.Decoder, depth int) (string, error) {
	var items []string
	for decoder.More() {
		item, err := shapeOfValue(decoder, depth+1)
		if err != nil {
			return "", err
		}
		if !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	_, err := decoder.Token()
	return "[" + strings.Join(items, ", ") + "]", err
}
