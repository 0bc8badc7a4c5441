// Package handlersocket speaks to MariaDB past its SQL: HandlerSocket is a plugin that lets a client walk along an
// index and write rows by lines of text, without a parser, an optimiser or a session of the server's.
//
//	open index     P  number  database  table  index  columns [filter columns]
//	insert         number  +  count  values
//	find           number  = >= > <= <  count  key values [limit 0 [W|F operator filter-column value]... [U values | D]]
//	say a secret   A  1  secret
//
// A line is tokens with tabs between them; a reply is one line too, and replies come in the order of the lines, so that
// several lines may be on their way. There are two ports: one for reading, and one that also writes.
//
//	protocol.go             tokens, and taking replies to pieces as they come
//	conn.go, link.go        one connection, and whether a port answers; one that is replaced when it breaks, with its
//	                        open indexes
//	operation.go            operations as lines, bound once for each session
//	session.go              a worker's handle, for operations and for loading
//	target.go               the deployment: SQL, through package sql, for all that is not measured
//
// What is to be known of the server:
//
//   - It checks nothing that is written: text in a number is 0, what is too long is cut, and the reply says that all is
//     well. Only reading back tells, which a Verify does, over SQL.
//   - It compares no BLOB, and says so of each operation that asks for it, not when the index is opened.
//   - It knows no TLS and no users: whoever has the secret reads and writes every table, those of the users included.
//   - A write that waits for a row that SQL has locked holds up all writes: one thread does them.
//   - A table that a connection has open can be neither changed nor dropped, until all have closed it.
//   - All inserts that arrive together at the one thread that writes are one commit.
//   - A line that fails does not keep the lines after it from being carried out.
//
// It imports package loadgen, driver/sql, internal/product/handlersocket and internal/product/portable, and of the
// driver's module BSON only.
package handlersocket
