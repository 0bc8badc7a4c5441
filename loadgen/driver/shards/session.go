package shards

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/wiresession"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/merge"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// session is one worker's handle: a connection to every shard.
type session struct {
	rules   *rules
	all     placement.Set
	streams []*wiresession.Stream
	reader  reader
	load    load
	// part is what a shard is sent of a request, lists the parts of a BulkWrite and documents those of an insert, for
	// each shard; places are how far each shard's list is sent.
	part      workload.Request
	lists     [][]workload.Request
	documents [][]bson.Raw
	places    []int
}

var _ loadgen.Drainer = (*session)(nil)

// Session opens a handle, after what Check would refuse of its step is refused.
func (t *Target) Session(ctx context.Context, use loadgen.Use) (loadgen.Session, error) {
	return t.session(ctx, use)
}

func (t *Target) session(ctx context.Context, use loadgen.Use) (*session, error) {
	if err := checkClient(use.Client); err != nil {
		return nil, err
	}
	rules, err := newRules(use.Collections, len(t.shards))
	if err != nil {
		return nil, err
	}
	if err := rules.check(use.Step); err != nil {
		return nil, err
	}
	if err := t.checkWire(use.Step); err != nil {
		return nil, err
	}
	use.Client = benchv1alpha1.ClientWire
	s := &session{
		rules: rules, all: placement.All(len(t.shards)), streams: make([]*wiresession.Stream, len(t.shards)),
		lists: make([][]workload.Request, len(t.shards)), documents: make([][]bson.Raw, len(t.shards)),
		places: make([]int, len(t.shards)),
	}
	err = t.each(ctx, func(ctx context.Context, shard int, target *mongo.Target) (err error) {
		s.streams[shard], err = target.Stream(ctx, use)
		return err
	})
	if err != nil {
		s.Close()
		return nil, err
	}
	s.reader.streams = s.streams
	s.load.open(len(t.shards))
	return s, nil
}

// Client says that the load generator routes.
func (s *session) Client() string {
	return clientName
}

// Close ends the connections.
func (s *session) Close() {
	for _, stream := range s.streams {
		if stream != nil {
			stream.Close()
		}
	}
}

// Settle closes the cursors that were left open.
func (s *session) Settle(ctx context.Context) {
	for _, stream := range s.streams {
		stream.Settle(ctx)
	}
}

// Unacknowledged says whether an operation's writes go without a reply.
func (s *session) Unacknowledged(operation int) bool {
	return s.streams[0].Unacknowledged(operation)
}

// Drain asks every shard in turn, which takes as long as the slowest: meanwhile the others go on. It returns the first
// error.
func (s *session) Drain(ctx context.Context) error {
	var first error
	for shard, stream := range s.streams {
		first = cmp.Or(first, of(shard, stream.Drain(ctx)))
	}
	return first
}

// Execute sends an operation: to one shard as it is, or to several.
func (s *session) Execute(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	*reply = loadgen.Reply{}
	way := ways[r.Kind]
	if way.split != nil {
		return way.split(s, ctx, r, reply)
	}
	targets := s.targets(r)
	if shard, one := targets.One(); one {
		return s.alone(ctx, shard, r, reply)
	}
	if way.merge == nil {
		return fmt.Errorf("an operation of kind %s cannot be sent to several shards", r.Kind)
	}
	return way.merge(s, ctx, targets, r, reply)
}

// targets are the shards that a request other than an insert is for.
func (s *session) targets(r *workload.Request) placement.Set {
	filter := r.Filter
	if r.Kind == operation.Aggregate {
		filter = merge.Filter(r.Pipeline)
	}
	return s.rules.of(r.Collection).Targets(filter)
}

// alone sends an operation to the one shard that it is for.
func (s *session) alone(ctx context.Context, shard int, r *workload.Request, reply *loadgen.Reply) error {
	if r.Kind.Row().Replaces() && s.rules.of(r.Collection).Of(r.Documents[0]) != shard {
		return errMoved
	}
	return of(shard, s.streams[shard].Execute(ctx, r, reply))
}

// read merges the answers of several shards.
func (s *session) read(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply,
) error {
	if err := s.reader.open(ctx, targets, r, reply); err != nil {
		return err
	}
	for {
		document, err := s.reader.next(ctx, reply)
		if err != nil {
			return err
		}
		if reply.First.IsZero() && r.Kind != operation.FindOne {
			reply.First = time.Now()
		}
		if document == nil {
			return nil
		}
		reply.Documents++
	}
}

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
