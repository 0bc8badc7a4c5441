package output

import (
	"cmp"
	"fmt"
	"strings"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/present"
)

// product is the database that a server is. Reports that do not say so are of a time when there was one.
func product(server reportv1.Server) string {
	return cmp.Or(server.Product, reportv1.ProductMongoDB)
}

// flushesBySettings says whether settings of the server decide what an acknowledged write has survived, rather than a
// write concern.
func flushesBySettings(server reportv1.Server) bool {
	return server.Product == reportv1.ProductMariaDB || server.Product == reportv1.ProductMySQL
}

// durabilityLine is what an acknowledged write has survived, by which settings of the server where it decides, and what
// bringing it to the disk costs. It is empty when nothing is known.
func durabilityLine(server reportv1.Server) string {
	var parts []string
	if server.Durability != "" {
		parts = append(parts, server.Durability)
	}
	if flushesBySettings(server) && server.DefaultWriteConcern != "" {
		parts = append(parts, server.DefaultWriteConcern)
	}
	if server.SyncMicros != (reportv1.SyncMicros{}) {
		parts = append(parts, fmt.Sprintf("a sync of the disk takes %s, p99 %s",
			present.Micros(server.SyncMicros.P50), present.Micros(server.SyncMicros.P99)))
	}
	return strings.Join(parts, ", ")
}
