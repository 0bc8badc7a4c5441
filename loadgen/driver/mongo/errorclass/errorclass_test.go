package errorclass_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/errorclass"
	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// overloaded is what a server of MongoDB 8.3 answers whose limit of requests is exceeded, as its manual has it.
var overloaded = bson.D{
	{Key: "ok", Value: 0},
	{Key: "code", Value: 462},
	{Key: "codeName", Value: "IngressRequestRateLimitExceeded"},
	{Key: "errmsg", Value: "too many requests"},
	{Key: "errorLabels", Value: bson.A{"SystemOverloadedError", "RetryableError"}},
}

// TestClassesOfWhatNoServerAtHandSays has the classes of errors that only versions of MongoDB from 8.0 on have, or that
// no test here can make a server say.
func TestClassesOfWhatNoServerAtHandSays(t *testing.T) {
	t.Parallel()
	refused := func(code int) bson.D {
		return bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: code}, {Key: "errmsg", Value: "no"}}
	}
	for name, tc := range map[string]struct {
		reply bson.D
		want  string
	}{
		"an overload":                        {overloaded, errorclass.Overload},
		"too much memory":                    {refused(146), errorclass.Memory},
		"too much memory without a disk":     {refused(292), errorclass.Memory},
		"what is not known":                  {refused(2), errorclass.Server},
		"a duplicate key of an old server":   {refused(11001), errorclass.DuplicateKey},
		"a member that confirmed in no time": {refused(64), errorclass.Timeout},
		"a primary that is one no more":      {refused(10107), errorclass.NotPrimary},
		"a user that may not":                {refused(13), errorclass.Authentication},
		"a transaction that nobody knows":    {refused(251), errorclass.Transaction},
	} {
		document, err := bson.Marshal(tc.reply)
		if err != nil {
			t.Fatal(err)
		}
		if got := errorclass.Of(errorclass.OfReply(document, wire.Reply{})); got != tc.want {
			t.Errorf("%s is of class %q, want %q", name, got, tc.want)
		}
	}
}

// TestAConnectionThatBreaksIsNoOverload: the driver gives both the same label.
func TestAConnectionThatBreaksIsNoOverload(t *testing.T) {
	t.Parallel()
	broken := driver.CommandError{Labels: []string{"SystemOverloadedError", "RetryableError", "NetworkError"}}
	if got := errorclass.Of(broken); got != errorclass.Network {
		t.Errorf("it is of class %q, want %q", got, errorclass.Network)
	}
}
