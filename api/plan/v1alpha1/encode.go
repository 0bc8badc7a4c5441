package v1alpha1

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// ExitOtherRelease is the exit code of a load generator that does not know what the operator asks of it, and has done
// nothing: the two are of different releases.
const ExitOtherRelease = 4

// ExitReplacedTooLate is the exit code of a load generator in the place of one that was lost when the measuring had
// begun.
const ExitReplacedTooLate = 5

// Encode writes a plan. Equal plans give equal bytes.
func Encode(plan Plan) ([]byte, error) { return strictjson.Encode(plan) }

// Decode reads what Encode wrote. A plan of another version, or with a field that is not known, is refused: guessing
// what it means would measure something else.
func Decode(encoded []byte) (Plan, error) {
	var plan Plan
	if err := strictjson.DecodeVersioned(encoded, Version, &plan); err != nil {
		return Plan{}, fmt.Errorf("reading plan: %w", err)
	}
	return plan, nil
}

// DecodeFollowed reads a plan that load pods follow already, to see how far they are: fields that only a later release
// knows are passed over. A plan of another version is refused.
func DecodeFollowed(encoded []byte) (Plan, error) {
	var plan Plan
	if err := strictjson.DecodeKnownVersioned(encoded, Version, &plan); err != nil {
		return Plan{}, fmt.Errorf("reading plan: %w", err)
	}
	return plan, nil
}

// Hash is the SHA-256, in hexadecimal, of an encoded plan or topology.
func Hash(encoded []byte) string {
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}

// EncodeTopology writes what a topology Job is told.
func EncodeTopology(topology Topology) ([]byte, error) { return strictjson.Encode(topology) }

// DecodeTopology reads what EncodeTopology wrote, as strictly as Decode.
func DecodeTopology(encoded []byte) (Topology, error) {
	var topology Topology
	if err := strictjson.DecodeVersioned(encoded, Version, &topology); err != nil {
		return Topology{}, fmt.Errorf("reading topology: %w", err)
	}
	return topology, nil
}
