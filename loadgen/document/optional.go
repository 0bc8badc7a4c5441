package document

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

// absent stands for the BSON type of a value that is not there. No type has that number.
const absent = 0

// optionalMaker leaves out some values, or makes them null. Which ones is drawn apart from the values: with a share of
// 90 % the documents that have the field have the values that they have with 100 %.
type optionalMaker struct {
	stream stream.Stream
	share  uint64
	// missing is the type of what is not made: absent or null.
	missing byte
	of      maker
}

// optional has a share of the values missing, with the label of a stream of its own.
func (c compiler) optional(v planv1.Value, of maker, share int, missing byte, label string) *optionalMaker {
	return &optionalMaker{
		stream: stream.New(c.seed+int64(v.Seed), c.label+"\x00"+label), share: uint64(share), missing: missing, of: of,
	}
}

// present makes a field that some documents are without.
func (c compiler) present(v planv1.Value, of maker) (maker, error) {
	if v.PresencePercent == 0 {
		return of, nil
	}
	if err := checkPercent("presence", v.PresencePercent); err != nil {
		return nil, err
	}
	return c.optional(v, of, 100-v.PresencePercent, absent, "presence"), nil
}

// nullable makes some values null.
func (c compiler) nullable(v planv1.Value, of maker) (maker, error) {
	if v.NullPercent == 0 {
		return of, nil
	}
	if err := checkPercent("null", v.NullPercent); err != nil {
		return nil, err
	}
	return c.optional(v, of, v.NullPercent, byte(bson.TypeNull), "null"), nil
}

func (m *optionalMaker) make(dst []byte, at place) (byte, []byte) {
	drawn := source{stream: m.stream, items: 100}
	if drawn.draw(at) < m.share {
		return m.missing, dst
	}
	return m.of.make(dst, at)
}

func (m *optionalMaker) most() int64 { return m.of.most() }
