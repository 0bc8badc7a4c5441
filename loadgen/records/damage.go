package records

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// mostLevels is how deep documents may nest. MongoDB takes no more than 180 levels:
// https://www.mongodb.com/docs/manual/reference/limits/.
const mostLevels = 200

// Damage says what is wrong with a document of a file, which may hold anything; nil: nothing. The driver's own check
// does not look into the documents within it, and panics where the length of a text is next to 2^31.
func Damage(document bson.Raw) (err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("a value goes beyond the end of its document (%v)", wrong)
		}
	}()
	return damage(document, mostLevels)
}

func damage(document bson.Raw, levels int) error {
	if levels == 0 {
		return fmt.Errorf("its documents nest over more than %d levels", mostLevels)
	}
	if err := document.Validate(); err != nil {
		return err
	}
	elements, err := document.Elements()
	if err != nil {
		return err
	}
	for _, element := range elements {
		value := element.Value()
		if value.Type != bson.TypeEmbeddedDocument && value.Type != bson.TypeArray {
			continue
		}
		if err := damage(value.Value, levels-1); err != nil {
			return err // There may be millions of others.
		}
	}
	return nil
}
