// Package event tells people, in Kubernetes events, what changed in an object's conditions, and reads from events the
// one fact that is found nowhere else: why a controller could not create a pod.
//
// What an event says is decided elsewhere. It imports controller-runtime's client, client-go's recorder, and package
// condition.
package event
