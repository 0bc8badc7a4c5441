package appsession

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// The driver's defaults for what a connection string leaves open.
const (
	defaultPoolSize        = 100
	defaultAdaptiveRetries = 2
)

// Sends is what the options of a client make of every operation that it sends to a deployment.
type Sends struct {
	// RetryWrites and RetryReads say whether the driver sends once more what failed. Numbered says that writes that it
	// may send again carry a txnNumber, by which servers that are no standalone remember them.
	RetryWrites, RetryReads, Numbered bool
	// Sessions says that operations carry an lsid.
	Sessions bool
	// PoolSize is how many connections to each server there may be, 0 for any number.
	PoolSize int64
	// AdaptiveRetries is how often the driver repeats what an overloaded server refuses.
	AdaptiveRetries uint
	// others are the options that most clients do not have.
	others []string
}

// SendsOf says what goes with the operations of a client with these options. The answer is the server's to a hello.
func SendsOf(o *options.ClientOptions, answer bson.Raw) Sends {
	_, err := answer.LookupErr("logicalSessionTimeoutMinutes")
	remembers := lookup.Text(answer, "setName") != "" || lookup.IsMongos(answer)
	s := Sends{
		RetryWrites: or(o.RetryWrites, true), RetryReads: or(o.RetryReads, true), Sessions: err == nil,
		PoolSize:        int64(or(o.MaxPoolSize, defaultPoolSize)),
		AdaptiveRetries: or(o.MaxAdaptiveRetries, defaultAdaptiveRetries),
	}
	s.Numbered = s.RetryWrites && s.Sessions && remembers
	if least := or(o.MinPoolSize, 0); least > 0 {
		s.others = append(s.others, fmt.Sprintf("minPoolSize %d", least))
	}
	if len(o.Compressors) > 0 {
		s.others = append(s.others, "compressors "+strings.Join(o.Compressors, "+"))
	}
	if o.ReadPreference != nil {
		s.others = append(s.others, "readPreference "+o.ReadPreference.Mode().String())
	}
	if o.ServerAPIOptions != nil {
		s.others = append(s.others, "API version "+string(o.ServerAPIOptions.ServerAPIVersion))
	}
	if o.Timeout != nil {
		s.others = append(s.others, "timeout "+o.Timeout.String())
	}
	return s
}

func (s Sends) String() string {
	numbered := ""
	if s.Numbered {
		numbered = " with txnNumber"
	}
	parts := []string{
		"retryWrites " + onOff(s.RetryWrites) + numbered, "retryReads " + onOff(s.RetryReads),
		fmt.Sprintf("maxAdaptiveRetries %d", s.AdaptiveRetries),
	}
	if s.Sessions {
		parts = append(parts, "lsid")
	}
	parts = append(parts, "every document decoded", fmt.Sprintf("maxPoolSize %d", s.PoolSize))
	return strings.Join(append(parts, s.others...), ", ")
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func or[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}
