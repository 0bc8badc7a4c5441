// Package workload turns the operations of a plan's step into requests: which operation of the mix comes at which
// number, with which parameters, as encoded BSON.
//
// Request number i of a step is a pure function of the plan's seed, the step's name and i. Threads and pods share the
// numbers out among themselves, and so send the same requests however many they are.
//
//	plan --NewDataset--> Dataset --Compile(step)--> Mix --Draw(number)--> Request
//
// A Dataset and a Mix are read-only once made and serve any number of threads. A Request belongs to one thread, which
// fills it again and again; once its buffers have grown to what the workload needs, drawing allocates nothing. The
// Parts of a BulkWrite or Transaction share the parameters and the buffers of the whole.
//
// The documents of an operation are compiled once into templates: pieces of BSON with holes where {"$param": "name"}
// stands for the value of a parameter, and where a key "$param:name" stands for the text of one: a String, or a Choice
// of texts, of 1 to 1024 bytes without a zero byte. To fill in a template is to copy pieces and values and to patch
// lengths.
//
// Parameters may be tied to one before them. A Key with SameRecordAs takes its field of the other's record. With
// PlusParameter the other's value is added; it is of the same type, or a Key whose field is. A sum that does not fit
// the type becomes the least or the largest value that does: of an Int 32 bits, of a Long and the milliseconds of a
// Date 64 bits, of a Double the largest finite number.
//
// A Key that draws by a Latest distribution from all records draws those that its step has inserted too; what differs
// from YCSB's "latest" is written beside newest.
//
// The package neither sends requests nor knows when to. It imports api, api/plan, loadgen/document and its extjson,
// loadgen/keydist, loadgen/stream and bson.
package workload
