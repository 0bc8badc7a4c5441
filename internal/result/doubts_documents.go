package result

import (
	"fmt"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// unexpectedDocuments doubts an operation that came upon another number of documents than was expected: a database is
// fast at finding nothing. Of a step with actions the whole window counts: an action loses no documents.
func unexpectedDocuments(step judged) doubtful {
	if step.Replay != nil {
		return otherAnswers(step.Name, step.Replay)
	}
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

// checksFailed doubts a flow whose answers are not what they have to be.
func checksFailed(step judged) doubtful {
	var worst doubtful
	for _, operation := range step.Operations {
		for _, check := range operation.Checks {
			if check.Failed == 0 {
				continue
			}
			if severity := max(1, check.Failed*1_000_000/max(check.Made, 1)); severity > worst.severity {
				worst = doubtful{severity, fmt.Sprintf("step %q: check %q of operation %q did not hold %s of %s times; see "+
					"whether the data is what the flow takes it for, or correct the check", step.Name, check.Name,
					operation.Name, present.Count(check.Failed), present.Count(check.Made))}
			}
		}
	}
	return worst
}

// lowRecall doubts an approximate operation of which too little is known, or too little was right: a search is fast at
// finding something.
func lowRecall(step judged) doubtful {
	var worst doubtful
	for _, operation := range step.Operations {
		if found := recallDoubt(step.Name, operation); found.severity > worst.severity {
			worst = found
		}
	}
	return worst
}

func recallDoubt(step string, operation reportv1.Operation) doubtful {
	recall := operation.Recall
	if recall == nil {
		return doubtful{}
	}
	const million = 1_000_000
	known := recall.PerMillion()
	switch {
	case recall.Compared == 0:
		return doubtful{million, fmt.Sprintf("step %q: no answer of operation %q could be compared with an exact one: %s",
			step, operation.Name, recall.Missing)}
	case known == nil:
		return doubtful{million, fmt.Sprintf("step %q: the exact answers to %s of operation %q had no document, so that its "+
			"recall is not known; check recall.exact", step, present.Plural(recall.Compared, "request"), operation.Name)}
	case *known*hundred < int64(recall.MinPercent)*million:
		return doubtful{max(1, million-*known), fmt.Sprintf("step %q: the answers of operation %q had %s of the exact "+
			"ones, and recall.minPercent wants %d in 100; let the search look at more candidates", step, operation.Name,
			present.Ratio(*known), recall.MinPercent)}
	}
	return doubtful{}
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

// otherAnswers doubts a replay of which more than one in a hundred answers are others than the recorded ones.
func otherAnswers(step string, replay *reportv1.Replay) doubtful {
	differing := replay.Differing()
	if differing*hundred <= replay.Compared {
		return doubtful{}
	}
	severity := max(1, differing*1_000_000/max(replay.Compared, 1))
	return doubtful{severity, fmt.Sprintf("step %q: of %s answers that were compared with the recorded ones %s differ: "+
		"%s had another number of documents, %s failed and had not, %s had failed and did not, or otherwise, and %s left a "+
		"cursor open, or did not, otherwise; check that the data is what it was when it was recorded", step,
		present.Count(replay.Compared), present.Count(differing), present.Count(replay.OtherCount),
		present.Count(replay.Failed), present.Count(replay.Succeeded), present.Count(replay.OtherCursor))}
}
