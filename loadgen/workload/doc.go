// Package workload turns the operations of a plan's step into requests: which operation of the mix comes at which
// number, with which parameters, as encoded BSON.
//
// Request number i of a step is a pure function of the plan's seed, the step's name and i. Threads and pods share the
// numbers out among themselves, and so send the same requests however many they are.
//
//	plan --NewDataset--> Dataset --Compile(step)--> Mix --Draw(number)--> Request
//
// A Dataset and a Mix are read-only once made and serve any number of threads. A Request belongs to one thread, which
// fills it again and again; once its buffers have grown to what the workload needs, drawing allocates nothing.
//
// The documents of an operation are compiled once into templates: pieces of BSON with holes where {"$param": "name"}
// stands. To fill in a template is to copy pieces and values and to patch lengths.
//
// The package neither sends requests nor knows when to. It imports api, api/plan, loadgen/document and its extjson,
// loadgen/keydist, loadgen/stream and bson.
package workload
