package operation

import benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"

// IsFlow says whether an operation consists of operations of its step rather than of requests of its own.
func IsFlow(o *benchv1alpha1.Operation) bool {
	return o.Kind == benchv1alpha1.OperationFlow || o.Kind == benchv1alpha1.OperationTransaction && len(o.Operations) == 0
}
