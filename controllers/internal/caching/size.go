package caching

import "reflect"

// size is how many bytes something takes up in memory, the texts that it holds included: what a list has room for
// counts, and a text that is there twice counts twice.
func size(value any) int { return int(reflect.TypeOf(value).Size()) + beyond(reflect.ValueOf(value)) }

// beyond is what a value takes up where it points to.
func beyond(value reflect.Value) int {
	total := 0
	switch value.Kind() {
	case reflect.String:
		total = value.Len()
	case reflect.Pointer:
		if !value.IsNil() {
			total = int(value.Type().Elem().Size()) + beyond(value.Elem())
		}
	case reflect.Struct:
		for _, field := range value.Fields() {
			total += beyond(field)
		}
	case reflect.Slice:
		total = value.Cap() * int(value.Type().Elem().Size())
		for i := range value.Len() {
			total += beyond(value.Index(i))
		}
	case reflect.Map:
		for at := value.MapRange(); at.Next(); {
			total += int(value.Type().Key().Size()+value.Type().Elem().Size()) + beyond(at.Key()) + beyond(at.Value())
		}
	default: // It is where its holder is.
	}
	return total
}
