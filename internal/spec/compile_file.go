package spec

import (
	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// CompileFile makes the plan's form of a file, empty for none.
func CompileFile(declared benchv1alpha1.FileSource) planv1.File {
	if from := declared.ConfigMap; from != nil {
		return planv1.File{ConfigMap: from.Name, Path: from.Key}
	}
	if from := declared.PersistentVolumeClaim; from != nil {
		return planv1.File{Claim: from.ClaimName, Path: from.Path}
	}
	return planv1.File{}
}
