// Package loop is what the steps of every reconcile are made of: observe an object and what it rests on, decide, apply
// the decision, report the new status, and tell what changed in it.
//
// It decides nothing and knows no kind. It imports controller-runtime, and the packages apply, condition, metrics and
// settings beside it.
package loop
