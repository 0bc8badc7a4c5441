package settings

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// Images are those that targets and runs may name: repositories as docker.io/library/mongo, or all below a path as
// registry.example.com/bench/*. None means any. The operator's own defaults need not be among them.
type Images []string

// Refuse finds the images of a run's specification that may not be used.
func (i Images) Refuse(run benchv1alpha1.BenchmarkRunSpec) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("spec")
	if generator := run.LoadGenerator; generator != nil {
		errs = i.check(errs, generator.Image, path.Child("loadGenerator", "image"))
	}
	if run.Target != nil {
		errs = append(errs, i.RefuseTarget(*run.Target, path.Child("target"))...)
	}
	return errs
}

// RefuseTarget finds those of a target's, whose specification is at a path.
func (i Images) RefuseTarget(target benchv1alpha1.BenchmarkTargetSpec, path *field.Path) field.ErrorList {
	deployment := target.Deployment()
	if deployment == nil {
		return nil
	}
	path = path.Child(target.Member())
	errs := i.check(nil, deployment.Image, path.Child("image"))
	if mongodb := target.MongoDB; mongodb != nil && mongodb.Sharded != nil && mongodb.Sharded.Mongos != nil {
		errs = i.check(errs, mongodb.Sharded.Mongos.Image, path.Child("sharded", "mongos", "image"))
	}
	return errs
}

func (i Images) check(errs field.ErrorList, image *string, path *field.Path) field.ErrorList {
	named := func(allowed string) bool { return matches(allowed, *image) }
	if len(i) == 0 || image == nil || slices.ContainsFunc(i, named) {
		return errs
	}
	return append(errs, field.Invalid(path, *image,
		"the operator was not set up to allow images of this repository; ask whoever runs it, or leave this out"))
}

// matches says whether an image is of an allowed repository, or below a path that ends with /*.
func matches(allowed, image string) bool {
	repository := repositoryOf(image)
	if below, all := strings.CutSuffix(allowed, "*"); all {
		return strings.HasSuffix(below, "/") && strings.HasPrefix(repository, below)
	}
	return repository == repositoryOf(allowed)
}

// repositoryOf is the full name of an image's repository, without its tag and digest. Source of the names that are
// filled in: https://github.com/distribution/reference (normalize.go).
func repositoryOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if colon := strings.LastIndexByte(image, ':'); colon > strings.LastIndexByte(image, '/') {
		image = image[:colon]
	}
	host, _, nested := strings.Cut(image, "/")
	switch {
	case !nested:
		return "docker.io/library/" + image
	case !strings.ContainsAny(host, ".:") && host != "localhost":
		return "docker.io/" + image
	}
	return image
}
