// Package capacity reckons with what pods ask for and nodes have: CPU, memory and the number of pods, as the scheduler
// does, and with whom a node takes at all.
//
// The operator looks for room with it before it makes a target, and the plugin before anything is applied, so that both
// come to the same. It reads nothing, and does not decide whether something fits: who does knows what is to be put
// where. It imports the API types of Kubernetes and the standard library.
package capacity
