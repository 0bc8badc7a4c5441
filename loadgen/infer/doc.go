// Package infer makes the dataset of a run from a sample of a real collection: fields with their types, lengths, ranges
// and cardinality, indexes, options, and the number of documents.
//
//	Sample.Add(document) ... ─> Sample.Collection(About) ─> API's Collection, and Notes of what it cannot express
//	                                                        Write: both as YAML
//
// What a dataset cannot express is said in a Note, never passed over: values of mixed types, more repetitions than a
// Choice may hold, indexes of other kinds. Texts that look like mail addresses, pages, hosts, names or sentences become
// such, of nobody; and points lie in the same box, in tenths of a degree.
//
// No document of the sample, nor a part of one, is in the result, but for this: names of fields; the least and largest
// number, date and length, of points in tenths of a degree; the prefix of texts that end in a number; and the values of
// a Choice, which are those of a field with few of them, each seen several times (Settings.MaxChoices, minSeen).
// Settings.NoValues replaces the values of a Choice and the prefixes by made-up ones of the same types, lengths and
// weights.
//
// The package is pure: who reads the sample from a server is under loadgen/driver. It imports the API, the plan,
// loadgen/document with its extjson, and bson.
package infer
