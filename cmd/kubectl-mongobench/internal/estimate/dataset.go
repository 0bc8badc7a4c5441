package estimate

import (
	planv1alpha1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/document"
)

const (
	// mostSampled documents of a collection are made to learn how long they are, and fewer of long ones: sampledBytes
	// in all, yet leastSampled documents.
	mostSampled  = 1000
	leastSampled = 10
	sampledBytes = 32 << 20
)

// Collection is what one collection will hold once everything is loaded.
type Collection struct {
	Name      string `json:"name"`
	Documents int64  `json:"documents"`
	// DocumentBytes is the mean length, in BSON and so before compression, of Sampled documents that were made.
	DocumentBytes int64 `json:"documentBytes"`
	Sampled       int64 `json:"sampled"`
	// Bytes of all documents, without indexes.
	Bytes int64 `json:"bytes"`
}

// Dataset makes some documents of each collection, evenly over all of them, and reckons with their mean length. A
// collection that grows counts with its last size.
func Dataset(plan planv1alpha1.Plan) ([]Collection, error) {
	all := make([]Collection, 0, len(plan.Collections))
	for _, declared := range plan.Collections {
		found := Collection{Name: declared.Name, Documents: max(declared.DocumentCount, declared.GrowsTo)}
		if found.Documents > 0 {
			generator, err := document.Compile(plan.Seed, declared)
			if err != nil {
				return nil, err
			}
			found.sample(generator)
		}
		if declared.CappedDocuments > 0 {
			found.Bytes = min(found.Bytes, declared.CappedDocuments*found.DocumentBytes)
		}
		if declared.CappedBytes > 0 {
			found.Bytes = min(found.Bytes, declared.CappedBytes)
		}
		all = append(all, found)
	}
	return all, nil
}

func (c *Collection) sample(generator *document.Generator) {
	made := generator.Append(nil, 0)
	c.Sampled = min(c.Documents, mostSampled, max(leastSampled, sampledBytes/int64(len(made))))
	sum := int64(0)
	for i := range c.Sampled {
		made = generator.Append(made[:0], i*(c.Documents/c.Sampled))
		sum += int64(len(made))
	}
	c.DocumentBytes = (sum + c.Sampled/2) / c.Sampled
	c.Bytes = c.Documents * c.DocumentBytes
}

// sizeOf is the number of documents in all collections, and of their bytes.
func sizeOf(all []Collection) (documents, bytes int64) {
	for _, c := range all {
		documents, bytes = documents+c.Documents, bytes+c.Bytes
	}
	return documents, bytes
}
