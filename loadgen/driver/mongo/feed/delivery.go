package feed

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
	"github.com/mongobench/mongobench-operator/loadgen/exchange"
)

// Clock compares the clock here with that of the primary, by which changes are dated.
type Clock struct {
	ahead time.Duration
	known bool
}

// ClockOf asks the primary for the time, again and again. A mongos tells its own, which dates nothing.
func ClockOf(ctx context.Context, database *driver.Database) Clock {
	routed := false
	all, err := exchange.Repeat(ctx, func(ctx context.Context) (time.Time, error) {
		reply, err := database.RunCommand(ctx, lookup.IsMaster).Raw()
		if err != nil {
			return time.Time{}, err
		}
		routed = routed || lookup.IsMongos(reply)
		told, _ := reply.Lookup("localTime").TimeOK()
		return told, nil
	})
	if err != nil || routed {
		return Clock{}
	}
	ahead, _, known := exchange.Ahead(time.Millisecond, all)
	return Clock{ahead: ahead, known: known}
}

// committed is when the change that a reader has just brought was committed, by the clock here. Servers from 6.0 on
// date changes in milliseconds, cut off, so that half of one is added.
func (c Clock) committed(reader Feed) (time.Time, bool) {
	stream, ok := reader.(*Stream)
	if !ok || !c.known {
		return time.Time{}, false
	}
	return c.date(stream.Current)
}

// date is that of an event by the clock here.
func (c Clock) date(event bson.Raw) (time.Time, bool) {
	dated, ok := event.Lookup("wallTime").TimeOK()
	if !ok {
		return time.Time{}, false
	}
	return dated.Add(time.Millisecond / 2).Add(c.ahead), true
}
