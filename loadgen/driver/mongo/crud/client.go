package crud

import (
	"fmt"

	driver "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/mongobench/mongobench-operator/loadgen/workload"
)

// ClientWrites describes writes to several collections of a database to the driver.
func ClientWrites(database string, writes []workload.Request) ([]driver.ClientBulkWrite, error) {
	described := make([]driver.ClientBulkWrite, 0, len(writes))
	for i := range writes {
		models, err := Models(writes[i : i+1])
		if err != nil {
			return nil, err
		}
		for _, model := range models {
			of, err := ofClient(model)
			if err != nil {
				return nil, err
			}
			described = append(described, driver.ClientBulkWrite{
				Database: database, Collection: writes[i].Collection, Model: of,
			})
		}
	}
	return described, nil
}

// ofClient is the model of a write to a collection as one of a write by a client. Their fields are the same.
func ofClient(model driver.WriteModel) (driver.ClientWriteModel, error) {
	switch m := model.(type) {
	case *driver.InsertOneModel:
		return (*driver.ClientInsertOneModel)(m), nil
	case *driver.UpdateOneModel:
		return &driver.ClientUpdateOneModel{
			Collation: m.Collation, Upsert: m.Upsert, Filter: m.Filter, Update: m.Update, ArrayFilters: m.ArrayFilters,
			Hint: m.Hint, Sort: m.Sort,
		}, nil
	case *driver.UpdateManyModel:
		return &driver.ClientUpdateManyModel{
			Collation: m.Collation, Upsert: m.Upsert, Filter: m.Filter, Update: m.Update, ArrayFilters: m.ArrayFilters,
			Hint: m.Hint,
		}, nil
	case *driver.ReplaceOneModel:
		return &driver.ClientReplaceOneModel{
			Collation: m.Collation, Upsert: m.Upsert, Filter: m.Filter, Replacement: m.Replacement, Hint: m.Hint, Sort: m.Sort,
		}, nil
	case *driver.DeleteOneModel:
		return &driver.ClientDeleteOneModel{Filter: m.Filter, Collation: m.Collation, Hint: m.Hint}, nil
	case *driver.DeleteManyModel:
		return &driver.ClientDeleteManyModel{Filter: m.Filter, Collation: m.Collation, Hint: m.Hint}, nil
	default:
		return nil, fmt.Errorf("a write that is described by a %T is no part of a bulk write to several collections", model)
	}
}
