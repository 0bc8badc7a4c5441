package caching

import (
	"reflect"
	"unique"
)

// share has all equal texts of everything that it is called with lie in memory once, and lists have room for no more
// than what is in them. Of thousands of runs most texts are the same: names of operations, versions, reasons and
// messages of conditions; and a decoder leaves up to half of a list empty.
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
		if value.Cap() > value.Len() {
			exact := reflect.MakeSlice(value.Type(), value.Len(), value.Len())
			reflect.Copy(exact, value)
			value.Set(exact)
		}
		for i := range value.Len() {
			share(value.Index(i))
		}
	default: // It holds no text.
	}
}
