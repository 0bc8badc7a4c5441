package shards

import (
	"cmp"
	"context"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// insert sends documents to the shards that they belong to: all at a time.
func (s *session) insert(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	rule := s.rules.of(r.Collection)
	var targets placement.Set
	for _, document := range r.Documents {
		targets |= placement.Only(rule.Of(document))
	}
	if shard, one := targets.One(); one {
		return of(shard, s.streams[shard].Execute(ctx, r, reply))
	}
	for shard := range s.documents {
		s.documents[shard] = s.documents[shard][:0]
	}
	for _, document := range r.Documents {
		shard := rule.Of(document)
		s.documents[shard] = append(s.documents[shard], document)
	}
	s.part = *r
	var first error
	var begun placement.Set
	for shard := range targets.All() {
		s.part.Documents = s.documents[shard]
		if first = of(shard, s.streams[shard].Begin(ctx, &s.part)); first != nil {
			break
		}
		begun |= placement.Only(shard)
	}
	return s.endAll(ctx, begun, reply, first)
}

// writeBulk splits a BulkWrite by shard.
func (s *session) writeBulk(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	for i := range r.Parts {
		if part := &r.Parts[i]; part.Kind == operation.ReplaceOne {
			if shard, _ := s.targets(part).One(); s.rules.of(part.Collection).Of(part.Documents[0]) != shard {
				return errMoved
			}
		}
	}
	if r.Ordered {
		return s.writeInOrder(ctx, r, reply)
	}
	return s.writeInAnyOrder(ctx, r, reply)
}

// partTargets are the shards that a part of a BulkWrite is for.
func (s *session) partTargets(part *workload.Request) placement.Set {
	if part.Kind == operation.InsertOne {
		return placement.Only(s.rules.of(part.Collection).Of(part.Documents[0]))
	}
	return s.targets(part)
}

// writeInOrder sends the parts that follow one another and are for one shard together, one such after the other, until
// the first error.
func (s *session) writeInOrder(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	for from := 0; from < len(r.Parts); {
		targets := s.partTargets(&r.Parts[from])
		next := from + 1
		var err error
		if shard, one := targets.One(); one {
			for next < len(r.Parts) && s.partTargets(&r.Parts[next]) == targets {
				next++
			}
			s.part = *r
			s.part.Parts = r.Parts[from:next]
			some := loadgen.Reply{}
			err = of(shard, s.streams[shard].Execute(ctx, &s.part, &some))
			reply.Documents += some.Documents
			reply.Retries += some.Retries
			reply.Unacknowledged = reply.Unacknowledged || some.Unacknowledged
		} else {
			err = s.everywhere(ctx, targets, &r.Parts[from], reply)
		}
		if err != nil {
			return err
		}
		from = next
	}
	return nil
}

// writeInAnyOrder gives every shard its parts, which all of them do at a time. It goes on after an error, and then
// returns the first.
func (s *session) writeInAnyOrder(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	for shard := range s.lists {
		s.lists[shard], s.places[shard] = s.lists[shard][:0], 0
	}
	for i := range r.Parts {
		for shard := range s.partTargets(&r.Parts[i]).All() {
			s.lists[shard] = append(s.lists[shard], r.Parts[i])
		}
	}
	var first error
	s.part = *r
	for more := true; more; {
		var begun placement.Set
		begun, more, first = s.beginParts(ctx, first)
		first = s.endAll(ctx, begun, reply, first)
	}
	return first
}

// beginParts sends every shard the next command of its parts, and says whether any has more.
func (s *session) beginParts(ctx context.Context, first error) (begun placement.Set, more bool, _ error) {
	for shard, parts := range s.lists {
		if s.places[shard] == len(parts) {
			continue
		}
		s.part.Parts = parts
		next, err := s.streams[shard].BeginBulk(ctx, &s.part, s.places[shard])
		s.places[shard], more = next, more || next < len(parts)
		if err == nil {
			begun |= placement.Only(shard)
		}
		first = cmp.Or(first, of(shard, err))
	}
	return begun, more, first
}
