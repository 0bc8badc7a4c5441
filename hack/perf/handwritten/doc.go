// Command handwritten is the loop that somebody writes who wants to know how fast a MongoDB is: MongoDB's driver, a
// goroutine a thread, a document found or updated by its _id, decoded, and the time that it took kept in a slice.
//
//	handwritten --uri URI --threads N --reads PERCENT
//
// It makes YCSB's documents in a collection of its own, perfapplication.usertable, and works until it is ended. What
// the load generator's client Application costs more than this is the load generator's.
//
// It uses the version of the driver that the load generator does. It imports hack/perf/draw and the driver.
package main
