package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/tag"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/operation"
)

// Terms are what a command carries besides itself: its concerns, encoded once, and where it is to be sent.
type Terms struct {
	// readConcern and WriteConcern are documents, empty where the server's default applies.
	readConcern, WriteConcern []byte
	// Unacknowledged says that the server is not to answer a write.
	Unacknowledged bool
	// Preference is never nil.
	Preference *readpref.ReadPref
	// Read carries the preference to the driver.
	Read *options.RunCmdOptionsBuilder
}

// Within are the terms of a command that is part of a transaction: the transaction has them.
var Within = newTerms(readpref.Primary())

func newTerms(preference *readpref.ReadPref) Terms {
	return Terms{Preference: preference, Read: options.RunCmd().SetReadPreference(preference)}
}

// ConnectionTerms are the terms of the connection string, and the write concern that it declares. Commands carry them
// themselves. An unacknowledged write concern is taken from the driver: it must not apply to the preparation.
func ConnectionTerms(o *options.ClientOptions) (found Terms, declared *planv1.WriteConcern, err error) {
	preference := o.ReadPreference
	if preference == nil {
		preference = readpref.Primary()
	}
	found = newTerms(preference)
	if o.ReadConcern != nil && o.ReadConcern.Level != "" {
		found.readConcern = readConcern(o.ReadConcern.Level)
	}
	declared = declaredConcern(o)
	if declared == nil {
		return found, nil, nil
	}
	found.WriteConcern, found.Unacknowledged, err = writeConcern(*declared)
	if err != nil {
		return Terms{}, nil, fmt.Errorf("connection string: %w", err)
	}
	if found.Unacknowledged {
		o.WriteConcern = nil
	}
	return found, declared, nil
}

// declaredConcern is the write concern of the connection string, nil if it has none.
func declaredConcern(o *options.ClientOptions) *planv1.WriteConcern {
	if o.WriteConcern == nil {
		return nil
	}
	declared := planv1.WriteConcern{}
	if journal := o.WriteConcern.Journal; journal != nil {
		declared.Journal = JournalPolicy(*journal)
	}
	switch w := o.WriteConcern.W.(type) {
	case string:
		declared.W = w
	case int:
		declared.W = strconv.Itoa(w)
	}
	return &declared
}

// ServerName is a name of the API, such as SecondaryPreferred, as servers spell it: secondaryPreferred.
func ServerName[T ~string](name T) string {
	if name == "" {
		return ""
	}
	return strings.ToLower(string(name[:1])) + string(name[1:])
}

// JournalPolicy is the plan's form of j, which says whether a write waits for the journal.
func JournalPolicy(journal bool) benchv1alpha1.JournalPolicy {
	if journal {
		return benchv1alpha1.JournalRequired
	}
	return benchv1alpha1.JournalNotRequired
}

func readConcern(level string) []byte {
	return bsoncore.NewDocumentBuilder().AppendString("level", level).Build()
}

// writeConcern encodes a write concern, and says whether it asks for no acknowledgement.
func writeConcern(declared planv1.WriteConcern) (encoded []byte, unacknowledged bool, err error) {
	builder := bsoncore.NewDocumentBuilder()
	number, notNumber := ParseW(declared.W)
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
	if declared.Journal != "" {
		required := declared.Journal == benchv1alpha1.JournalRequired
		builder.AppendBoolean("j", required)
		if unacknowledged && required {
			return nil, false, errors.New("write concern w: 0 asks for no acknowledgement and j: true for one; use one of them")
		}
	}
	if declared.TimeoutMillis > 0 {
		builder.AppendInt64("wtimeout", int64(declared.TimeoutMillis))
	}
	return builder.Build(), unacknowledged, nil
}

// ParseW reads a number of members; what is none is majority or a tag.
func ParseW(w string) (int, error) {
	number, err := strconv.ParseInt(w, 10, 32)
	return int(number), err
}

// DescribeWriteConcern writes a write concern for people.
func DescribeWriteConcern(declared planv1.WriteConcern) string {
	var text string
	if declared.W != "" {
		text = "w: " + declared.W
	}
	if declared.Journal != "" {
		text += fmt.Sprintf(" j: %t", declared.Journal == benchv1alpha1.JournalRequired)
	}
	return text
}

// of are an operation's own concerns and preference, and those of the connection string for what it leaves open.
func (t *Terms) of(operation planv1.Operation) (Terms, error) {
	own := *t
	preference, err := preferenceOf(operation)
	if err != nil {
		return Terms{}, err
	}
	if preference != nil {
		own.Preference, own.Read = preference, options.RunCmd().SetReadPreference(preference)
	}
	if operation.ReadConcern != "" {
		own.readConcern = readConcern(ServerName(operation.ReadConcern))
	}
	if operation.WriteConcern != nil {
		own.WriteConcern, own.Unacknowledged, err = writeConcern(*operation.WriteConcern)
		if err != nil {
			return Terms{}, err
		}
	}
	return own, own.check(operation)
}

// preferenceOf is an operation's own read preference, nil if it has none.
func preferenceOf(operation planv1.Operation) (*readpref.ReadPref, error) {
	name := ServerName(operation.ReadPreference)
	if name == "" {
		if len(operation.ReadTags) > 0 {
			return nil, errors.New("readTags need a readPreference other than Primary")
		}
		return nil, nil
	}
	mode, err := readpref.ModeFromString(name)
	if err != nil {
		return nil, fmt.Errorf("read preference %q is not known", name)
	}
	var choice []readpref.Option
	if len(operation.ReadTags) > 0 {
		set := make(tag.Set, 0, len(operation.ReadTags))
		for _, one := range operation.ReadTags {
			set = append(set, tag.Tag{Name: one.Name, Value: one.Value})
		}
		choice = append(choice, readpref.WithTagSets(set))
	}
	preference, err := readpref.New(mode, choice...)
	if err != nil {
		return nil, fmt.Errorf("read preference %q: %w", name, err)
	}
	return preference, nil
}

// check refuses what an operation cannot have.
func (t *Terms) check(declared planv1.Operation) error {
	row := operation.Of(declared.Kind)
	if row == operation.Transaction.Row() && t.Preference.Mode() != readpref.PrimaryMode {
		return fmt.Errorf("a transaction is done at the primary, and its read preference is %s", t.Preference.Mode())
	}
	if !t.Unacknowledged || !row.Acknowledged {
		return nil
	}
	if declared.WriteConcern != nil {
		return fmt.Errorf("an operation of kind %s is always acknowledged, and its write concern is w: 0", declared.Kind)
	}
	// The connection string's is meant for those that can have it.
	t.Unacknowledged, t.WriteConcern = false, nil
	return nil
}
