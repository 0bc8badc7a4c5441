package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: "mongobench.dev", Version: "v1alpha1"}

// SchemeBuilder collects the functions that make this API known to a scheme. It is apimachinery's builder, not
// controller-runtime's, because the load generator uses these types too.
var SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

// AddToScheme makes every kind of this package known to a scheme.
var AddToScheme = SchemeBuilder.AddToScheme

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&BenchmarkRun{}, &BenchmarkRunList{},
		&BenchmarkTarget{}, &BenchmarkTargetList{},
		&BenchmarkSuite{}, &BenchmarkSuiteList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
