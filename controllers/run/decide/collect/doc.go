// Package collect makes the result of a run of what its collector tells: it reads and checks that, and makes of it the
// summary for the status and the fingerprint of what it was measured on. Reports themselves it never sees.
//
// Reading and writing objects is not its business. It imports api, naming, and the package condition.
package collect
