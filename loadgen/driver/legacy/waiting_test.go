package legacy_test

import (
	"context"
	"testing"
	"time"

	"github.com/mongobench/mongobench-operator/loadgen/driver"
	"github.com/mongobench/mongobench-operator/loadgen/driver/legacy"
)

func TestTheFirstServerThatAnswersSaysHowOldItIs(t *testing.T) {
	silent, old := startMute(t, "isMaster"), startOldServer(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	config := driver.Config{URIs: []string{"mongodb://" + silent.address + "," + old.address}, SelectionTimeout: time.Hour}
	if found, err := legacy.Speaks(ctx, config); err != nil || !found {
		t.Errorf("an old server beside one that is silent is taken for a new one: %t, %v", found, err)
	}
}

func TestServersThatAreSilentAreNotWaitedForLong(t *testing.T) {
	t.Parallel()
	server := startMute(t, "isMaster")
	config := driver.Config{
		URIs:             []string{"mongodb://" + server.address + "/?connectTimeoutMS=3600000"},
		SelectionTimeout: time.Hour, OperationTimeout: time.Hour,
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if legacy.Driver.Rescues(ctx, config) {
		t.Error("a server that said nothing was understood")
	}
	if err := ctx.Err(); err != nil {
		t.Errorf("it waited until %v", err)
	}
}

// TestWhatIsAskedOutsideOfAMeasurementHasATimeout although its caller sets none.
func TestWhatIsAskedOutsideOfAMeasurementHasATimeout(t *testing.T) {
	server := startMute(t, "buildInfo")
	target, err := legacy.Open(t.Context(), driver.Config{
		URIs:             []string{"mongodb://" + server.address + "/?directConnection=true"},
		OperationTimeout: 300 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.Background()) }()
	if _, err := target.Describe(t.Context()); err == nil || target.Classify(err) != "timeout" {
		t.Errorf("error %v of class %s, want that there was no reply in time", err, target.Classify(err))
	}
	// The next question is asked over a new connection.
	if _, err := target.Count(t.Context(), "d", collection); err != nil {
		t.Error(err)
	}
}
