package ftdc

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// DefaultSamples of a chunk; servers take 300. Fewer take less memory, and let less be lost at a time.
const DefaultSamples = 120

// The types of documents.
const (
	typeMetadata = int32(0)
	typeMetrics  = int32(1)
)

// Recorder makes a file of samples. Its memory is bounded by its budget, and by one chunk that is not compressed yet.
type Recorder struct {
	// Budget is the most bytes that a file takes, and Samples how many a chunk has. Samples is not to be changed after the
	// first of them; zero means the default.
	Budget, Samples int

	metadata []byte
	chunks   []chunk
	// bytes of the chunks.
	bytes int
	// dropped are the samples that were left out for the budget.
	dropped int

	// open is the chunk that samples are added to; reference is its first one.
	open      []uint64
	reference bson.Raw
	// names are those of its metrics, and metrics how many these are; last are their values.
	names   uint64
	last    []uint64
	metrics int
	// latest is when the last sample was taken.
	latest bson.DateTime
}

// chunk is a document of metrics.
type chunk struct {
	document []byte
	samples  int
}

// Describe sets what is known of the server: a document of the answers to its questions.
func (r *Recorder) Describe(at bson.DateTime, about bson.Raw) {
	r.metadata = mustMarshal(bson.D{
		{Key: "_id", Value: at}, {Key: "type", Value: typeMetadata}, {Key: "doc", Value: about},
	})
}

// startField of a sample is when the server began to take it.
const startField = "start"

// Add takes a sample as a server gives it. One that it gave before already is not taken again, nor is what is none.
func (r *Recorder) Add(sample bson.Raw) {
	at, dated := sample.Lookup(startField).DateTimeOK()
	if !dated || bson.DateTime(at) == r.latest {
		return
	}
	metrics, names, ok := flatten(make([]uint64, 0, len(r.last)), sample)
	if !ok {
		return
	}
	r.latest = bson.DateTime(at)
	if r.reference != nil && (names != r.names || len(metrics) != r.metrics) {
		r.close()
	}
	if r.reference == nil {
		r.reference, r.names, r.metrics = slices.Clone(sample), names, len(metrics)
	} else {
		for i, metric := range metrics {
			r.open = append(r.open, metric-r.last[i])
		}
	}
	r.last = metrics
	if r.openSamples() >= r.samples() {
		r.close()
	}
}

func (r *Recorder) samples() int {
	if r.Samples > 0 {
		return r.Samples
	}
	return DefaultSamples
}

// openSamples are those of the open chunk.
func (r *Recorder) openSamples() int {
	if r.reference == nil {
		return 0
	}
	return 1 + len(r.open)/max(r.metrics, 1)
}

// close ends the open chunk, and leaves the oldest ones out if there are too many.
func (r *Recorder) close() {
	if r.reference == nil {
		return
	}
	made := chunk{document: r.encode(), samples: r.openSamples()}
	r.chunks = append(r.chunks, made)
	r.bytes += len(made.document)
	r.reference, r.open = nil, r.open[:0]
	for len(r.chunks) > 0 && r.bytes+len(r.metadata) > r.Budget {
		r.bytes -= len(r.chunks[0].document)
		r.dropped += r.chunks[0].samples
		r.chunks = slices.Delete(r.chunks, 0, 1)
	}
}

// encode makes a document of the open chunk.
func (r *Recorder) encode() []byte {
	deltas := len(r.open) / max(r.metrics, 1)
	plain := slices.Clone([]byte(r.reference))
	plain = binary.LittleEndian.AppendUint32(plain, uint32(r.metrics))
	plain = binary.LittleEndian.AppendUint32(plain, uint32(deltas))
	plain = appendDeltas(plain, r.open, r.metrics)

	var data bytes.Buffer
	_ = binary.Write(&data, binary.LittleEndian, uint32(len(plain)))
	// Neither fails: they write into memory.
	compressed := zlib.NewWriter(&data)
	_, _ = compressed.Write(plain)
	_ = compressed.Close()
	at, _ := r.reference.Lookup(startField).DateTimeOK()
	return mustMarshal(bson.D{
		{Key: "_id", Value: bson.DateTime(at)},
		{Key: "type", Value: typeMetrics},
		{Key: "data", Value: bson.Binary{Data: data.Bytes()}},
	})
}

// appendDeltas writes sample by sample of each metric by how much it grew; they come sample by sample.
func appendDeltas(into []byte, deltas []uint64, metrics int) []byte {
	zeros := uint64(0)
	flush := func() {
		if zeros > 0 {
			into = append(into, 0)
			into = binary.AppendUvarint(into, zeros-1)
			zeros = 0
		}
	}
	for metric := range metrics {
		for at := metric; at < len(deltas); at += metrics {
			if deltas[at] == 0 {
				zeros++
				continue
			}
			flush()
			into = binary.AppendUvarint(into, deltas[at])
		}
	}
	flush()
	return into
}

// File is what was recorded, as a file of a server's; nil without a sample. Samples is how many it has, and dropped how
// many before them were left out for the budget.
func (r *Recorder) File() (file []byte, samples, dropped int) {
	r.close()
	if len(r.chunks) == 0 {
		return nil, 0, r.dropped
	}
	file = slices.Clone(r.metadata)
	for _, one := range r.chunks {
		file = append(file, one.document...)
		samples += one.samples
	}
	return file, samples, r.dropped
}

func mustMarshal(document bson.D) []byte {
	encoded, err := bson.Marshal(document)
	if err != nil {
		panic(err) // Of these types it cannot fail.
	}
	return encoded
}
