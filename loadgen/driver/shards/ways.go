package shards

import (
	"cmp"
	"context"

	"github.com/mongobench/mongobench-operator/internal/operation"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/merge"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/placement"
	"github.com/mongobench/mongobench-operator/loadgen/driver/shards/value"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// way is how operations of a kind are routed.
type way struct {
	// check refuses an operation that cannot be, besides what its parts are checked for; nil refuses none.
	check func(*rules, *workload.Request) error
	// split sends an operation of which each shard gets its part. Any other is sent to one shard as it is, and to
	// several by merge, nil where only one can do it.
	split func(*session, context.Context, *workload.Request, *loadgen.Reply) error
	merge func(*session, context.Context, placement.Set, *workload.Request, *loadgen.Reply) error
}

// ways has one of every kind that can be routed.
var ways = map[operation.Kind]way{
	operation.InsertOne:              {split: (*session).insert},
	operation.InsertMany:             {split: (*session).insert},
	operation.FindOne:                {check: (*rules).checkFind, merge: (*session).read},
	operation.Find:                   {check: (*rules).checkFind, merge: (*session).read},
	operation.UpdateOne:              {check: checkWrite(byID), merge: (*session).everywhere},
	operation.ReplaceOne:             {check: checkWrite(never)},
	operation.DeleteOne:              {check: checkWrite(byID), merge: (*session).everywhere},
	operation.ReadModifyWrite:        {check: checkWrite(byID), merge: (*session).readAndWrite},
	operation.Aggregate:              {check: (*rules).checkPipeline, merge: (*session).read},
	operation.CountDocuments:         {merge: (*session).count},
	operation.RunCommand:             {check: (*rules).checkCommand, split: (*session).command},
	operation.UpdateMany:             {check: checkWrite(always), merge: (*session).everywhere},
	operation.DeleteMany:             {check: checkWrite(always), merge: (*session).everywhere},
	operation.FindOneAndUpdate:       {check: checkWrite(never)},
	operation.Distinct:               {merge: (*session).distinct},
	operation.FindOneAndDelete:       {check: checkWrite(never)},
	operation.FindOneAndReplace:      {check: checkWrite(never)},
	operation.EstimatedDocumentCount: {merge: (*session).estimate},
	operation.BulkWrite:              {split: (*session).writeBulk},
}

// ask sends an operation to several shards, and gives the documents of each one's answer to a function.
func (s *session) ask(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply, take func(documents []byte),
) error {
	for shard := range targets.All() {
		if err := s.streams[shard].Begin(ctx, r); err != nil {
			return of(shard, err)
		}
	}
	for shard := range targets.All() {
		documents, _, err := s.streams[shard].Batch(ctx, reply, false)
		if err != nil {
			return of(shard, err)
		}
		take(documents)
	}
	return nil
}

// distinct counts the values that several shards have: those that are equal are one.
func (s *session) distinct(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply,
) error {
	seen := map[string]bool{}
	var key []byte
	err := s.ask(ctx, targets, r, reply, func(values []byte) {
		for _, v := range value.All(values) {
			key = value.AppendKey(key[:0], v)
			seen[string(key)] = true
		}
	})
	if err == nil {
		reply.Documents = int64(len(seen))
	}
	return err
}

// everywhere sends an operation without documents in its answer to several shards, and adds up what they say. It waits
// for all of them, and returns the first error.
func (s *session) everywhere(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply,
) error {
	var first error
	var begun placement.Set
	for shard := range targets.All() {
		if first = of(shard, s.streams[shard].Begin(ctx, r)); first != nil {
			break
		}
		begun |= placement.Only(shard)
	}
	return s.endAll(ctx, begun, reply, first)
}

// endAll waits for the replies of shards.
func (s *session) endAll(ctx context.Context, begun placement.Set, reply *loadgen.Reply, first error) error {
	for shard := range begun.All() {
		first = cmp.Or(first, of(shard, s.streams[shard].End(ctx, reply)))
	}
	return first
}

// command sends a command that all shards may be sent.
func (s *session) command(ctx context.Context, r *workload.Request, reply *loadgen.Reply) error {
	if err := s.rules.checkCommand(r); err != nil {
		return err
	}
	err := s.everywhere(ctx, s.all, r, reply)
	// An n in such an answer is no number of documents.
	reply.Documents = 0
	return err
}

// readAndWrite does both halves of a ReadModifyWrite on several shards, one of which has the document.
func (s *session) readAndWrite(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply,
) error {
	half := *r
	half.Kind = operation.FindOne
	var read loadgen.Reply
	err := s.read(ctx, targets, &half, &read)
	// The first shard with a document is enough for the answer, and the others' replies have to be out of the way.
	s.Settle(ctx)
	reply.Retries = read.Retries
	if err != nil {
		return err
	}
	half.Kind = operation.UpdateOne
	return s.everywhere(ctx, targets, &half, reply)
}

// count adds up what the shards count: each as far as the answer could need it.
func (s *session) count(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply,
) error {
	wanted := merge.NewRange(r.Skip, r.Limit)
	s.part = *r
	s.part.Skip, s.part.Limit = 0, wanted.Asked()
	var sum int64
	err := s.ask(ctx, targets, &s.part, reply, func(documents []byte) {
		_, document, _ := value.First(documents)
		found, _ := value.Field(document.Data, "n")
		number, _ := value.Number(found)
		sum += number
	})
	// The answer is one document, unless there is nothing to count.
	if err == nil && sum > wanted.Skip {
		reply.Documents = 1
	}
	return err
}

// estimate asks every shard for its own number. Their sum is one document, unless there is nothing to count.
func (s *session) estimate(
	ctx context.Context, targets placement.Set, r *workload.Request, reply *loadgen.Reply,
) error {
	err := s.everywhere(ctx, targets, r, reply)
	reply.Documents = min(reply.Documents, 1)
	return err
}

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
			reply.Add(some)
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
