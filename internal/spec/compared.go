package spec

import (
	"reflect"
	"slices"
	"strings"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// NotComparedFields are the fields of a fingerprint that two runs may differ in without a word. How long a sync takes
// is measured at each start, and never twice the same; startupWarnings are advice to people, whose texts name processes
// and times.
var NotComparedFields = []string{"startupWarnings", "syncP50Micros", "syncP99Micros"}

// ComparedFields are the names of the fields of status.server and status.fingerprint that are compared: all others.
var ComparedFields = slices.Concat(fieldsOf[benchv1alpha1.ServerFingerprint](),
	fieldsOf[benchv1alpha1.RunFingerprint]())

func fieldsOf[T any]() []string {
	var names []string
	for field := range reflect.TypeFor[T]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !slices.Contains(NotComparedFields, name) {
			names = append(names, name)
		}
	}
	return names
}
