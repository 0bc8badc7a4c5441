// Package explain asks a MongoDB deployment how it carries out a request, and reads the answer.
//
//	request ── command ──▶ the same without concerns ── explain ──▶ reply ──▶ stages in one line, what was examined
//
// The server is asked to carry the plan out (executionStats), for a second at most: only then it says how many keys and
// documents it had to look at, which tells a good index from a poor one. An update or a removal then looks for its
// documents and leaves them as they are. What would write ($out, $merge), takes longer or is refused is asked for its
// plan alone (queryPlanner).
//
// Replies have one shape for a server, another behind a mongos, and others for aggregations; the fields of plans differ
// by release. Only names of stages and indexes are taken, and none of the values that a plan shows.
//
// It imports the driver, the report, the workload's requests and package command.
package explain
