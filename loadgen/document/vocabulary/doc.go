// Package vocabulary has the words, names and places that generated texts are made of: for each language the words by
// how often they come in texts, and the lists of names that the library gofakeit keeps.
//
// What is generated depends on the order of the lists. The tests pin them: a release of the library with other lists
// makes other documents, which no older result compares with, and so is a decision and no update like others.
//
// Of gofakeit only the lists are used (package data, which imports nothing). Its functions draw from a generator with a
// state and allocate; here a value is a function of a record number. The package knows nothing of documents, and is for
// loadgen alone: the operator needs the names of the lists only, which are the API's.
package vocabulary
