// Package podfault reads from pods, and from the events of what makes pods, why they do not run. It is pure: pods,
// events and the time go in, a reason of api/v1alpha1 and a sentence for people come out.
//
// What a fault means for a run or a target is decided elsewhere. It imports the API types and api.
package podfault
