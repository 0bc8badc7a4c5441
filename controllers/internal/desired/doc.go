// Package desired says what an object is to a decision, and whether the cluster already holds it. It is pure, so that
// the decide packages, which know no client, can speak of objects.
//
// Writing is the work of package apply. It imports apimachinery only.
package desired
