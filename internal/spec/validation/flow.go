package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/document"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// flowScope is what an operation finds in the flow that it belongs to.
type flowScope struct {
	// whole is the outermost operation of the flow; nil for an operation of none.
	whole *benchv1alpha1.Operation
	// names are those of the values: captured ones, state, and what changes with the turns.
	names []string
	// used are the parameters that the parts and the conditions name.
	used []string
}

// parameters are those that the documents of an operation may refer to.
func (s flowScope) parameters(of *benchv1alpha1.Operation) []benchv1alpha1.Parameter {
	if s.whole == nil || s.whole == of {
		return of.Parameters
	}
	return slices.Concat(s.whole.Parameters, of.Parameters)
}

// wholeOf is the index of what an operation is directly a part of; negative for none.
func wholeOf(operations []benchv1alpha1.Operation, part *benchv1alpha1.Operation) int {
	return slices.IndexFunc(operations, func(o benchv1alpha1.Operation) bool {
		return part.PartOf != "" && o.Name == part.PartOf && operation.IsFlow(&o)
	})
}

// outermost is the operation that another is a part of in the end: itself, where it is a part of nothing, and nil where
// there is none.
func outermost(operations []benchv1alpha1.Operation, of *benchv1alpha1.Operation) *benchv1alpha1.Operation {
	for range operations {
		if of.PartOf == "" {
			return of
		}
		at := wholeOf(operations, of)
		if at < 0 {
			return nil
		}
		of = &operations[at]
	}
	return nil
}

// scopeOf is that of an operation of a step.
func scopeOf(operations []benchv1alpha1.Operation, of *benchv1alpha1.Operation) flowScope {
	whole := outermost(operations, of)
	if whole == nil || !operation.IsFlow(whole) {
		return flowScope{}
	}
	scope := flowScope{whole: whole}
	for i := range operations {
		if part := &operations[i]; outermost(operations, part) == whole {
			scope.add(part, part != whole)
		}
	}
	return scope
}

// add adds the names that an operation of the flow gives, and those that it uses.
func (s *flowScope) add(of *benchv1alpha1.Operation, isPart bool) {
	for _, state := range of.State {
		s.names = append(s.names, state.Name)
	}
	for _, capture := range of.Captures {
		s.names = append(s.names, capture.Name)
	}
	conditions := []string{of.When}
	if of.Repeat != nil {
		conditions = append(conditions, of.Repeat.While)
		if of.Repeat.As != "" {
			s.names = append(s.names, of.Repeat.As)
		}
	}
	for _, check := range of.Checks {
		conditions = append(conditions, check.That)
	}
	for _, text := range conditions {
		if parsed, err := condition.Parse(text); err == nil {
			s.used = append(s.used, parsed.Names()...)
		}
	}
	if !isPart {
		return
	}
	for _, parameter := range of.Parameters {
		s.used = append(s.used, ptr.Deref(parameter.SameRecordAs, ""), ptr.Deref(parameter.PlusParameter, ""))
	}
	whole := requestCheck{parameters: s.parameters(of)}
	for _, request := range append([]benchv1alpha1.Request{of.Request}, of.Operations...) {
		whole.request = &request
		s.used = append(s.used, whole.used()...)
		for _, one := range append(whole.documents(), written{text: of.Command}) {
			s.used = append(s.used, mentioned(one.text)...)
		}
	}
}

// mentioned are the parameters that a document refers to; one that cannot be read refers to none.
func mentioned(text benchv1alpha1.Document) []string {
	value, err := document.Read(text)
	if text == "" || err != nil {
		return nil
	}
	found, _ := references(value)
	names := make([]string, 0, len(found))
	for _, reference := range found {
		if !reference.captured {
			names = append(names, reference.name)
		}
	}
	return names
}

// flowCheck checks an operation that is a flow, or a part of one.
type flowCheck struct {
	*product.Findings
	operations []benchv1alpha1.Operation
	operation  *benchv1alpha1.Operation
	scope      flowScope
	path       *field.Path
}

func (c flowCheck) run() {
	isFlow := operation.IsFlow(c.operation)
	if isFlow {
		c.whole()
	}
	if c.operation.PartOf == "" {
		return
	}
	at := wholeOf(c.operations, c.operation)
	if at < 0 || c.scope.whole == nil {
		c.Refuse(true, c.path.Child("partOf"), c.operation.PartOf,
			"must be the name of a Flow of the step, or of a Transaction without operations, which is no part of this one")
		return
	}
	whole := &c.operations[at]
	c.Refuse(c.operation.Group != whole.Group, c.path.Child("group"), c.operation.Group,
		"must be that of %s, which it is a part of, or left out", whole.Name)
	c.Forbid(len(c.operation.State) > 0, c.path.Child("state"), "is that of the outermost Flow, %s", c.scope.whole.Name)
	c.Forbid(isFlow && len(c.operation.Parameters) > 0, c.path.Child("parameters"),
		"declare them of the outermost Flow, %s, or of the part that needs them", c.scope.whole.Name)
	c.kind()
	c.own()
	c.condition(c.operation.When, c.path.Child("when"))
	c.repeat()
	c.captures(isFlow)
	for i, check := range c.operation.Checks {
		c.condition(check.That, c.path.Child("checks").Index(i).Child("that"))
	}
	c.next()
}

// whole checks what has parts.
func (c flowCheck) whole() {
	if len(partsOf(c.operations, c.operation.Name)) == 0 {
		c.Add(field.Required(c.path.Child("name"), "it has no parts: name it with partOf of the operations that it "+
			"consists of; a Transaction may have operations of its own"))
		return
	}
	for i, state := range c.operation.State {
		if state.Value != "" {
			validateConstant(c.Findings, state.Value, c.path.Child("state").Index(i).Child("value"))
		}
	}
	c.bounds()
}

// kind refuses what is no part of a flow, or of a transaction.
func (c flowCheck) kind() {
	kind, path := c.operation.Kind, c.path.Child("kind")
	row := operation.Of(kind)
	c.Refuse(row.Takes(operation.MaxAwaitMillis), path, kind,
		"waits for news, and cannot be a part; give it a group of its own")
	inside := false
	for range c.operations {
		at := wholeOf(c.operations, c.operation)
		if at < 0 {
			break
		}
		inside = inside || c.operations[at].Kind == benchv1alpha1.OperationTransaction
		c.operation = &c.operations[at]
	}
	known, _ := operation.Parse(benchv1alpha1.OperationTransaction)
	may := slices.Contains(row.PartOf, known) || kind == benchv1alpha1.OperationRunCommand ||
		kind == benchv1alpha1.OperationFlow || row.Takes(operation.MaxAwaitMillis)
	c.Refuse(inside && !may, path, kind, "an operation of this kind cannot be a part of a Transaction")
}

// own refuses what a part has from its transaction, and an answer that does not come.
func (c flowCheck) own() {
	concern := ptr.Deref(c.operation.WriteConcern, benchv1alpha1.WriteConcern{})
	c.Refuse(concern.W == "0", c.path.Child("writeConcern", "w"), concern.W,
		"a flow goes on with the answer: its parts have to be acknowledged")
	for i, parameter := range c.operation.Parameters {
		c.Refuse(slices.ContainsFunc(c.scope.whole.Parameters, called(parameter.Name)),
			c.path.Child("parameters").Index(i).Child("name"), parameter.Name, "the flow has a parameter of this name")
	}
	if c.scope.whole.Collection == c.operation.Collection {
		return
	}
	for i, parameter := range c.operation.Parameters {
		for name, tied := range map[string]*string{
			"sameRecordAs": parameter.SameRecordAs, "plusParameter": parameter.PlusParameter,
		} {
			c.Refuse(tied != nil && slices.ContainsFunc(c.scope.whole.Parameters, called(*tied)),
				c.path.Child("parameters").Index(i).Child(name), ptr.Deref(tied, ""),
				"that parameter of the flow draws from collection %s", c.scope.whole.Collection)
		}
	}
	c.Refuse(slices.ContainsFunc(c.scope.whole.Parameters, called(c.operation.ReplaceKey)),
		c.path.Child("replaceKey"), c.operation.ReplaceKey, "that parameter of the flow draws from collection %s",
		c.scope.whole.Collection)
}

// condition checks one, and that its names have values.
func (c flowCheck) condition(text string, path *field.Path) {
	if text == "" {
		return
	}
	parsed, err := condition.Parse(text)
	if err != nil {
		c.Refuse(true, path, text, "%s", err)
		return
	}
	for _, name := range parsed.Names() {
		c.Refuse(!slices.Contains(c.scope.names, name) && !slices.ContainsFunc(c.scope.whole.Parameters, called(name)),
			path, text, "%s is neither captured, nor state, nor a parameter of the flow", name)
	}
}

func (c flowCheck) repeat() {
	repeat, path := c.operation.Repeat, c.path.Child("repeat")
	if repeat == nil {
		return
	}
	c.condition(repeat.While, path.Child("while"))
	c.Refuse(repeat.Each != "" && !slices.Contains(c.scope.names, repeat.Each), path.Child("each"), repeat.Each,
		"no part of the flow captures it")
}

func (c flowCheck) captures(isFlow bool) {
	row := operation.Of(c.operation.Kind)
	for i, capture := range c.operation.Captures {
		path := c.path.Child("captures").Index(i)
		ofDocuments := capture.Of == benchv1alpha1.CaptureDocument || capture.Of == benchv1alpha1.CaptureDocuments
		c.Refuse(isFlow, path.Child("name"), capture.Name, "a flow has no answer of its own; capture from its parts")
		c.Refuse(!isFlow && ofDocuments && !row.Answers(), path.Child("of"), capture.Of,
			"a %s is answered with counts and no documents: capture Count, Matched, Modified, Inserted or Deleted",
			c.operation.Kind)
		c.Forbid(!ofDocuments && capture.Path != "", path.Child("path"), "a count has no path")
		c.Forbid(capture.Of != benchv1alpha1.CaptureDocument && capture.Otherwise != "", path.Child("otherwise"),
			"an array or a count is never missing")
		if capture.Otherwise != "" {
			validateConstant(c.Findings, capture.Otherwise, path.Child("otherwise"))
		}
	}
}

func (c flowCheck) next() {
	for i, way := range c.operation.Next {
		sibling := func(o *benchv1alpha1.Operation) bool { return o.Name == way.To }
		c.Refuse(way.To != "" && !slices.ContainsFunc(partsOf(c.operations, c.operation.PartOf), sibling),
			c.path.Child("next").Index(i).Child("to"), way.To, "must be another part of %s", c.operation.PartOf)
	}
}

// partsOf are the direct parts of an operation, in their order.
func partsOf(operations []benchv1alpha1.Operation, name string) []*benchv1alpha1.Operation {
	var parts []*benchv1alpha1.Operation
	for i := range operations {
		if operations[i].PartOf == name {
			parts = append(parts, &operations[i])
		}
	}
	return parts
}

// bounds refuses a flow that may send more than an execution may.
func (c flowCheck) bounds() {
	all, largest, loops := c.requests(c.operation, 0)
	path := c.path.Child("maxRequests")
	const most = int64(benchv1alpha1.MaxFlowRequests)
	declared := int64(c.operation.MaxRequests)
	c.Forbid(!loops && declared > 0, path, "no next leads back to an earlier part, so that the flow ends by itself")
	c.Refuse(loops && largest > loopsTo(c.operation), path, loopsTo(c.operation),
		"must be at least %d, which one of the parts may send", largest)
	c.Refuse(c.operation.PartOf == "" && !loops && all > most, c.path.Child("name"), c.operation.Name,
		"an execution may send %d requests, and at most %d are possible: lower the limits of the repeats", all, most)
}

// loopsTo is how many requests a flow that leads back may send.
func loopsTo(flow *benchv1alpha1.Operation) int64 {
	if flow.MaxRequests > 0 {
		return int64(flow.MaxRequests)
	}
	return int64(benchv1alpha1.DefaultFlowRequests)
}

// requests are how many a flow may send, and the most that one of its parts may; whether one leads back to an earlier
// one. A flow that is a part of itself has a depth without end, which ends here.
func (c flowCheck) requests(flow *benchv1alpha1.Operation, depth int) (all, largest int64, loops bool) {
	parts := partsOf(c.operations, flow.Name)
	for place, part := range parts {
		one := int64(1)
		if operation.IsFlow(part) && depth < len(c.operations) {
			inside, _, inner := c.requests(part, depth+1)
			if one = inside; inner {
				one = loopsTo(part)
			}
		}
		if part.Repeat != nil {
			one *= int64(part.Repeat.Limit)
		}
		one = min(one, 1<<31)
		all, largest = min(all+one, 1<<31), max(largest, one)
		for _, way := range part.Next {
			to := slices.IndexFunc(parts, func(o *benchv1alpha1.Operation) bool { return o.Name == way.To })
			loops = loops || way.To != "" && to >= 0 && to <= place
		}
	}
	return all, largest, loops
}
