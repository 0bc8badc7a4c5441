package mongod

import (
	"slices"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Kind tells arguments from parameters.
type Kind string

// The kinds of options.
const (
	// Argument is given as --name or --name value.
	Argument Kind = "argument"
	// Parameter is given as --setParameter name=value.
	Parameter Kind = "parameter"
)

// Option is one argument or parameter of mongod.
type Option struct {
	Name string
	Kind Kind
	// Since and Until are the first release that knows it, and the first one that does not any more. Zero: all do.
	Since, Until Release
	// Engines that know it. None: all do.
	Engines []benchv1alpha1.EngineName
	// Field of a target that stands for it. Empty: none does, and Why says why nobody may give it.
	Field string
	Why   string
}

// Find returns the option of this name that the operator has to do with.
func Find(kind Kind, name string) (Option, bool) {
	options := All()
	i := slices.IndexFunc(options, func(o Option) bool { return o.Kind == kind && o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return options[i], true
}

// All returns the whole table.
func All() []Option {
	return slices.Concat(given, reserved)
}

// Given returns those that the operator may give.
func Given() []Option {
	return slices.Clone(given)
}

// KnownTo says whether a mongod of this release, with this engine, has the option.
func (o Option) KnownTo(release Release, engine benchv1alpha1.EngineName) bool {
	switch {
	case !release.AtLeast(o.Since):
		return false
	case o.Until != Release{} && release.AtLeast(o.Until):
		return false
	}
	return len(o.Engines) == 0 || slices.Contains(o.Engines, engine)
}
