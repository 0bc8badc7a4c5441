// Package legacy speaks to servers that are too old for the driver: MongoDB 2.4 to 4.0, and TokuMX, which is a MongoDB
// 2.4 to its clients. It sends the requests of their time, and MongoDB up to 5.0 still takes them, so that they are
// tested on real servers:
//
//	wire version   servers                   reads                    writes
//	0              MongoDB 2.4, TokuMX 2.0   OP_QUERY, OP_GET_MORE    OP_INSERT, OP_UPDATE, OP_DELETE, each with a
//	                                                                  getLastError in the same system call
//	2 and above    MongoDB 2.6 to 4.0        OP_QUERY, OP_GET_MORE    write commands in OP_QUERY
//
// A write that is not to be acknowledged goes without its getLastError, in both forms. What these servers do not know,
// such as transactions and change streams, is refused when a session is opened.
//
//	conn.go               one connection and its messages; MONGODB-CR for 2.x, SCRAM for 3.0 and above
//	target.go             the deployment: finding its primary and opening sessions
//	dataset.go            describing it, preparing, marking and reading its collections
//	session.go            a worker's handle and its loads, operations.go what it sends
//
// It imports package loadgen, driver/mongo for connection strings, commands and classes of errors, driver/wire for
// connections and SCRAM, and of the driver's module BSON only.
package legacy
