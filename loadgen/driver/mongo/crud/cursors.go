package crud

import (
	"context"

	driver "go.mongodb.org/mongo-driver/v2/mongo"
)

// Cursors are those of a session that were not read to their end.
type Cursors []*driver.Cursor

// Settle closes them.
func (c *Cursors) Settle(ctx context.Context) {
	for _, cursor := range *c {
		_ = cursor.Close(ctx)
	}
	clear(*c)
	*c = (*c)[:0]
}
