// Package kube is how a load pod and a topology Job reach the operator: through ConfigMaps made for them beforehand, of
// which they may read the gate and read and patch their own, and nothing else of the cluster. In their own the pods of
// a run tell each other of the trials of a search.
//
// It is the only package of the load generator that may import client-go; it imports api/plan and api/report, and
// knows no database.
package kube
