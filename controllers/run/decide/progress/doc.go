// Package progress says how far the load pods of a run are in its plan: which plan that is, and what each of them said
// last.
//
// What follows from it is decided elsewhere. It imports api, spec and naming.
package progress
