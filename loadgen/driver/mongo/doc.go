// Package mongo measures MongoDB, through the official Go driver or through a wire client of its own.
//
// Every operation is one command that is written into a buffer of its worker and sent as it is: what the plan says is
// what the server gets, and the driver's own encoding, its retries and its monitoring stay out of the measurement.
//
// # Two clients
//
// A session of the driver costs what an application's does. A wire session owns one connection and costs little more
// than its system calls, and it loads by document sequences, of which one is sent while the server writes another. Both
// send the same commands, made by the same builder, know the same errors and retry alike; the driver is asked by wire
// sessions which server is the primary. Two things differ: the driver tells the server when an operation may end, so
// that the server gives it up too, while a wire session only ends its connection; and the driver sends a session's id
// with every command, a wire session only with writes that may be sent twice.
//
// # Retries
//
// They are off unless the step asks for them, because a retry hides an error and doubles a latency. With them a
// command is sent once more, and counted, after an error of the network or a change of the primary: reads at any time,
// writes where the servers remember what they did, which those that are alone do not; never a write of any number of
// documents, a raw command, the rest of a cursor, or anything that took too long. Only two things the driver repeats
// by itself, and uncounted, as its specification wants: the commit of a transaction, and the opening of a change
// stream that broke.
//
// # Concerns
//
// Every operation may have its own read concern, write concern and read preference; what it leaves open the connection
// string says. They are encoded once. A load is acknowledged whatever the connection string says. With w: 0 the server
// is told to answer nothing: such an operation has no time and claims no documents. The rate at which they are sent is
// the rate at which the operating system takes them. When the server has taken them in Drain tells: a wire session asks
// over its connection, a session of the driver over all of the driver's (unacknowledged.go).
//
// Commands that answer with a cursor are sent so that the driver keeps to the server that holds the cursor.
//
// # Transactions, change streams and tailing cursors
//
// A transaction is one operation: from its first command to the end of its commit. It is aborted after an error.
//
// A worker keeps one change stream, or tailing cursor, of an operation open from its first use until the session ends.
// An operation waits for what comes next, and takes all that came together: its documents are events, and its time is
// how long the reader waited since it asked, not since the change was made. When nothing comes in time, the operation
// has succeeded with no document and, like one that had to open the stream first, with no time.
//
// A Target holds the parts together: connection and its logins, driversession and wiresession, describe, members, act,
// schema, sharding and explain. Package errorclass names the classes of errors, and command writes the commands of both
// clients.
//
// It is not the place for building a topology or for drawing operations. It imports the plan, the report, the
// workload's requests, the wire client and the driver; nothing else may import the driver but the topology package.
package mongo
