package validation

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// fromKeys gives errors about a parameter that a {$key: field} stands for the path of the operation: its author has
// declared no such parameter.
func fromKeys(errs field.ErrorList, declared, normal *benchv1alpha1.BenchmarkRunSpec) {
	for _, err := range errs {
		for i := range declared.Workload.Steps {
			for j := range declared.Workload.Steps[i].Operations {
				path := field.NewPath("spec", "workload", "steps").Index(i).Child("operations").Index(j)
				index, rest, ok := parameterOf(err.Field, path)
				if !ok || index < len(declared.Workload.Steps[i].Operations[j].Parameters) {
					continue
				}
				settings := normal.Workload.Steps[i].Operations[j].Parameters[index].Key
				key := ptr.Deref(ptr.Deref(settings, benchv1alpha1.KeySettings{}).Field, "")
				err.Detail = fmt.Sprintf("{$key: %s} %s", key, err.Detail)
				err.Field = path.String()
				if strings.HasPrefix(rest, "distribution") {
					err.Field = path.Child("record").String() + "." + rest
				}
			}
		}
	}
}

// parameterOf finds the index of the parameter that a path within an operation is of, and what follows it.
func parameterOf(text string, operation *field.Path) (index int, rest string, ok bool) {
	inside, found := strings.CutPrefix(text, operation.Child("parameters").String()+"[")
	if !found {
		return 0, "", false
	}
	number, rest, found := strings.Cut(inside, "]")
	index, err := strconv.Atoi(number)
	return index, strings.TrimPrefix(rest, "."), found && err == nil
}
