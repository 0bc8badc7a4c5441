// Package replay sends operations that were recorded once again: each at its time, or at a multiple of it, or as fast
// as possible.
//
// A recording has one operation a line, as JSON. A line is a document of system.profile as mongoexport writes it, in
// either form of Extended JSON:
//
//	{"op": "query", "ns": "shop.orders", "ts": {"$date": "2026-03-01T12:00:00.250Z"}, "millis": 3, "command": {…}}
//
// or, for what was recorded otherwise, the time as seconds from any instant on or as ISO 8601, the database and the
// command as a driver would run it:
//
//	{"at": 12.5, "db": "shop", "command": {"find": "orders", "filter": {"_id": 7}}}
//
// The profiler writes an operation down when it ends: it began "millis" earlier. The lines may be in any order.
//
//	lines ──> entries ──> what may be sent again, and without what belonged to its session ──> by their times
//	               └──> left out, counted by the reason
//
// Not everything can or should be sent again. Left out are the getMores, as the command that opened the cursor is sent
// again and only its first batch read; what drivers and administrators do; what the profiler did not keep, such as the
// documents of inserts; the start, the end and the bond of transactions; and writes, unless they are asked for.
//
// It is an open loop: an operation that comes late because all workers wait for a reply was late by its own fault or
// the database's, and its response time says so. Nothing is dropped.
//
// The package knows no database but a loadgen.Target, and of that only raw commands. It imports package loadgen, what
// is below it, the plan and the report.
package replay
