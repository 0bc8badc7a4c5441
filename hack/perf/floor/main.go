package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"golang.org/x/sync/errgroup"

	"github.com/mongobench/mongobench-operator/hack/perf/bare"
	"github.com/mongobench/mongobench-operator/hack/perf/draw"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

// options are the flags.
type options struct {
	address     string
	threads     int
	reads       int
	connections int
	batch       int
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 {
		return errors.New("usage: floor points|load [flags]")
	}
	var o options
	set := flag.NewFlagSet("floor "+arguments[0], flag.ContinueOnError)
	set.StringVar(&o.address, "address", "127.0.0.1:27017", "host:port of the mongod")
	set.IntVar(&o.threads, "threads", 1, "goroutines, each with a connection, that read and update")
	set.IntVar(&o.reads, "reads", 100, "percentage of reads; the rest are updates")
	set.IntVar(&o.connections, "connections", 1, "connections that load")
	set.IntVar(&o.batch, "batch", 5000, "documents in an insert")
	if err := set.Parse(arguments[1:]); err != nil {
		return err
	}
	switch arguments[0] {
	case "points":
		return points(ctx, o)
	case "load":
		return load(ctx, o)
	}
	return fmt.Errorf("no work is called %q", arguments[0])
}

// each runs a function for every number below n at once, until one of them fails.
func each(ctx context.Context, n int, do func(ctx context.Context, number int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for number := range n {
		group.Go(func() error { return do(ctx, number) })
	}
	return group.Wait()
}

// connectionBits leaves room for 2^48 documents of each connection in the last 8 bytes of an ObjectID.
const connectionBits = 48

// load inserts the same documents again and again, with _ids that ascend on each connection.
func load(ctx context.Context, o options) error {
	return each(ctx, o.connections, func(ctx context.Context, number int) error {
		connection, err := bare.Dial(ctx, o.address)
		if err != nil {
			return err
		}
		insert, err := newInsert(o.batch)
		if err != nil {
			return err
		}
		return insert.repeat(ctx, connection, uint64(number)<<connectionBits)
	})
}

// insert is the message of one batch.
type insert struct {
	message []byte
	// first is where the changing part of the first document's _id is, and stride how far it is to the next.
	first, stride, count int
	times                measure.Histogram
}

func newInsert(count int) (*insert, error) {
	id := bson.ObjectID(bytes.Repeat([]byte{0xfe}, 12))
	document, err := bson.Marshal(bson.D{
		{Key: "_id", Value: id},
		{Key: "created_on", Value: time.Date(2012, 7, 1, 0, 0, 0, 0, time.UTC)},
		{Key: "value", Value: 0.5},
	})
	if err != nil {
		return nil, fmt.Errorf("encoding a document: %w", err)
	}
	message, err := bare.Sequence(bson.D{
		{Key: "insert", Value: "floor"}, {Key: "ordered", Value: false}, {Key: "$db", Value: "perfload"},
	}, "documents", bytes.Repeat(document, count))
	if err != nil {
		return nil, err
	}
	return &insert{
		message: message, first: bytes.Index(message, id[:]) + 4, stride: len(document), count: count,
	}, nil
}

func (i *insert) repeat(ctx context.Context, connection *bare.Connection, id uint64) error {
	for ctx.Err() == nil {
		if err := i.send(connection, id); err != nil {
			return err
		}
		id += uint64(i.count)
	}
	return ctx.Err()
}

// send inserts one batch, of which the first _id is given.
func (i *insert) send(connection *bare.Connection, id uint64) error {
	place := i.first
	for n := range uint64(i.count) {
		binary.BigEndian.PutUint64(i.message[place:], id+n)
		place += i.stride
	}
	begin := time.Now()
	reply, err := connection.Exchange(i.message)
	if err != nil {
		return err
	}
	i.times.Record(time.Since(begin).Microseconds())
	return bare.Check(reply)
}

const (
	database   = "ycsb"
	collection = "usertable"
	// valueBytes and fields are YCSB's: an update sets one field of ten to 100 bytes.
	valueBytes = 100
	fields     = 10
	poolBytes  = 64 << 10
	// drawn is how many draws are made beforehand, and gone through again and again.
	drawn = 1 << 17
	seed  = 20260101
)

// points reads and updates single documents by their _id.
func points(ctx context.Context, o options) error {
	ids, err := identifiers(ctx, o.address)
	if err != nil {
		return err
	}
	draws := draw.Zipfian(len(ids), drawn)
	return each(ctx, o.threads, func(ctx context.Context, number int) error {
		connection, err := bare.Dial(ctx, o.address)
		if err != nil {
			return err
		}
		worker, err := newPointWorker(connection, ids, draws, uint64(number))
		if err != nil {
			return err
		}
		for ctx.Err() == nil {
			if err := worker.next(o.reads); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// pointWorker holds the two messages of one connection, and where in them the changing bytes are.
type pointWorker struct {
	connection   *bare.Connection
	random       *rand.PCG
	ids          [][]byte
	draws        []uint32
	pool         []byte
	find, update []byte
	// findID and updateID are the places of the _id, field that of the digit in the field's name, value that of its value.
	findID, updateID, field, value int
	times                          measure.Histogram
}

func newPointWorker(connection *bare.Connection, ids [][]byte, draws []uint32, number uint64) (*pointWorker, error) {
	w := &pointWorker{connection: connection, random: rand.NewPCG(seed, number), ids: ids, draws: draws}
	w.pool = make([]byte, poolBytes)
	for i := range w.pool {
		w.pool[i] = byte(w.random.Uint64())
	}
	id := string(ids[0])
	var err error
	w.find, err = bare.Message(bson.D{
		{Key: "find", Value: collection},
		{Key: "filter", Value: bson.D{{Key: "_id", Value: id}}},
		{Key: "limit", Value: int32(1)},
		{Key: "singleBatch", Value: true},
		{Key: "$db", Value: database},
	})
	if err != nil {
		return nil, err
	}
	value := bytes.Repeat([]byte{0xfe}, valueBytes)
	w.update, err = bare.Message(bson.D{
		{Key: "update", Value: collection},
		{Key: "updates", Value: bson.A{bson.D{
			{Key: "q", Value: bson.D{{Key: "_id", Value: id}}},
			{Key: "u", Value: bson.D{{Key: "$set", Value: bson.D{{Key: "field0", Value: bson.Binary{Data: value}}}}}},
		}}},
		{Key: "$db", Value: database},
	})
	if err != nil {
		return nil, err
	}
	w.findID, w.updateID = bytes.Index(w.find, ids[0]), bytes.Index(w.update, ids[0])
	w.field, w.value = bytes.Index(w.update, []byte("field0"))+len("field"), bytes.Index(w.update, value)
	return w, nil
}

// next does one operation: reads is the percentage of reads.
func (w *pointWorker) next(reads int) error {
	random := w.random.Uint64()
	id := w.ids[w.draws[random%uint64(len(w.draws))]]
	random >>= 32
	message := w.find
	isRead := int(random%100) < reads
	if isRead {
		copy(w.find[w.findID:], id)
	} else {
		message = w.update
		copy(w.update[w.updateID:], id)
		w.update[w.field] = '0' + byte(random/100%fields)
		copy(w.update[w.value:w.value+valueBytes], w.pool[random%(poolBytes-valueBytes):])
	}
	begin := time.Now()
	reply, err := w.connection.Exchange(message)
	if err != nil {
		return err
	}
	w.times.Record(time.Since(begin).Microseconds())
	if isRead {
		if len(reply) < fields*valueBytes {
			return fmt.Errorf("a read found no document: %s", reply)
		}
		return nil
	}
	return w.changedOne(reply)
}

// oneWritten is how the reply begins to an update that found its document: n, a number of 32 bits, is 1.
var oneWritten = []byte("\x10n\x00\x01\x00\x00\x00")

// changedOne makes sure that an update found its document.
func (w *pointWorker) changedOne(reply bson.Raw) error {
	const lengthBytes = 4
	if bytes.HasPrefix(reply[lengthBytes:], oneWritten) {
		return nil
	}
	if err := bare.Check(reply); err != nil {
		return err
	}
	if n, _ := reply.Lookup("n").AsInt64OK(); n != 1 {
		return fmt.Errorf("an update found no document: %s", reply)
	}
	return nil
}

// identifiers returns the values of _id in the collection, those of the most frequent length only, so that one may be
// patched over another. Of YCSB's keys, which are hashes written in decimal, nine of ten have it.
func identifiers(ctx context.Context, address string) ([][]byte, error) {
	connection, err := bare.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = connection.Close() }()
	reply, err := connection.Run(bson.D{
		{Key: "find", Value: collection},
		{Key: "projection", Value: bson.D{{Key: "_id", Value: 1}}},
		{Key: "$db", Value: database},
	})
	byLength := map[int][][]byte{}
	most := 0
	for batch := "firstBatch"; err == nil; batch = "nextBatch" {
		documents, _ := reply.Lookup("cursor", batch).ArrayOK()
		elements, _ := documents.Values()
		for _, element := range elements {
			id, _ := element.Document().Lookup("_id").StringValueOK()
			byLength[len(id)] = append(byLength[len(id)], []byte(id))
			if len(byLength[len(id)]) > len(byLength[most]) {
				most = len(id)
			}
		}
		cursor, _ := reply.Lookup("cursor", "id").AsInt64OK()
		if cursor == 0 {
			break
		}
		reply, err = connection.Run(bson.D{
			{Key: "getMore", Value: cursor}, {Key: "collection", Value: collection}, {Key: "$db", Value: database},
		})
	}
	if err != nil {
		return nil, fmt.Errorf("reading the keys: %w", err)
	}
	if len(byLength[most]) == 0 {
		return nil, errors.New("the collection " + database + "." + collection + " is empty")
	}
	ids := byLength[most]
	// The popular ones are to be scattered over the collection, as YCSB's are.
	random := rand.New(rand.NewPCG(seed, 1))
	random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids, nil
}
