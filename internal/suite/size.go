package suite

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxVariantBytes is how large, as JSON, the specifications of all variants may be together. The operator holds all of
// them, and takes about three times as much memory while it compiles them: 200 variants may have 41 KB each, ten times
// as much as any sample has.
const maxVariantBytes = 8 << 20

// bytes is how large the layer's specification is as JSON. One that could not be made has none.
func (l *layer) bytes() int {
	if l.err == nil && l.size == 0 {
		document, err := json.Marshal(l.spec)
		if err != nil {
			return 0
		}
		l.size = len(document)
	}
	return l.size
}

// tooLarge refuses a matrix of which the first few variants are as large as all may be.
func tooLarge(path *field.Path, first, count int) *field.Error {
	return field.Invalid(path, count, fmt.Sprintf("the specifications of the variants may have %d MiB together, and "+
		"those of the first %d have more; shorten the template or the patches, or make several suites",
		maxVariantBytes>>20, first))
}
