package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"golang.org/x/sync/errgroup"

	"github.com/mongobench/mongobench-operator/hack/perf/bare"
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
