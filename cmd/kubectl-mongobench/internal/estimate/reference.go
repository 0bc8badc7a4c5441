package estimate

import (
	"slices"

	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// Reference is a finished run that others are reckoned by.
type Reference struct {
	Run string `json:"run"`
	// DocumentsPerSecond that it loaded, of DocumentBytes each.
	DocumentsPerSecond int64 `json:"documentsPerSecond"`
	DocumentBytes      int64 `json:"documentBytes"`
	// RestSeconds are those of the stages in which it neither loaded nor measured nor waited for its turn.
	RestSeconds float64 `json:"restSeconds"`
}

// ReferenceOf is the youngest run that loaded a dataset and has a result; nil when there is none.
func ReferenceOf(runs []benchv1alpha1.BenchmarkRun) *Reference {
	youngest := youngestLoad(runs)
	if youngest == nil {
		return nil
	}
	collections, err := Dataset(spec.Compile(youngest.Spec))
	documents, bytes := sizeOf(collections)
	if err != nil || documents == 0 {
		return nil
	}
	found := &Reference{
		Run: youngest.Name, DocumentsPerSecond: *youngest.Status.Result.Load.DocumentsPerSecond,
		DocumentBytes: max(bytes/documents, 1),
	}
	for _, stage := range youngest.Status.Stages {
		rest := stage.Name != benchv1alpha1.StageQueued && !slices.Contains(benchv1alpha1.StepStages, stage.Name)
		if rest && stage.CompletionTime != nil {
			found.RestSeconds += stage.CompletionTime.Sub(stage.StartTime.Time).Seconds()
		}
	}
	return found
}

func youngestLoad(runs []benchv1alpha1.BenchmarkRun) *benchv1alpha1.BenchmarkRun {
	var youngest *benchv1alpha1.BenchmarkRun
	for i := range runs {
		run := &runs[i]
		result := ptr.Deref(run.Status.Result, benchv1alpha1.Result{})
		if result.Load == nil || ptr.Deref(result.Load.DocumentsPerSecond, 0) == 0 {
			continue
		}
		if youngest == nil || youngest.CreationTimestamp.Before(&run.CreationTimestamp) {
			youngest = run
		}
	}
	return youngest
}

// load is how long a dataset is loaded with as many documents a second as the reference loaded, or with as many bytes.
func (r *Reference) load(all []Collection) *Span {
	documents, bytes := sizeOf(all)
	if documents == 0 {
		return &Span{}
	}
	if r == nil {
		return nil
	}
	byDocuments := float64(documents) / float64(r.DocumentsPerSecond)
	byBytes := float64(bytes) / float64(r.DocumentsPerSecond*r.DocumentBytes)
	return &Span{min(byDocuments, byBytes), max(byDocuments, byBytes)}
}

func (r *Reference) rest() *Span {
	if r == nil {
		return nil
	}
	return &Span{r.RestSeconds, r.RestSeconds}
}
