package caching

import (
	"reflect"
	"unique"
)

// share has all equal texts of everything that it is called with lie in memory once. Of thousands of runs most are the
// same: names of operations, versions, reasons and messages of conditions.
func share(value reflect.Value) {
	switch value.Kind() {
	case reflect.String:
		if value.CanSet() {
			value.SetString(unique.Make(value.String()).Value())
		}
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
	default: // Nothing that holds a text which can be set.
	}
}
