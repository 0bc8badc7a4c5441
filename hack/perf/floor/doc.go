// Command floor does the work of a load generator with nothing of its own: bare sockets, messages that were made
// before, the changing bytes patched in place, one buffered read a reply, and a histogram of the latencies. What a load
// generator costs more than this is its own; nothing written in Go costs less.
//
//	floor points --address HOST:PORT --threads N --reads PERCENT   find or update one document by _id, zipfian
//	floor load   --address HOST:PORT --connections N --batch N     insert documents of 57 bytes, send, wait, send
//
// It works until it is ended. GOMAXPROCS says how many processors it may use at a time. Points are drawn beforehand, so
// that not even drawing costs anything, from the documents of the collection ycsb.usertable.
//
// It generates no data and reports nothing. It imports hack/perf/bare, hack/perf/draw and the histogram of
// loadgen/measure.
package main
