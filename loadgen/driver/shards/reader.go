package shards

import (
	"bytes"
	"context"
	"slices"
	"sort"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/wiresession"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/merge"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// firstBatch is how many documents a server has in its first batch unless it is told.
const firstBatch = 101

// reader makes one answer of those of several shards to a read. It is used again from one read to the next.
//
// With an order every shard's documents come in it, and the heads are in it, too. Without one the batches are taken
// from the shards in turn. While a batch is looked at the shard looks for the next.
type reader struct {
	streams []*wiresession.Stream
	// asked is what the shards are sent, and projection its buffer.
	asked      workload.Request
	projection []byte

	order merge.Order
	rest  merge.Range
	// sorts is the order of the last find with one, and sort what it was read from: mostly the next has the same.
	sorts merge.Order
	sort  []byte
	// firstOnly ends the read where a shard would have to be asked again.
	firstOnly bool
	plan      *merge.Plan
	// whole are groups that are put together and not handed out yet.
	whole []bson.Raw

	heads []head
	// turn is the head whose batch is taken, where there is no order.
	turn int
	// taken says that the first head's document was handed out, which is valid until the next one is wanted.
	taken bool
}

// head is where the answer of one shard is.
type head struct {
	shard     int
	documents value.Elements
	// begun says that a batch was waited for, more that there is another, and passed that others had their turn since.
	begun, more, passed bool
	document            []byte
	keys                []bsoncore.Value
}

// open sends a read to shards and waits until the first document can be told.
func (d *reader) open(ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply) error {
	if err := d.prepare(r); err != nil {
		return err
	}
	d.heads, d.turn, d.taken = d.heads[:0], 0, false
	for shard := range targets.All() {
		if err := d.streams[shard].Begin(ctx, &d.asked); err != nil {
			return of(shard, err)
		}
		d.push(shard)
	}
	switch {
	case d.grouped():
		return d.gather(ctx, reply)
	case len(d.order) > 0:
		return d.arrange(ctx, reply)
	default:
		return nil
	}
}

// push adds a head, with the memory of one that was there before.
func (d *reader) push(shard int) {
	last := len(d.heads)
	d.heads = slices.Grow(d.heads, 1)[:last+1]
	d.heads[last] = head{shard: shard, more: true, keys: d.heads[last].keys[:0]}
}

// prepare decides what the shards are sent.
func (d *reader) prepare(r *workload.Request) (err error) {
	d.asked, d.plan, d.whole, d.firstOnly = *r, nil, nil, r.FirstBatchOnly
	if r.Kind == operation.Aggregate {
		err = d.prepareAggregate(r)
	} else {
		err = d.prepareFind(r)
	}
	if err != nil {
		return err
	}
	if d.firstOnly {
		d.beginOnly(r)
	}
	// Groups are needed whole, whatever is wanted of them.
	d.firstOnly = d.firstOnly && !d.grouped()
	return nil
}

func (d *reader) prepareAggregate(r *workload.Request) (err error) {
	d.plan, err = merge.Split(r.Pipeline)
	if err == nil {
		d.asked.Pipeline, d.order, d.rest = d.plan.Pipeline, d.plan.Order, d.plan.Range
	}
	return err
}

func (d *reader) prepareFind(r *workload.Request) (err error) {
	if d.order, err = d.orderOf(r.Sort); err != nil {
		return err
	}
	d.rest = merge.NewRange(r.Skip, r.Limit)
	if r.Kind == operation.FindOne {
		d.rest = merge.NewRange(0, 1)
	}
	d.asked.Skip, d.asked.Limit = 0, d.rest.Asked()
	if len(d.order) > 0 && len(r.Projection) > 0 {
		d.projection, err = d.order.Project(d.projection[:0], r.Projection)
		d.asked.Projection = d.projection
	}
	return err
}

// orderOf reads what a find is sorted by.
func (d *reader) orderOf(sort bson.Raw) (merge.Order, error) {
	if len(sort) == 0 {
		return nil, nil
	}
	if bytes.Equal(sort, d.sort) {
		return d.sorts, nil
	}
	order, err := merge.ParseOrder(sort)
	if err == nil {
		d.sorts, d.sort = order, append(d.sort[:0], sort...)
	}
	return order, err
}

func (d *reader) grouped() bool {
	return d.plan != nil && d.plan.Group != nil
}

// beginOnly makes the answer end with what one server's first batch would be.
func (d *reader) beginOnly(r *workload.Request) {
	most := int64(r.BatchSize)
	if most == 0 {
		most = firstBatch
	}
	if d.rest.Limit < 0 || d.rest.Limit > most {
		d.rest.Limit = most
	}
	if d.rest.Skip > 0 {
		d.asked.BatchSize = int32(d.rest.Skip + most)
	}
}

// batch waits for a shard's next documents.
func (d *reader) batch(ctx context.Context, h *head, reply *loadgen.Reply) error {
	documents, more, err := d.streams[h.shard].Batch(ctx, reply, !d.firstOnly)
	h.documents, h.more, h.begun = value.In(documents), more, true
	return of(h.shard, err)
}

// ended says that a shard with nothing left of its batch is asked for no other.
func (d *reader) ended(h *head) bool {
	return h.begun && (!h.more || d.firstOnly)
}

// next is the next document of the merged answer, valid until the next call; nil at the end.
func (d *reader) next(ctx context.Context, reply *loadgen.Reply) ([]byte, error) {
	for {
		if d.rest.Limit == 0 {
			return nil, nil
		}
		document, err := d.pull(ctx, reply)
		if document == nil || err != nil {
			return nil, err
		}
		if d.rest.Skip > 0 {
			d.rest.Skip--
			continue
		}
		d.rest.Limit--
		return document, nil
	}
}

// pull is the next document, before skip and limit.
func (d *reader) pull(ctx context.Context, reply *loadgen.Reply) ([]byte, error) {
	switch {
	case d.grouped():
		if len(d.whole) == 0 {
			return nil, nil
		}
		document := d.whole[0]
		d.whole = d.whole[1:]
		return document, nil
	case len(d.order) > 0:
		return d.least(ctx, reply)
	default:
		return d.any(ctx, reply)
	}
}

// any takes the batches of the shards in turn, in whatever order their documents are: while one is taken, the shards
// look for the next ones.
func (d *reader) any(ctx context.Context, reply *loadgen.Reply) ([]byte, error) {
	for len(d.heads) > 0 {
		d.turn %= len(d.heads)
		h := &d.heads[d.turn]
		if _, v, ok := h.documents.Next(); ok {
			return v.Data, nil
		}
		if d.ended(h) {
			d.heads = slices.Delete(d.heads, d.turn, d.turn+1)
			continue
		}
		if h.begun && !h.passed {
			h.passed = true
			d.turn++
			continue
		}
		h.passed = false
		if err := d.batch(ctx, h, reply); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// gather puts the groups of all shards together.
func (d *reader) gather(ctx context.Context, reply *loadgen.Reply) error {
	for {
		document, err := d.any(ctx, reply)
		if err != nil {
			return err
		}
		if document == nil {
			d.whole, err = d.plan.Finish()
			return err
		}
		if err := d.plan.Group.Add(document); err != nil {
			return err
		}
	}
}

// arrange waits for the first document of every shard, and puts the heads in order.
func (d *reader) arrange(ctx context.Context, reply *loadgen.Reply) error {
	for i := len(d.heads) - 1; i >= 0; i-- {
		there, err := d.advance(ctx, &d.heads[i], reply)
		if err != nil {
			return err
		}
		d.settle(i, there)
	}
	return nil
}

// least is the document that comes first of those that are at the heads.
func (d *reader) least(ctx context.Context, reply *loadgen.Reply) ([]byte, error) {
	if d.taken {
		d.taken = false
		there, err := d.advance(ctx, &d.heads[0], reply)
		if err != nil {
			return nil, err
		}
		if !there && d.firstOnly && d.heads[0].more {
			// What it would have next may come before what the others have.
			return nil, nil
		}
		d.settle(0, there)
	}
	if len(d.heads) == 0 {
		return nil, nil
	}
	d.taken = true
	return d.heads[0].document, nil
}

// advance goes on to a shard's next document, and reports whether there is one.
func (d *reader) advance(ctx context.Context, h *head, reply *loadgen.Reply) (bool, error) {
	for {
		if _, v, ok := h.documents.Next(); ok {
			h.document = v.Data
			var err error
			h.keys, err = d.order.Keys(h.keys[:0], v.Data)
			return true, err
		}
		if d.ended(h) {
			return false, nil
		}
		if err := d.batch(ctx, h, reply); err != nil {
			return false, err
		}
	}
}

// settle brings a head to its place among those behind it, which are in order, or takes away one that has no document,
// whose memory is kept behind the others. Of equal documents those of the first shard come first.
func (d *reader) settle(i int, there bool) {
	behind := d.heads[i+1:]
	place := len(behind)
	if there {
		place = sort.Search(place, func(j int) bool { return d.before(&d.heads[i], &behind[j]) })
	}
	if place > 0 {
		h := d.heads[i]
		copy(d.heads[i:], behind[:place])
		d.heads[i+place] = h
	}
	if !there {
		d.heads = d.heads[:len(d.heads)-1]
	}
}

func (d *reader) before(a, b *head) bool {
	if c := d.order.Compare(a.keys, b.keys); c != 0 {
		return c < 0
	}
	return a.shard < b.shard
}
