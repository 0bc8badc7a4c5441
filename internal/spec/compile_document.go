package spec

import (
	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/document"
)

// compileRequest writes the documents of a request as a plan has them.
func compileRequest(request benchv1alpha1.Request) planv1.Request {
	for _, written := range []*benchv1alpha1.Document{
		&request.Filter, &request.Projection, &request.Update, &request.Pipeline, &request.Hint, &request.ArrayFilters,
		&request.Let,
	} {
		*written = compileWritten(*written)
	}
	return request
}

// compileWritten makes a document the string of Extended JSON that it means, without spaces: a plan does not depend on
// the form in which an author wrote it, and nobody sorts its keys. What is no document stays as it is: validation
// refuses it.
func compileWritten(written benchv1alpha1.Document) benchv1alpha1.Document {
	if written == "" {
		return ""
	}
	value, err := document.Read(written)
	if err != nil {
		return benchv1alpha1.Verbatim(written.Text())
	}
	return benchv1alpha1.Verbatim(value.JSON())
}

// compileConstant is a constant in Extended JSON.
func compileConstant(constant benchv1alpha1.Constant) string {
	value, err := document.Parse(constant.Text())
	if err != nil {
		return constant.Text()
	}
	return value.JSON()
}

func compileConstants(constants []benchv1alpha1.Constant) []string {
	if len(constants) == 0 {
		return nil
	}
	compiled := make([]string, 0, len(constants))
	for _, constant := range constants {
		compiled = append(compiled, compileConstant(constant))
	}
	return compiled
}

// compileBound is a bound of a zone, empty for none.
func compileBound(bound *benchv1alpha1.Constant) string {
	if bound == nil {
		return ""
	}
	return compileConstant(*bound)
}

func compileChoices(values []benchv1alpha1.ChoiceValue) []planv1.Choice {
	if len(values) == 0 {
		return nil
	}
	choices := make([]planv1.Choice, 0, len(values))
	for _, value := range values {
		choices = append(choices, planv1.Choice{Value: compileConstant(value.Value), Weight: value.Weight})
	}
	return choices
}
