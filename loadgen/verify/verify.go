package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"golang.org/x/sync/errgroup"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

const (
	// sampleDocuments are compared of each collection by VerifySample.
	sampleDocuments = 1000
	// maxDifferences are told of each collection.
	maxDifferences = 10
	// Documents are read back by several readers, each at most this many documents and bytes at a time.
	readers       = 4
	readDocuments = 1000
	readBytes     = 4 << 20
)

// Verified is what a check of one collection found.
type Verified struct {
	Database, Collection string
	// Expected and Found are numbers of documents.
	Expected, Found int64
	// Compared is how many documents were read back by their _id, and Different how many of them were missing or other
	// than they were to be.
	Compared, Different int64
	// Skipped is why no documents were compared, when there is a reason in the collection itself: the server removes some.
	Skipped string
	// Differences are the first of those that are Different, by record number; at most ten.
	Differences []Difference
}

// Difference is a document that is not what it was to be.
type Difference struct {
	Collection string
	Record     int64
	// ID is the document's _id in Extended JSON.
	ID string
	// Field is the name, with dots, of the first field that differs; empty when the document is missing.
	Field string
	// Want and Got are the field's value, in Extended JSON and no longer than a line; empty for a field that is not there.
	Want, Got string
}

// String tells a difference to people.
func (d Difference) String() string {
	if d.Field == "" {
		return fmt.Sprintf("record %d (_id %s) is missing", d.Record, d.ID)
	}
	return fmt.Sprintf("record %d (_id %s): field %q is %s, and was to be %s", d.Record, d.ID, d.Field,
		cmp.Or(d.Got, "not there"), cmp.Or(d.Want, "not there"))
}

// Err is nil when the collection holds what it was to hold.
func (v Verified) Err() error {
	var found error
	if v.Found > v.Expected || v.Found < v.Expected && v.Skipped == "" {
		found = fmt.Errorf("collection %q: expected %d documents, found %d; "+
			"something else writes to database %q, or documents were lost", v.Collection, v.Expected, v.Found, v.Database)
	}
	if v.Different > 0 {
		found = errors.Join(found, fmt.Errorf("collection %q: %d of the %d documents that were compared are missing or "+
			"other than they were loaded", v.Collection, v.Different, v.Compared))
	}
	for _, difference := range v.Differences {
		found = errors.Join(found, fmt.Errorf("collection %q: %s", v.Collection, difference))
	}
	return found
}

// Differences is nil when all collections hold what they were to hold.
func Differences(verified []Verified) error {
	found := make([]error, len(verified))
	for i := range verified {
		found[i] = verified[i].Err()
	}
	return errors.Join(found...)
}

// Options say what to compare with, and how.
type Options struct {
	// Dataset is that of the plan; nil: it is made.
	Dataset *workload.Dataset
	// Check says whether documents are read back; without one they are only counted.
	Check benchv1alpha1.Verification
	// Sample is the number of documents of each collection for VerifySample; 0 means the default.
	Sample int64
	// Estimated lets the number that the server keeps of its documents do where it is the expected one and the target can
	// tell it: counting reads the whole collection, and leaves another cache than the load did.
	Estimated bool
	// Progress, which may be nil, is told from several goroutines, one at a time.
	Progress func(done, total int64)
}

// Verify compares a database with what the plan loads into it: it counts every collection, and with a check reads
// documents back and compares them byte by byte. It is meant for the time before anything else has written. What
// differs is in the result, see Differences; an error is that something could not be looked at.
func Verify(ctx context.Context, target loadgen.Target, plan planv1.Plan, how Options) ([]Verified, error) {
	if how.Dataset == nil {
		dataset, err := workload.NewDataset(plan)
		if err != nil {
			return nil, fmt.Errorf("dataset: %w", err)
		}
		how.Dataset = dataset
	}
	meter := &meter{tell: how.Progress}
	stored := plan.Stored()
	checks := make([]*comparison, len(stored))
	for i, collection := range stored {
		checks[i] = newComparison(plan, collection, how)
		meter.total += 1 + checks[i].records.count
	}
	verified := make([]Verified, len(checks))
	for i, c := range checks {
		if err := c.count(ctx, target, how.Estimated); err != nil {
			return nil, fmt.Errorf("counting collection %q: %w", c.verified.Collection, err)
		}
		meter.add(1)
		if err := c.run(ctx, target, meter); err != nil {
			return nil, fmt.Errorf("reading collection %q: %w", c.verified.Collection, err)
		}
		verified[i] = c.verified
	}
	return verified, nil
}

// meter adds up what was done, and tells it.
type meter struct {
	mutex       sync.Mutex
	done, total int64
	tell        func(done, total int64)
}

func (m *meter) add(number int64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.done += number
	if m.tell != nil {
		m.tell(m.done, m.total)
	}
}

// RemovedBy says how the server itself removes documents of a collection; empty: it does not.
func RemovedBy(collection planv1.Collection) string {
	for _, index := range collection.Indexes {
		if index.ExpireAfterSeconds != nil {
			return "its TTL index removes documents"
		}
	}
	if series := collection.TimeSeries; series != nil && series.ExpireAfterSeconds != nil {
		return "its documents expire by their time"
	}
	if clustered := collection.Clustered; clustered != nil && clustered.ExpireAfterSeconds != nil {
		return "its documents expire by their _id"
	}
	if collection.CappedBytes > 0 || collection.CappedDocuments > 0 {
		return "it is capped, so that the oldest documents go"
	}
	return ""
}

// records are the record numbers that are compared: all, or one of each of count equal parts of the range.
type records struct {
	total, count int64
	random       stream.Stream
}

// at is the record number with an index below count. They rise.
func (r records) at(index int64) int64 {
	if r.count == r.total {
		return index
	}
	first, last := index*r.total/r.count, (index+1)*r.total/r.count
	return first + int64(uint64(r.random.At(index))%uint64(last-first))
}

// comparison is the comparison of one collection.
type comparison struct {
	database   string
	collection planv1.Collection
	documents  loadgen.Documents
	records    records

	mutex    sync.Mutex
	verified Verified
}

func newComparison(plan planv1.Plan, collection planv1.Collection, how Options) *comparison {
	c := &comparison{
		database: plan.Database, collection: collection, documents: how.Dataset.Generator(collection.Name),
		records: records{total: collection.DocumentCount, random: stream.New(plan.Seed, "verify\x00"+collection.Name)},
		verified: Verified{
			Database: plan.Database, Collection: collection.Name, Expected: collection.DocumentCount,
			Skipped: RemovedBy(collection),
		},
	}
	switch {
	case c.verified.Skipped != "":
	case how.Check == benchv1alpha1.VerifyAll:
		c.records.count = collection.DocumentCount
	case how.Check == benchv1alpha1.VerifySample:
		c.records.count = min(cmp.Or(how.Sample, sampleDocuments), collection.DocumentCount)
	}
	return c
}

// run compares the records.
func (c *comparison) run(ctx context.Context, target loadgen.Target, meter *meter) error {
	group, reading := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for from := int64(0); from < c.records.count && reading.Err() == nil; from += readDocuments {
		group.Go(func() error { return c.read(reading, target, meter, from) })
	}
	if err := errors.Join(group.Wait(), context.Cause(ctx)); err != nil {
		return err
	}
	slices.SortFunc(c.verified.Differences, func(a, b Difference) int { return int(a.Record - b.Record) })
	c.verified.Differences = c.verified.Differences[:min(len(c.verified.Differences), maxDifferences)]
	return nil
}

// read compares the records with the indexes from on, as many as are read at a time.
func (c *comparison) read(ctx context.Context, target loadgen.Target, meter *meter, from int64) error {
	until := min(from+readDocuments, c.records.count)
	for from < until {
		batch := c.expect(from, until)
		stored, err := c.stored(ctx, target, batch)
		if err != nil {
			return err
		}
		c.add(batch, batch.compare(c.verified.Collection, stored))
		meter.add(int64(len(batch.records)))
		from += int64(len(batch.records))
	}
	return nil
}

// add takes what a batch showed. The differences of a batch are in the order of their records, so that no more than the
// first of each can be among the first of all.
func (c *comparison) add(batch *readBatch, differences []Difference) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.verified.Compared += int64(len(batch.records))
	c.verified.Different += int64(len(differences))
	c.verified.Differences = append(c.verified.Differences, differences[:min(len(differences), maxDifferences)]...)
}

// readBatch is what some records were to be.
type readBatch struct {
	// collection is the name of the one, of several copies, that all of them are in.
	collection string

	records []int64
	ids     []bson.RawValue
	want    []bson.Raw
}

// expect makes the documents of indexes from on, at least one, and as many before until as may be read at a time.
func (c *comparison) expect(from, until int64) *readBatch {
	batch := &readBatch{}
	size, first := 0, c.collection.CopyOf(c.records.at(from))
	batch.collection = c.collection.NameOf(first)
	for index := from; index < until && size < readBytes; index++ {
		record := c.records.at(index)
		if c.collection.CopyOf(record) != first {
			break
		}
		document := bson.Raw(c.documents.Append(nil, record))
		size += len(document)
		batch.records = append(batch.records, record)
		batch.ids = append(batch.ids, document.Lookup("_id"))
		batch.want = append(batch.want, document)
	}
	return batch
}

// compare finds the records whose stored document is another one, or none.
func (b *readBatch) compare(collection string, stored []bson.Raw) []Difference {
	byID := make(map[string]bson.Raw, len(stored))
	for _, document := range stored {
		byID[idKey(document.Lookup("_id"))] = document
	}
	var differences []Difference
	for i, want := range b.want {
		got, found := byID[idKey(b.ids[i])]
		if found && bytes.Equal(got, want) {
			continue
		}
		difference := Difference{Collection: collection, Record: b.records[i], ID: readable(b.ids[i])}
		if found {
			difference.Field, difference.Want, difference.Got = firstDifference("", want, got)
		}
		differences = append(differences, difference)
	}
	return differences
}

// idKey is the value of an _id as a key of a map.
func idKey(id bson.RawValue) string {
	return string(append([]byte{byte(id.Type)}, id.Value...))
}

// maxReadable is the longest text of a value in a difference.
const maxReadable = 100

// whole is the name of the difference between two documents that cannot be told by a field.
const whole = "(the whole document)"

// firstDifference finds the first field in which two documents differ, with its name after the prefix, and both values.
func firstDifference(prefix string, want, got bson.Raw) (field, wanted, gotten string) {
	wants, err := want.Elements()
	if err != nil {
		return whole, "readable", err.Error()
	}
	gots, err := got.Elements()
	if err != nil {
		return whole, "readable", err.Error()
	}
	for i := range max(len(wants), len(gots)) {
		switch {
		case i >= len(wants):
			return prefix + gots[i].Key(), "", readable(gots[i].Value())
		case i >= len(gots):
			return prefix + wants[i].Key(), readable(wants[i].Value()), ""
		case bytes.Equal(wants[i], gots[i]):
			continue
		case wants[i].Key() != gots[i].Key():
			return prefix + wants[i].Key(), readable(wants[i].Value()), "not in this place: " + gots[i].Key() + " is"
		}
		return differentValue(prefix+wants[i].Key(), wants[i].Value(), gots[i].Value())
	}
	return whole, readable(bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: want}), "other bytes"
}

// differentValue looks into values that are documents or arrays.
func differentValue(name string, want, got bson.RawValue) (field, wanted, gotten string) {
	nested := want.Type == bson.TypeEmbeddedDocument || want.Type == bson.TypeArray
	if nested && want.Type == got.Type {
		return firstDifference(name+".", want.Value, got.Value)
	}
	return name, readable(want), readable(got)
}

// readable is a value in Extended JSON, cut where it gets too long to read.
func readable(value bson.RawValue) string {
	return measure.Shorten(value.String(), maxReadable)
}

// Records are some of a collection, by their numbers.
type Records struct {
	Documents    loadgen.Documents
	First, Count int64
}

// Others says for how many of some records, which were refused because their key is there already, the stored document
// is not the record's own, and which is the first.
func Others(
	ctx context.Context, target loadgen.Target, database, collection string, some Records,
) (others, first int64, err error) {
	for record := some.First; record < some.First+some.Count; record++ {
		want := bson.Raw(some.Documents.Append(nil, record))
		stored, err := target.Read(ctx, database, collection, []bson.RawValue{want.Lookup("_id")})
		if err != nil {
			return 0, 0, err
		}
		if len(stored) == 0 || bytes.Equal(stored[0], want) {
			continue
		}
		if others == 0 {
			first = record
		}
		others++
	}
	return others, first, nil
}
