package command

import (
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// snapshot is what reads say of the one that they read from. The first lets the server choose its time, which the
// others then name.
type snapshot struct {
	// concern is the read concern, with the time once it is known; empty where nothing is read from snapshots.
	concern []byte
	known   bool
}

// NewSnapshot has the reads that follow share a new snapshot.
func (b *Builder) NewSnapshot() {
	s := &b.snapshot
	s.known = false
	start, concern := bsoncore.AppendDocumentStart(s.concern[:0])
	concern = bsoncore.AppendStringElement(concern, "level", "snapshot")
	s.concern, _ = bsoncore.AppendDocumentEnd(concern, start)
}

// SnapshotAt is told the time of the snapshot that an answer came from, 0 for none.
func (b *Builder) SnapshotAt(time uint64) {
	s := &b.snapshot
	if time == 0 || s.known || len(s.concern) == 0 {
		return
	}
	s.known = true
	increment, seconds := uint32(time), uint32(time>>32)
	s.concern = bsoncore.AppendTimestampElement(s.concern[:len(s.concern)-1], "atClusterTime", seconds, increment)
	s.concern = append(s.concern, 0)
	binary.LittleEndian.PutUint32(s.concern, uint32(len(s.concern)))
}

// readConcern is that of a read: its own, or the snapshot's where it is to read from one.
func (b *Builder) readConcern(r *workload.Request) []byte {
	if len(b.snapshot.concern) > 0 && r.Kind.Row().Snapshots() {
		return b.snapshot.concern
	}
	return b.Terms(r).readConcern
}
