package errorclass

import (
	"errors"
	"maps"
	"slices"

	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/lookup"
)

// OfClient is the error of a bulk write to several collections as that of a bulk write to one, which the driver knows
// as a server's. Any other error stays as it is.
func OfClient(err error) error {
	var several driver.ClientBulkWriteException
	if !errors.As(err, &several) {
		return err
	}
	if refused := several.WriteError; refused != nil {
		return driver.CommandError{
			Code: int32(refused.Code), Message: refused.Message, Name: lookup.Text(refused.Raw, "codeName"),
			Labels: lookup.Texts(refused.Raw, "errorLabels"), Raw: refused.Raw,
		}
	}
	failed := driver.BulkWriteException{}
	for _, index := range slices.Sorted(maps.Keys(several.WriteErrors)) {
		failed.WriteErrors = append(failed.WriteErrors, driver.BulkWriteError{WriteError: several.WriteErrors[index]})
	}
	if len(several.WriteConcernErrors) > 0 {
		failed.WriteConcernError = &several.WriteConcernErrors[0]
	}
	return failed
}
