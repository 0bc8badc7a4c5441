package workload

import (
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// Options are what an operation may ask for and seldom does. They are the same in all of its requests: what depends on
// parameters, the Let and the ArrayFilters, is each request's own.
type Options struct {
	// Hint is the name of an index, or the document of its keys; of no type where there is none.
	Hint bson.RawValue
	// Collation is a document, nil for none.
	Collation bson.Raw
	Comment   string
	// MaxTimeMillis is how long the server may work at a command, 0 for no limit.
	MaxTimeMillis int64
}

// MaxTime is how long the server may work at a command of the request, 0 for no limit.
func (req *Request) MaxTime() time.Duration {
	if req.Options == nil {
		return 0
	}
	return time.Duration(req.Options.MaxTimeMillis) * time.Millisecond
}

// compileOptions are those of a request; nil for none, and not nil for a sort order of what is updated.
func compileOptions(declared *planv1.Operation) (*Options, error) {
	r := &declared.Request
	row := operation.Of(r.Kind)
	sorts := len(r.Sort) > 0 && row.Effect == operation.Updates
	if r.Hint == "" && r.ArrayFilters == "" && r.Let == "" && r.Collation == nil && r.Comment == "" &&
		r.MaxTimeMillis == 0 && !sorts {
		return nil, nil //nolint:nilnil // That there are none is no error.
	}
	hint, err := encodeHint(r.Hint.Text())
	if err != nil {
		return nil, fmt.Errorf("hint: %w", err)
	}
	return &Options{
		Hint: hint, Collation: encodeCollation(r.Collation), Comment: r.Comment, MaxTimeMillis: int64(r.MaxTimeMillis),
	}, nil
}

// encodeHint is the name of an index, or the document of its keys.
func encodeHint(text string) (bson.RawValue, error) {
	switch {
	case text == "":
		return bson.RawValue{}, nil
	case !strings.HasPrefix(text, "{"):
		return bson.RawValue{Type: bson.TypeString, Value: bsoncore.AppendString(nil, text)}, nil
	}
	compiled, _, err := parser{}.parse(text, anObject)
	if err != nil {
		return bson.RawValue{}, err
	}
	return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: compiled.constant}, nil
}

// encodeCollation writes a collation as the servers want it; nil for none.
func encodeCollation(c *benchv1alpha1.Collation) bson.Raw {
	if c == nil {
		return nil
	}
	builder := bsoncore.NewDocumentBuilder().AppendString("locale", c.Locale)
	if c.Strength != nil {
		builder.AppendInt32("strength", *c.Strength)
	}
	if c.CaseLevel != nil {
		builder.AppendBoolean("caseLevel", *c.CaseLevel == benchv1alpha1.Enabled)
	}
	if c.CaseFirst != nil {
		builder.AppendString("caseFirst", strings.ToLower(string(*c.CaseFirst)))
	}
	if c.NumericOrdering != nil {
		builder.AppendBoolean("numericOrdering", *c.NumericOrdering == benchv1alpha1.Enabled)
	}
	return bson.Raw(builder.Build())
}
