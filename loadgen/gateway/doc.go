// Package gateway is a small service between the load and the database, as applications have one, and the way to it.
//
//	load generator                          gateway                        database
//	worker ── POST /v1/execute ──────────▶ Server                             │
//	          step, number, how many        │ wait for a session of the pool  │
//	                                        │ draw, execute ────────────────▶ │
//	          what came of it, how long  ◀──┤ ... so many operations, one by one
//	          the database took             │
//
// The Server follows the same plan as the load generator. An operation is a pure function of the plan's seed, its step
// and its number (package workload), so that a request only names these: the gateway draws the operation itself. It can
// be asked for nothing but the plan's own operations, and so gives nobody a way into the database.
//
// A Client is the loadgen.Through of an engine. Each worker has one connection, which is kept alive; several gateways
// are given out to the workers in turn. What a worker measures is the time of the service; the database's own time
// comes with the reply and is recorded beside it. With several operations a request, a request is one operation of the
// result.
//
// A request of number n with k operations is made of the operation of the mix that comes at n, drawn with the numbers
// n*k to n*k+k-1, so that how many operations a request has changes what is drawn, and how many load generators,
// workers or gateways there are does not.
//
// Both sides know a secret, such as what they log in to the database with. It does not go over the wire: the token that
// does is a hash of the plan keyed by it. All that comes is untrusted until the token was right, and bounded always.
// The package imports the plan, the report, workload, measure and the interfaces of package loadgen; never a database
// driver.
package gateway
