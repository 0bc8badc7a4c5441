package mongo

import (
	"errors"
	"fmt"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// terms are what a command carries besides itself: its concerns, encoded once, and where it is to be sent.
type terms struct {
	// readConcern and writeConcern are documents, empty where the server's default applies.
	readConcern, writeConcern []byte
	// unacknowledged says that the server is not to answer a write.
	unacknowledged bool
	// preference is never nil.
	preference *readpref.ReadPref
	// read carries the preference to the driver.
	read *options.RunCmdOptionsBuilder
}

// within are the terms of a command that is part of a transaction: the transaction has them.
var within = newTerms(readpref.Primary())

func newTerms(preference *readpref.ReadPref) terms {
	return terms{preference: preference, read: options.RunCmd().SetReadPreference(preference)}
}

// useConcerns takes the concerns of the connection string. Commands that are sent as they are have to carry them
// themselves. The driver does not keep a write concern without acknowledgement: it must not apply to what prepares a
// measurement.
func (t *Target) useConcerns(o *options.ClientOptions) error {
	preference := o.ReadPreference
	if preference == nil {
		preference = readpref.Primary()
	}
	t.terms = newTerms(preference)
	if o.ReadConcern != nil && o.ReadConcern.Level != "" {
		t.terms.readConcern = readConcern(o.ReadConcern.Level)
	}
	declared := declaredConcern(o)
	if declared == nil {
		return nil
	}
	var err error
	t.terms.writeConcern, t.terms.unacknowledged, err = writeConcern(*declared)
	if err != nil {
		return fmt.Errorf("connection string: %w", err)
	}
	t.explicitWrites = declared
	if t.terms.unacknowledged {
		o.WriteConcern = nil
	}
	return nil
}

// declaredConcern is the write concern of the connection string, nil if it has none.
func declaredConcern(o *options.ClientOptions) *planv1.WriteConcern {
	if o.WriteConcern == nil {
		return nil
	}
	declared := planv1.WriteConcern{Journal: o.WriteConcern.Journal}
	switch w := o.WriteConcern.W.(type) {
	case string:
		declared.W = w
	case int:
		declared.W = strconv.Itoa(w)
	}
	return &declared
}

func readConcern(level string) []byte {
	return bsoncore.NewDocumentBuilder().AppendString("level", level).Build()
}

// writeConcern encodes a write concern, and says whether it asks for no acknowledgement.
func writeConcern(declared planv1.WriteConcern) (encoded []byte, unacknowledged bool, err error) {
	builder := bsoncore.NewDocumentBuilder()
	number, notNumber := parseW(declared.W)
	switch {
	case declared.W == "":
	case notNumber != nil:
		builder.AppendString("w", declared.W)
	case number < 0:
		return nil, false, fmt.Errorf("write concern w: %s is negative", declared.W)
	default:
		builder.AppendInt32("w", int32(number))
		unacknowledged = number == 0
	}
	if declared.Journal != nil {
		builder.AppendBoolean("j", *declared.Journal)
		if unacknowledged && *declared.Journal {
			return nil, false, errors.New("write concern w: 0 asks for no acknowledgement and j: true for one; use one of them")
		}
	}
	if declared.TimeoutMillis > 0 {
		builder.AppendInt64("wtimeout", declared.TimeoutMillis)
	}
	return builder.Build(), unacknowledged, nil
}

// parseW reads a number of members; what is none is majority or a tag.
func parseW(w string) (int, error) {
	number, err := strconv.ParseInt(w, 10, 32)
	return int(number), err
}

// describeWriteConcern writes a write concern for people.
func describeWriteConcern(declared planv1.WriteConcern) string {
	var text string
	if declared.W != "" {
		text = "w: " + declared.W
	}
	if declared.Journal != nil {
		text += fmt.Sprintf(" j: %t", *declared.Journal)
	}
	return text
}

// termsOf are an operation's own concerns and preference, and those of the connection string for what it leaves open.
func (t *Target) termsOf(operation planv1.Operation) (terms, error) {
	own := t.terms
	if operation.ReadPreference != "" {
		mode, err := readpref.ModeFromString(operation.ReadPreference)
		if err != nil {
			return terms{}, fmt.Errorf("read preference %q is not known", operation.ReadPreference)
		}
		preference, err := readpref.New(mode)
		if err != nil {
			return terms{}, fmt.Errorf("read preference %q: %w", operation.ReadPreference, err)
		}
		own.preference, own.read = preference, options.RunCmd().SetReadPreference(preference)
	}
	if operation.ReadConcern != "" {
		own.readConcern = readConcern(operation.ReadConcern)
	}
	if operation.WriteConcern != nil {
		var err error
		own.writeConcern, own.unacknowledged, err = writeConcern(*operation.WriteConcern)
		if err != nil {
			return terms{}, err
		}
	}
	return own, own.check(operation)
}

// check refuses what an operation cannot have.
func (t *terms) check(operation planv1.Operation) error {
	transaction := operation.Kind == workload.Transaction.String()
	if transaction && t.preference.Mode() != readpref.PrimaryMode {
		return fmt.Errorf("a transaction is done at the primary, and its read preference is %s", t.preference.Mode())
	}
	if !t.unacknowledged || !transaction && operation.Kind != workload.FindOneAndUpdate.String() {
		return nil
	}
	if operation.WriteConcern != nil {
		return fmt.Errorf("an operation of kind %s is always acknowledged, and its write concern is w: 0", operation.Kind)
	}
	// The connection string's is meant for those that can have it.
	t.unacknowledged, t.writeConcern = false, nil
	return nil
}
