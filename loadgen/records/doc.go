// Package records reads documents that the load generator has not made: lines of CSV, documents of NDJSON (Extended
// JSON, one a line) and of BSON as mongodump writes them, one after another. A Table keeps some of their fields, as
// many as fit into its bound, for values and keys to be drawn from.
//
//	io.Reader ──▶ Reader ── documents in BSON ──▶ Table ── by number and field ──▶ values
//
// What cannot be read is an error that says in which line, or at which byte. It opens nothing, and imports only BSON.
package records
