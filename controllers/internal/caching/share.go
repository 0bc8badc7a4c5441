package caching

import (
	"reflect"
	"unique"
)

// share has all equal texts of everything that it is called with lie in memory once. Of thousands of runs most are the
// same: names of operations, versions, reasons and messages of conditions.
func share(value reflect.Value) {
	if !value.CanSet() { // Nor can what it holds, such as the time zone of an instant.
		return
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString(unique.Make(value.String()).Value())
	case reflect.Pointer:
		share(value.Elem())
	case reflect.Struct:
		for _, field := range value.Fields() {
			share(field)
		}
	case reflect.Slice:
		for i := range value.Len() {
			share(value.Index(i))
		}
	default: // It holds no text.
	}
}
