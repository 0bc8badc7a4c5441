// Command perf measures the load generator beside its peers and beside the least that the work can cost, and the parts
// of the operator that are worth a number. `make bench` runs it.
//
//	perf [--rounds N] [--seconds N] [--runs N,N,...] [--minutes N]
//	     [--scenes quiet,neighbour,throughput,p99-30s]
//	     [loadgen|controller|calibration|duets|honesty|clients]
//
// It starts a mongod of its own, and goes through races: contenders that do the same work one after the other, round by
// round (A B C, A B C), each in a process of its own. It looks at all of them from the outside, in the same way, while
// they are at full work: half a second after the server's counters were seen to rise, it reads those counters and the
// CPU clocks of both processes, and reads them again when the window ends. What a contender needs to start, to load,
// and to end is in no figure. The figures are medians over the rounds, and ratios are made round by round.
//
// The contenders:
//
//   - the floor: hack/perf/floor, bare sockets; of the points it is the better of one and two processors in a round;
//   - loadgen: this project, built from the working tree;
//   - the driver, by hand: hack/perf/handwritten, the loop over MongoDB's driver that a user writes, beside the client
//     Application;
//   - go-ycsb: its packages in hack/perf/peers/goycsb, from the Go module proxy;
//   - pymongo: from PyPI, in a virtual environment;
//   - mongoimport, where it is on PATH: the Go module proxy has its module, but the checksum database that modules are
//     verified by does not know it, so that it cannot be installed from there.
//
// The load generator is a contender of itself too: by itself, and while it samples the server and is scraped. These two
// are started together, and one stands still while the other works; they are observed more often than is usual, for
// what it usually costs is lost in the noise.
//
// controller is no race: it runs the benchmarks of what the operator computes, lets the manager bring fleets of runs to
// their end, and counts what the load pods of one run ask the API server for (see hack/perf/fleet, and
// hack/perf/loadpods, which is all load pods in one process).
//
// calibration is no race either: it makes one run over and over and records what it came to, for the tests of package
// comparison, and then measures duets.
//
// duets measures pairs of servers in turns, each for a long time, and counts what the comparisons come to that begin
// at other places of what was recorded (package duets): alike on a quiet machine, alike beside a process that works 2 s
// of every 5, with a CPU limit that is a twentieth lower, and behind proxies of which one holds back a part of the
// replies. What the last two really differ by is measured, over the whole recording. They are recorded again with
// windows of 30 s, which stand for the runs of a suite in its usual order. The load generator is this program itself
// here, and so are the proxies. Recordings stay in the cache, and all that were made on the same machine count: whoever
// has an hour at a time adds to them, scene by scene (--scenes quiet) or recording by recording (--scenes quiet-1s).
//
// clients compares the three clients of the load generator on a replica set of one member: what an operation costs the
// server, its journal and the client, for the table of docs/how-to/clients.md. It looks at the server all the while,
// and what it saw within the window that a run's report names is what counts.
//
// honesty runs the long form of the suite of lies (loadgen/honesty), which takes an hour or more, and prints its table.
//
// Standard output has the tables and one line a figure, `FIGURE name value unit`; progress goes to standard error. The
// mongod and every contender end with this program, also by a signal, and its data is removed.
//
// It imports api, the packages bare, duets, fleet and process beside it, BSON, and for duets the load generator's
// engine, its driver for MongoDB and what it observes servers by.
package main
