// Package collect makes the result of a run of what its load pods reported: the merged report that is stored, its
// summary for the status, and the fingerprint of what it was measured on.
//
// Reading and writing are not its business. It imports api, naming, and the packages act and condition.
package collect
