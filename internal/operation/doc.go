// Package operation says what each kind of operation is: one row a kind, with what it does to documents, which settings
// it takes, what it may be a part of, and which clients speak it. Whoever needs to know a fact about a kind asks its
// row; what has to be written out elsewhere (the rules of the schema, the encoders of clients, docs and samples) is
// compared with the rows by tests. A new kind is a new row, and the tests then name every place that does not know it.
//
// It knows no requests, values or commands: those are loadgen's. It imports the API, the plan and the standard library.
package operation
