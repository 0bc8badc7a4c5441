package comparison

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// TestEveryFieldOfAFingerprintIsComparedOrNamed fails when the API gets a field that is not listed here.
func TestEveryFieldOfAFingerprintIsComparedOrNamed(t *testing.T) {
	var status benchv1alpha1.BenchmarkRunStatus
	status.Server, status.Fingerprint = &benchv1alpha1.ServerFingerprint{}, &benchv1alpha1.RunFingerprint{}
	var names []string
	for _, fingerprint := range []any{status.Server, status.Fingerprint} {
		value := reflect.ValueOf(fingerprint).Elem()
		for i := range value.NumField() {
			name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
			names = append(names, name)
			fill(t, value.Field(i))
		}
	}
	sample := fingerprintOf(status)
	for _, name := range names {
		if _, compared := sample[name]; compared == slices.Contains(spec.NotComparedFields, name) {
			t.Errorf("field %s: compared is %t; NotComparedFields is what decides", name, compared)
		}
	}
	for name := range sample {
		if !slices.Contains(names, name) {
			t.Errorf("%s is compared and is no field of a fingerprint", name)
		}
	}
}

func fill(t *testing.T, value reflect.Value) {
	t.Helper()
	switch field := value.Addr().Interface().(type) {
	case *string:
		*field = "x"
	case *benchv1alpha1.SharedNodes:
		*field = benchv1alpha1.SharedAll
	case *[]string:
		*field = []string{"x"}
	case **int32:
		*field = ptr.To[int32](1)
	case **int64:
		*field = ptr.To[int64](1)
	default:
		t.Fatalf("a fingerprint has a field of type %s", value.Type())
	}
}

func TestExplanationsNamePathsAndFieldsThatExist(t *testing.T) {
	paths := make(map[string]bool)
	collectPaths(reflect.TypeFor[benchv1alpha1.BenchmarkRunSpec](), "", 2, paths)
	// What Leaves tells of a target.
	paths["target.product"], paths["target.topology"] = true, true
	for _, member := range []reflect.Type{
		reflect.TypeFor[benchv1alpha1.MongoDBTarget](), reflect.TypeFor[benchv1alpha1.MariaDBTarget](),
		reflect.TypeFor[benchv1alpha1.FerretDBTarget](),
	} {
		collectPaths(member, "target", 1, paths)
	}
	known := fieldNames(Pair{})
	explained := make(map[string]bool)
	for _, explanation := range explanations {
		if !paths[explanation.path] {
			t.Errorf("a run has no field %s", explanation.path)
		}
		for _, field := range explanation.fields {
			explained[field] = true
			if !slices.Contains(known, field) {
				t.Errorf("%s explains %s, which is no field of the fingerprint", explanation.path, field)
			}
		}
	}
	for _, field := range known {
		if explained[field] == slices.Contains([]string{durabilityField, "currency"}, field) {
			t.Errorf("that something declared explains a difference of %s is %t", field, explained[field])
		}
	}
}

// collectPaths are the fields of a struct by their JSON names, that many levels deep.
func collectPaths(of reflect.Type, above string, levels int, into map[string]bool) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || levels == 0 {
		return
	}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			collectPaths(field.Type, above, levels, into) // Its fields are written among those of the struct.
			continue
		}
		path := strings.TrimPrefix(above+"."+name, ".")
		into[path] = true
		collectPaths(field.Type, path, levels-1, into)
	}
}
