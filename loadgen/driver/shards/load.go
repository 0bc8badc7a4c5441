package shards

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
)

const (
	// pipeline is how many batches are under way, as on a connection of one's own.
	pipeline = 2
	// mostBytes are made of a batch, so that what of it is one shard's always fits into a request.
	mostBytes = 15 << 20
	// mostDocuments is what every server takes of an insert.
	mostDocuments = 100_000
)

// load is what a Load needs of a session.
type load struct {
	// made are the documents of the batch that is encoded, one after the other.
	made []byte
	// shares are the documents of each shard among them.
	shares []share
	// batches are those that are under way, in a ring: the shards of each, of which a reply is to come. encoded is the
	// one that was made and not sent.
	batches         [pipeline]placement.Set
	first, underWay int
	encoded         placement.Set
	// lost is a mistake that Encode has no way to tell.
	lost error
}

// share hands out documents that are made already.
type share struct {
	load *load
	ends []place
}

// place is where a document lies among those that were made.
type place struct {
	begin, end int
}

// Append appends the document with this number.
func (h *share) Append(dst []byte, number int64) []byte {
	at := h.ends[number]
	return append(dst, h.load.made[at.begin:at.end]...)
}

func (l *load) open(shards int) {
	l.shares = make([]share, shards)
	for i := range l.shares {
		l.shares[i].load = l
	}
}

// Pipeline is how many batches may be under way.
func (s *session) Pipeline() int {
	return pipeline
}

// Encode makes documents, and then the inserts for the shards that they belong to. Each document is copied once.
func (s *session) Encode(collection string, documents loadgen.Documents, first, count int64) int64 {
	l, rule := &s.load, s.rules.of(collection)
	l.made, l.encoded = l.made[:0], 0
	for i := range l.shares {
		l.shares[i].ends = l.shares[i].ends[:0]
	}
	var taken int64
	for taken < min(count, mostDocuments) {
		begin := len(l.made)
		l.made = documents.Append(l.made, first+taken)
		if len(l.made) > mostBytes && taken > 0 {
			break
		}
		shard := rule.Of(bson.Raw(l.made[begin:]))
		l.shares[shard].ends = append(l.shares[shard].ends, place{begin, len(l.made)})
		l.encoded |= placement.Only(shard)
		taken++
	}
	for shard := range l.encoded.All() {
		share := &l.shares[shard]
		number := int64(len(share.ends))
		if got := s.streams[shard].Encode(collection, share, 0, number); got != number && l.lost == nil {
			l.lost = of(shard, fmt.Errorf("it takes %d documents at a time of %d; make batchDocuments smaller", got, number))
		}
	}
	return taken
}

// Send sends every shard its part of the batch.
func (s *session) Send(ctx context.Context) error {
	l := &s.load
	if l.lost != nil {
		return l.lost
	}
	for shard := range l.encoded.All() {
		if err := s.streams[shard].Send(ctx); err != nil {
			return of(shard, err)
		}
	}
	l.batches[(l.first+l.underWay)%pipeline] = l.encoded
	l.underWay++
	return nil
}

// Acknowledge waits for the replies of all shards to the oldest batch.
func (s *session) Acknowledge(ctx context.Context) error {
	l := &s.load
	for shard := range l.batches[l.first].All() {
		if err := s.streams[shard].Acknowledge(ctx); err != nil {
			return of(shard, err)
		}
	}
	l.batches[l.first] = 0
	l.first = (l.first + 1) % pipeline
	l.underWay--
	return nil
}
