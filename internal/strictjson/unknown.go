package strictjson

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Unknown are the fields of a document that a value like the one given has no place for, each once and in alphabetical
// order, such as "steps[].haste": what DecodeKnown passes over. Of what is no JSON there are none.
func Unknown(encoded []byte, like any) []string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil
	}
	found := map[string]bool{}
	lookFor(value, reflect.TypeOf(like), "", found)
	return slices.Sorted(maps.Keys(found))
}

// UnknownCompressed is Unknown of what EncodeCompressed wrote.
func UnknownCompressed(encoded []byte, most int64, like any) []string {
	plain, err := decompress(encoded, most)
	if err != nil {
		return nil
	}
	return Unknown(plain, like)
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// lookFor notes the paths of the fields of a value that its type does not have. Types that read themselves know best.
func lookFor(value any, as reflect.Type, path string, found map[string]bool) {
	for as.Kind() == reflect.Pointer {
		as = as.Elem()
	}
	if reflect.PointerTo(as).Implements(unmarshaler) {
		return
	}
	switch value := value.(type) {
	case []any:
		if as.Kind() == reflect.Slice || as.Kind() == reflect.Array {
			for _, item := range value {
				lookFor(item, as.Elem(), path+"[]", found)
			}
		}
	case map[string]any:
		lookInto(value, as, path, found)
	}
}

func lookInto(object map[string]any, as reflect.Type, path string, found map[string]bool) {
	var known map[string]reflect.Type
	if as.Kind() == reflect.Struct {
		known = fieldsOf(as)
	}
	for name, member := range object {
		below := strings.TrimPrefix(path+"."+name, ".")
		of, isKnown := known[name]
		switch {
		case as.Kind() == reflect.Map:
			lookFor(member, as.Elem(), below, found)
		case isKnown:
			lookFor(member, of, below, found)
		case known != nil:
			found[below] = true
		}
	}
}

// fieldsOf are the types of a struct's fields by their names in JSON.
func fieldsOf(as reflect.Type) map[string]reflect.Type {
	known := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(as) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = field.Name
		}
		if field.IsExported() {
			known[name] = field.Type
		}
	}
	return known
}
