// Package ycsb compares what presets ask for with what YCSB's own core asks for, run beside them.
//
//	make e2e NEIGHBOURS=ycsb        the page for its users is docs/neighbours/ycsb.md
//
// The file jars pins YCSB and what it needs. YCSB draws without a seed; the comparison fails by chance less than once
// in a thousand million times. It needs no cluster.
package ycsb
