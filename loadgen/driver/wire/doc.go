// Package wire speaks MongoDB's wire protocol with as little work as can be: one connection, one buffer each way, one
// system call to send a request and one to take its reply. It knows messages (OP_MSG with its two kinds of sections),
// the handshake, SCRAM and TLS; it knows no operations. What to send, and what to do about an error, is for package
// mongo to say.
//
//	Dial ── hello ── SCRAM ──> Conn
//	buffer: Lead bytes, command, [BeginSequence, documents, EndSequence]
//	Conn.Call(buffer) ──> reply document ──> Parse
//
// A Link is the connection below a Conn, and below that of the legacy client. A session holds it by a Handle, which a
// Watch looks at: what waits for longer than it may, or than its context, is ended.
//
// A request is written in place: the first Lead bytes of its buffer are left free, and Conn fills in the header as it
// sends it. A reply is a slice of the connection's read buffer, valid until the next one is read.
//
// # The floor
//
// How close this comes to what the system allows is measured against a program that does nothing else: a goroutine for
// each connection that writes one OP_MSG, encoded beforehand, with net.Conn.Write, and reads the reply with one
// net.Conn.Read into a buffer of 16 KiB, looking at nothing but the four bytes of the length. It needs the same
// GOMAXPROCS as what it is compared with. For a load the message holds the documents as a sequence (section kind 1),
// and only the last bytes of each _id are counted up in place. Such a read costs two system calls, for Go tries to read
// before it waits; Conn.Call does without the first of them, and on Linux tells the scheduler of neither, so that it
// can be below that floor.
//
// The package imports nothing of the project, and of the driver's module only the BSON core.
package wire
