package handlersocket_test

import (
	"context"
	"testing"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/driver/handlersocket"
	"github.com/mongobench/mongobench-operator/loadgen/testing/drivertest"
)

func TestItDoesWhatEveryTargetDoes(t *testing.T) {
	target, err := handlersocket.Open(t.Context(), sharedServer(t).config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	drivertest.Portable(t, target, "portable", benchv1alpha1.ClientHandlerSocket)
}
