// Package document makes the documents of a dataset, as BSON, straight into the caller's buffer.
//
// Every value is a pure function of the plan's seed, its own seed, the collection's name and the record number, so a
// document can be made again at any time, anywhere, in any order, and one field of it without the others. Making a
// document whose buffer is large enough allocates nothing; a Generator is read-only once compiled and serves any
// number of threads.
//
//	plan.Collection --Compile--> Generator --Append(record)--> BSON
//	plan.Value --CompileValue--> Value --Append(number)--> BSON type and value, for the parameters of operations
//
// The random bytes of a short String or Binary are made afresh. Those of a long one are a window cut from a pool of
// random bytes: as hard to compress as fresh ones, since the servers compress pages much smaller than a pool, at the
// cost of a copy. The pools are the same for every plan, made when first needed and shared by the whole process: 16
// MiB for each of the two types.
//
// Whether an optional value is there is drawn from a stream of its own, so it changes no value. A Reference has the
// generator of the field that it is of, compiled with the other collection's label, and draws a record number for it.
//
// The package does not know how documents are sent. It imports api/plan, loadgen/keydist, loadgen/stream, bson and its
// own extjson and vocabulary.
package document
