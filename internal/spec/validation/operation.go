package validation

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// operationCheck checks one operation of a step.
type operationCheck struct {
	operation *benchv1alpha1.Operation
	spec      *benchv1alpha1.BenchmarkRunSpec
	path      *field.Path
}

func (c operationCheck) run() field.ErrorList {
	errs := c.documents()
	for _, request := range c.requests() {
		errs = append(errs, request.requirements()...)
	}
	errs = append(errs, c.command()...)
	errs = append(errs, c.server()...)
	collection, wrong := c.collection(c.operation.Collection, c.path)
	if collection == nil {
		return append(errs, wrong...)
	}
	errs = append(errs, c.nested(collection)...)
	if c.operation.Kind == benchv1alpha1.OperationTail && !capped(collection) {
		errs = append(errs, field.Invalid(c.path.Child("collection"), collection.Name,
			"a Tail follows a capped collection; set options.capped of this one"))
	}
	for i := range c.operation.Parameters {
		errs = append(errs, c.parameter(i, collection)...)
	}
	return errs
}

// requests are the operation itself and those that it consists of.
func (c operationCheck) requests() []requestCheck {
	checks := make([]requestCheck, 0, 1+len(c.operation.Operations))
	checks = append(checks, requestCheck{&c.operation.Request, c.operation.Parameters, c.path})
	for i := range c.operation.Operations {
		checks = append(checks, requestCheck{
			&c.operation.Operations[i], c.operation.Parameters, c.path.Child("operations").Index(i),
		})
	}
	return checks
}

// documents checks what is written in JSON, and that it and the declared parameters agree.
func (c operationCheck) documents() field.ErrorList {
	var used []string
	var errs field.ErrorList
	for _, request := range c.requests() {
		names, wrong := request.documents(c.operation.Command)
		used, errs = append(used, names...), append(errs, wrong...)
	}
	if len(errs) > 0 {
		return errs // A document that could not be read may well use the parameters that seem unused.
	}
	for _, parameter := range c.operation.Parameters {
		used = append(used, ptr.Deref(parameter.SameRecordAs, ""), ptr.Deref(parameter.PlusParameter, ""))
	}
	for i, parameter := range c.operation.Parameters {
		if !slices.Contains(used, parameter.Name) {
			errs = append(errs, field.Invalid(c.path.Child("parameters").Index(i).Child("name"), parameter.Name,
				fmt.Sprintf(`is used nowhere; write {"$param": %q} where its value belongs, or remove it`, parameter.Name)))
		}
	}
	return errs
}

func (c operationCheck) command() field.ErrorList {
	command := c.operation.Command
	if c.operation.Kind != benchv1alpha1.OperationRunCommand || !emptyObject(command) {
		return nil
	}
	return field.ErrorList{field.Invalid(c.path.Child("command"), command, "must begin with the name of a command")}
}

// collection finds the collection that a name means.
func (c operationCheck) collection(name string, path *field.Path) (*benchv1alpha1.Collection, field.ErrorList) {
	names := make([]string, 0, len(c.spec.Dataset.Collections))
	for i := range c.spec.Dataset.Collections {
		known := &c.spec.Dataset.Collections[i]
		if known.Name == name {
			return known, nil
		}
		names = append(names, known.Name)
	}
	return nil, field.ErrorList{field.NotSupported(path.Child("collection"), name, names)}
}

// nested checks the collections of the operations that this one consists of.
func (c operationCheck) nested(whole *benchv1alpha1.Collection) field.ErrorList {
	var errs field.ErrorList
	for i := range c.operation.Operations {
		nested, path := &c.operation.Operations[i], c.path.Child("operations").Index(i)
		collection, wrong := whole, field.ErrorList(nil)
		name := nested.Collection
		if name != whole.Name {
			collection, wrong = c.collection(nested.Collection, path)
		}
		errs = append(errs, wrong...)
		switch {
		case collection != nil && capped(collection) && c.operation.Kind == benchv1alpha1.OperationTransaction &&
			operation.Of(nested.Kind).Effect.Writes():
			errs = append(errs, field.Invalid(path.Child("collection"), name,
				"MongoDB writes to no capped collection in a transaction"))
		case collection == nil || collection == whole:
		case c.operation.Kind == benchv1alpha1.OperationBulkWrite:
			errs = append(errs, field.Invalid(path.Child("collection"), name,
				"a BulkWrite writes to one collection, "+whole.Name))
		case nested.Kind == benchv1alpha1.OperationReplaceOne:
			errs = append(errs, field.Invalid(path.Child("collection"), name, fmt.Sprintf(
				"the parameters of type Key draw records of collection %s, and a replacement is made for such a record",
				whole.Name)))
		}
	}
	return errs
}

func capped(collection *benchv1alpha1.Collection) bool {
	return ptr.Deref(collection.Options, benchv1alpha1.CollectionOptions{}).Capped != nil
}
