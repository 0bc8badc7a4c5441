// Package load makes the objects of the load pods of a run: their Job, what they may do, their plan, and the ConfigMaps
// that they write. It also reads what the Job says of itself, and knows the labels by which Kueue holds it back.
//
// When they are made is decided elsewhere. It imports api, naming and podspec.
package load
