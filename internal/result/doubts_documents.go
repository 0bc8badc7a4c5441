package result

import (
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// unexpectedDocuments doubts an operation that came upon another number of documents than was expected: a database is
// fast at finding nothing. Of a step with actions the whole window counts: an action loses no documents.
func unexpectedDocuments(step judged) doubtful {
	var worst doubtful
	for _, operation := range step.Operations {
		looked := operation.Count - operation.Unacknowledged
		if operation.Expect == nil || operation.Unexpected*hundred <= looked*int64(operation.Expect.AllowedPercent) {
			continue
		}
		severity := max(1, operation.Unexpected*1_000_000/max(looked, 1))
		if severity <= worst.severity {
			continue
		}
		worst = doubtful{severity, fmt.Sprintf("step %q: of %s of operation %q %s came upon %s; %d in 100 may; check the "+
			"filter and what the steps before have left, or say what is expected (expect)", step.Name,
			present.Count(looked), operation.Name, present.Count(operation.Unexpected), otherwise(operation.Expect),
			operation.Expect.AllowedPercent)}
	}
	return worst
}

// otherwise is what is not as it was expected.
func otherwise(expected *reportv1.Expectation) string {
	switch {
	case expected.MaxDocuments == nil && expected.MinDocuments == 1:
		return "no document"
	case expected.MaxDocuments == nil:
		return fmt.Sprintf("fewer than %s documents", present.Count(expected.MinDocuments))
	case *expected.MaxDocuments == 0:
		return "a document, where none was expected"
	default:
		return fmt.Sprintf("fewer than %s documents or more than %s", present.Count(expected.MinDocuments),
			present.Count(*expected.MaxDocuments))
	}
}
