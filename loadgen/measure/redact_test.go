package measure_test

import (
	"strings"
	"testing"

	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"dial mongodb://load:s3cret@db-0:27017/?tls=true: refused": "dial mongodb://***@db-0:27017/?tls=true: refused",
		`parsing "mongodb+srv://load:s3@cret@db.example"`:          `parsing "mongodb+srv://***@db.example"`,
		"mysql://load:s3cret@db:3306/ is gone":                     "mysql://***@db:3306/ is gone",
		"mysql://db:3306/ is gone":                                 "mysql://db:3306/ is gone",
		strings.Repeat("x", 600):                                   strings.Repeat("x", 500) + "...",
	} {
		if got := measure.Redact(said); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
