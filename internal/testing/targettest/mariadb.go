package targettest

import (
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// MariaDB is a target of one MariaDB 10.11, with InnoDB.
func MariaDB(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	target := Standalone(namespace, name, "10.11")
	target.Spec.Kind = new(benchv1alpha1.TargetMariaDB)
	return target
}

// FerretDB is a target of one FerretDB 1.24.0.
func FerretDB(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	target := Standalone(namespace, name, "1.24.0")
	target.Spec.Kind = new(benchv1alpha1.TargetFerretDB)
	target.Spec.Security = &benchv1alpha1.SecuritySpec{Authentication: new(benchv1alpha1.Disabled)}
	return target
}

// HandlerSocket is a MariaDB that is spoken to without SQL as well.
func HandlerSocket(namespace, name string) *benchv1alpha1.BenchmarkTarget {
	target := MariaDB(namespace, name)
	target.Spec.MariaDB = &benchv1alpha1.MariaDBSpec{HandlerSocket: &benchv1alpha1.HandlerSocketSpec{}}
	return target
}
