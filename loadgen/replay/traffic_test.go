package replay_test

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/mongobench/mongobench-operator/loadgen/replay"
)

// message is an OP_MSG, with a section of documents unless it is nil.
func message(id, to uint32, body bson.D, documents ...bson.D) []byte {
	raw, err := bson.Marshal(body)
	if err != nil {
		panic(err)
	}
	rest := append([]byte{0, 0, 0, 0, 0}, raw...)
	if len(documents) > 0 {
		section := append(make([]byte, 4), "documents\x00"...)
		for _, one := range documents {
			encoded, err := bson.Marshal(one)
			if err != nil {
				panic(err)
			}
			section = append(section, encoded...)
		}
		binary.LittleEndian.PutUint32(section, uint32(len(section)))
		rest = append(append(rest, 1), section...)
	}
	header := make([]byte, 16)
	for i, number := range []uint32{uint32(16 + len(rest)), id, to, 2013} {
		binary.LittleEndian.PutUint32(header[4*i:], number)
	}
	return append(header, rest...)
}

// packed is a message as servers record it: of 4.2, of 8.0, and of 8.1 and later.
func packed(layout int, connection, at uint64, message []byte) []byte {
	packet := make([]byte, 4)
	if layout == 2 {
		packet = append(packet, 0)
	}
	packet = binary.LittleEndian.AppendUint64(packet, connection)
	packet = append(packet, "127.0.0.1:27017\x00"...)
	if layout == 0 {
		packet = append(packet, "127.0.0.1:44240\x00"...)
	}
	packet = binary.LittleEndian.AppendUint64(packet, at)
	packet = binary.LittleEndian.AppendUint64(packet, 1)
	packet = append(packet, message...)
	binary.LittleEndian.PutUint32(packet, uint32(len(packet)))
	return packet
}

// conversation is a recording of two connections, whose requests have the same numbers.
func conversation(layout int) []byte {
	second := uint64(1000)
	if layout == 2 {
		second = 1_000_000
	}
	ok := bson.E{Key: "ok", Value: 1.0}
	database := bson.E{Key: "$db", Value: "shop"}
	var recording []byte
	for _, one := range [][]byte{
		packed(layout, 3, 1*second, message(7, 0, bson.D{{Key: "insert", Value: "c"}, database},
			bson.D{{Key: "_id", Value: 1}}, bson.D{{Key: "_id", Value: 2}})),
		packed(layout, 4, 2*second, message(7, 0, bson.D{{Key: "find", Value: "c"}, database})),
		packed(layout, 4, 3*second, message(8, 7, bson.D{{Key: "cursor", Value: bson.D{
			{Key: "firstBatch", Value: bson.A{bson.D{}}}, {Key: "id", Value: int64(9)}, {Key: "ns", Value: "shop.c"},
		}}, ok})),
		packed(layout, 3, 4*second, message(9, 7, bson.D{{Key: "n", Value: 2}, ok})),
		packed(layout, 4, 5*second, message(10, 0, bson.D{{Key: "getMore", Value: int64(9)}, {Key: "collection", Value: "c"},
			database})),
	} {
		recording = append(recording, one...)
	}
	return recording
}

func TestTrafficInEveryLayout(t *testing.T) {
	for name, layout := range map[string]int{"of 4.2": 0, "of 8.0": 1, "of 8.1": 2} {
		t.Run(name, func(t *testing.T) {
			recording := conversation(layout)
			if layout == 2 {
				begin := packed(layout, 3, 0, nil)
				begin[4] = 1
				recording = append(begin, recording...)
			}
			all, survey := replayed(t, string(recording), replay.Options{Writes: true})
			var got []told
			for _, one := range all {
				got = append(got, told{plainly(one.Command.String()), one.Answer})
			}
			want := []told{
				{`{"insert": "c","documents": [{"_id": 1},{"_id": 2}]}`, replay.Answer{Known: true, Counted: true, Count: 2}},
				{`{"find": "c"}`, replay.Answer{Known: true, Counted: true, Count: 1, Open: true, Cursor: 9}},
				{`{"getMore": 9,"collection": "c"}`, replay.Answer{}},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
			if survey.Length.Seconds() != 4 || all[1].Session == all[0].Session || all[1].Session != all[2].Session {
				t.Errorf("it takes %s, want 4 s, and the connections are %+v", survey.Length, all)
			}
		})
	}
}
