package suite

import "slices"

// boxKey is the key of the object that a list of any type is put into while a patch is merged.
const boxKey = "$list"

// untyped are the fields that hold values of any type.
var untyped = []string{"filter", "projection", "update", "pipeline", "command", "value"}

// boxed has those fields that are documents, and lists, be objects: the merge knows from their types that they are no
// lists of the API, and refuses lists in their place, but it takes an object as a whole.
func boxed(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, item := range value {
			if list, isList := item.([]any); isList && slices.Contains(untyped, key) {
				value[key] = map[string]any{boxKey: list}
				continue
			}
			value[key] = boxed(item)
		}
	case []any:
		for i := range value {
			value[i] = boxed(value[i])
		}
	}
	return value
}

// unboxed undoes boxed.
func unboxed(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if list, found := value[boxKey]; found && len(value) == 1 {
			return list
		}
		for key, item := range value {
			value[key] = unboxed(item)
		}
	case []any:
		for i := range value {
			value[i] = unboxed(value[i])
		}
	}
	return value
}
