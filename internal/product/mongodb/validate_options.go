package mongodb

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/mongobench/mongobench-operator/internal/product"
	"github.com/mongobench/mongobench-operator/internal/product/mongod"
)

// parameters refuses those that the operator sets, or that a field stands for.
func (c check) parameters() field.ErrorList {
	var errs field.ErrorList
	for _, parameter := range c.Spec.Parameters {
		path := c.Path.Child("parameters").Key(parameter.Name)
		if option, ok := mongod.Find(mongod.Parameter, parameter.Name); ok {
			errs = append(errs, product.Refused(path, parameter.Name, "%s", c.instead(option))...)
		}
	}
	return errs
}

// arguments refuses those that the operator gives, or that a field stands for, and any that is given twice.
func (c check) arguments() field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, argument := range c.Spec.Arguments {
		path := c.Path.Child("arguments").Index(i)
		name, _, _ := strings.Cut(strings.TrimPrefix(argument, "--"), "=")
		if option, ok := mongod.Find(mongod.Argument, name); ok {
			errs = append(errs, product.Refused(path, argument, "%s", c.instead(option))...)
		}
		if seen[name] {
			errs = append(errs, field.Duplicate(path, argument))
		}
		seen[name] = true
	}
	return errs
}

// instead says what to do in place of giving an option.
func (c check) instead(option mongod.Option) string {
	if option.Field == "" {
		return "cannot be given: " + option.Why
	}
	return "use " + c.Path.String() + "." + option.Field + " instead"
}
