package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// The paths that a gateway answers. ReadyPath needs no token, and is answered with nothing.
const (
	ReadyPath   = "/ready"
	openPath    = "/v1/open"
	executePath = "/v1/execute"
	usagePath   = "/v1/usage"
)

// MostPerRequest is how many operations a request may have.
const MostPerRequest = 1000

// opening asks a gateway to make ready for a part of a step.
type opening struct {
	// Plan is the Identity of the plan that the load follows.
	Plan string `json:"plan"`
	Part string `json:"part"`
}

// opened is the answer to an opening.
type opened struct {
	// Client is what the gateway sends by, and Sent what goes with each operation because of it.
	Client string `json:"client"`
	Sent   string `json:"sent,omitempty"`
	// PoolSize is how many operations it has under way at a time.
	PoolSize int `json:"poolSize"`
}

// execution asks a gateway for the operations of a request.
type execution struct {
	Part       string `json:"part"`
	Number     int64  `json:"number"`
	Operations int    `json:"operations"`
}

// executed is what became of them, all together. They end with the first that fails, which has a Class.
type executed struct {
	Documents int64 `json:"documents"`
	Inserted  int64 `json:"inserted,omitempty"`
	Matched   int64 `json:"matched,omitempty"`
	Modified  int64 `json:"modified,omitempty"`
	Deleted   int64 `json:"deleted,omitempty"`
	Retries   int   `json:"retries,omitempty"`
	// Cursor says that documents came by one, or would have.
	Cursor bool `json:"cursor,omitempty"`
	// DatabaseNanos is how long the database took.
	DatabaseNanos int64  `json:"databaseNanos"`
	Class         string `json:"class,omitempty"`
	Error         string `json:"error,omitempty"`
}

// usage is what a gateway did and used since it was started. All grow, but for the first three.
type usage struct {
	// Process tells one from another at the same address.
	Process    string `json:"process"`
	PoolSize   int    `json:"poolSize"`
	MilliCores int64  `json:"milliCores"`

	UptimeMicros    int64 `json:"uptimeMicros"`
	CPUMicros       int64 `json:"cpuMicros"`
	ThrottledMicros int64 `json:"throttledMicros"`
	Requests        int64 `json:"requests"`
	RequestMicros   int64 `json:"requestMicros"`
	PoolWaitMicros  int64 `json:"poolWaitMicros"`
	DatabaseMicros  int64 `json:"databaseMicros"`
}

// drawn is the number by which the so manieth of the operations of a request is drawn. Those of a warm-up, which have
// numbers of their own, keep them.
func (e execution) drawn(place int) int64 {
	base := int64(0)
	if e.Number >= workload.FirstWarmupNumber {
		base = workload.FirstWarmupNumber
	}
	return base + (e.Number-base)*int64(e.Operations) + int64(place)
}

// check refuses what no load generator asks for. What is drawn must stay below the numbers of the warm-up, or, of the
// warm-up itself, below twice those.
func (e execution) check() error {
	switch {
	case e.Operations < 1 || e.Operations > MostPerRequest:
		return fmt.Errorf("a request has 1 to %d operations, not %d", MostPerRequest, e.Operations)
	case e.Number < 0 || e.Number >= 2*workload.FirstWarmupNumber:
		return fmt.Errorf("there is no operation with the number %d", e.Number)
	}
	offset := e.Number % workload.FirstWarmupNumber
	if offset >= workload.FirstWarmupNumber/int64(e.Operations) {
		return fmt.Errorf("there is no request with the number %d and %d operations", e.Number, e.Operations)
	}
	return nil
}

// ErrDirect is why a plan does not go through a gateway.
var ErrDirect = errors.New("this run does not go through a gateway: write spec.loadGenerator.through: Gateway in it")

// check says why a plan does not go through a gateway, or cannot: when its operations are not known from it alone.
func check(plan planv1.Plan) error {
	switch {
	case plan.Gateway == nil:
		return ErrDirect
	case plan.DatedFromLoad():
		return errors.New("dates that count from the load cannot go through a gateway, which does not know when that " +
			"began; give them a fixed range, or write loadGenerator.through: Direct")
	case plan.Existing != nil || len(plan.FileFields()) > 0:
		return errors.New("data that is found or read from files cannot go through a gateway, which does not know it; " +
			"write loadGenerator.through: Direct")
	default:
		return nil
	}
}

// Identity tells a plan from all others whose operations differ. Who follows it, and with how many processors, does not
// matter.
func Identity(plan planv1.Plan) (string, error) {
	plan.Pods, plan.Processors = 0, 0
	encoded, err := planv1.Encode(plan)
	if err != nil {
		return "", err
	}
	return planv1.Hash(encoded), nil
}

// token shows that a secret is known, without being it: who hears it can ask the gateway for operations of its run, and
// nothing else. Without a secret there is none.
func token(secret, identity string) string {
	if secret == "" {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte("mongobench gateway\x00" + identity)) // A hash never fails.
	return hex.EncodeToString(mac.Sum(nil))
}
