package shards

import (
	"context"
	"slices"

	"github.com/mongobench/mongobench-operator/loadgen"
)

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

// arrange waits for the first document of every shard, and makes a heap of them.
func (d *reader) arrange(ctx context.Context, reply *loadgen.Reply) error {
	for i := 0; i < len(d.heads); {
		there, err := d.advance(ctx, &d.heads[i], reply)
		if err != nil {
			return err
		}
		if there {
			i++
		} else {
			d.remove(i)
		}
	}
	for i := len(d.heads)/2 - 1; i >= 0; i-- {
		d.sink(i)
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
		if !there {
			if d.firstOnly && d.heads[0].more {
				// What it would have next may come before what the others have.
				return nil, nil
			}
			d.remove(0)
		}
		d.sink(0)
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

// remove takes a head away, and keeps its memory behind the others.
func (d *reader) remove(i int) {
	last := len(d.heads) - 1
	d.heads[i], d.heads[last] = d.heads[last], d.heads[i]
	d.heads = d.heads[:last]
}

// sink brings a head to its place in the heap. Of equal documents those of the first shard come first.
func (d *reader) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(d.heads); child++ {
			if d.before(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		d.heads[i], d.heads[least] = d.heads[least], d.heads[i]
		i = least
	}
}

func (d *reader) before(i, j int) bool {
	a, b := &d.heads[i], &d.heads[j]
	if c := d.order.Compare(a.keys, b.keys); c != 0 {
		return c < 0
	}
	return a.shard < b.shard
}
