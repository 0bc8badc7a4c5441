package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// validateFile refuses a source of none or two files, as a patch of a suite can make one.
func validateFile(found *product.Findings, source benchv1alpha1.FileSource, path *field.Path) {
	found.Forbid((source.ConfigMap == nil) == (source.PersistentVolumeClaim == nil), path,
		"exactly one of configMap and persistentVolumeClaim must be set; a patch removes another with null")
}
