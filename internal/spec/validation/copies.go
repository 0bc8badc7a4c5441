package validation

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// mostCopies is how many collections a dataset may stand for: their names are in the memory of each load pod.
const mostCopies = 100_000

// validateCopies refuses copies of a collection that would have the name of another one, or have no document, and more
// than there can be.
func validateCopies(found *product.Findings, dataset *benchv1alpha1.Dataset, at int, path *field.Path) {
	collection := &dataset.Collections[at]
	copies, path := int64(ptr.Deref(collection.Copies, 0)), path.Child("copies")
	if copies == 0 {
		return
	}
	documents := ptr.Deref(collection.DocumentCount, 0)
	found.Refuse(documents > 0 && documents < copies, path, copies,
		"must be no more than documentCount, %d, so that each has a document", documents)
	all := int64(0)
	for i := range dataset.Collections {
		all += int64(ptr.Deref(dataset.Collections[i].Copies, 0))
		suffix, follows := strings.CutPrefix(dataset.Collections[i].Name, collection.Name+"_")
		number, err := strconv.ParseInt(suffix, 10, 64)
		found.Refuse(follows && err == nil && number < copies && strconv.FormatInt(number, 10) == suffix, path, copies,
			"collection %s has the name of one of them; rename it", dataset.Collections[i].Name)
	}
	found.Refuse(all > mostCopies, path, copies, "all collections together stand for %d, and at most %d are possible", all,
		mostCopies)
}
