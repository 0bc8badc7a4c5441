package mongo

import (
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// useConcerns takes the concerns of the connection string. Commands that are sent as they are have to carry them
// themselves.
func (t *Target) useConcerns(o *options.ClientOptions) error {
	if o.ReadConcern != nil && o.ReadConcern.Level != "" {
		t.readConcern = bsoncore.NewDocumentBuilder().AppendString("level", o.ReadConcern.Level).Build()
	}
	if o.WriteConcern == nil {
		return nil
	}
	if !o.WriteConcern.Acknowledged() {
		return errors.New("the connection string has w=0: what is not acknowledged cannot be measured; use w=1")
	}
	builder := bsoncore.NewDocumentBuilder()
	switch w := o.WriteConcern.W.(type) {
	case string:
		builder.AppendString("w", w)
		t.explicitWrites = "w: " + w
	case int:
		builder.AppendInt32("w", int32(w))
		t.explicitWrites = fmt.Sprintf("w: %d", w)
	}
	if o.WriteConcern.Journal != nil {
		builder.AppendBoolean("j", *o.WriteConcern.Journal)
		t.explicitWrites += fmt.Sprintf(" j: %t", *o.WriteConcern.Journal)
	}
	t.writeConcern = builder.Build()
	return nil
}
