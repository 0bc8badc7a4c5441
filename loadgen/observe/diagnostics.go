package observe

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/ftdc"
	"github.com/mongobench/mongobench-operator/loadgen/measure"
)

const (
	// DefaultDiagnosticBytes leave the most of a report's room to the report.
	DefaultDiagnosticBytes = 384 << 10
	// NoDiagnostics keeps none.
	NoDiagnostics = -1
	// mostDiagnosed is how many servers' diagnostic data is kept: what is not compressed yet takes some megabytes each.
	mostDiagnosed = 8
)

// keptFirst are the roles whose data is kept first, where there are more servers than that.
var keptFirst = []string{RolePrimary, RoleStandalone, RoleSecondary, RoleMongos, RoleConfig, ""}

// diagnosis keeps a server's diagnostic data.
type diagnosis struct {
	// keeping is from when on; nil: not now.
	keeping  *atomic.Pointer[time.Time]
	recorder ftdc.Recorder
	// asked says that there was a sample to be kept, and missing why there is none.
	asked   bool
	missing string
}

// Keep keeps the servers' diagnostic data from an instant on, until the returned function is called.
func (o *Observer) Keep(from time.Time) (end func()) {
	o.keeping.Store(&from)
	return func() { o.keeping.Store(nil) }
}

// diagnose has the data of so many of the servers kept as is allowed, within a share of the budget each.
func (o *Observer) diagnose(watches []*watch) {
	if o.DiagnosticBytes < 0 {
		return
	}
	ranked := slices.SortedStableFunc(slices.Values(watches), func(a, b *watch) int {
		return cmp.Compare(slices.Index(keptFirst, a.server.Role()), slices.Index(keptFirst, b.server.Role()))
	})
	budget := cmp.Or(o.DiagnosticBytes, DefaultDiagnosticBytes) / max(1, min(len(ranked), mostDiagnosed))
	for rank, w := range ranked {
		w.kept = &diagnosis{keeping: &o.keeping, recorder: ftdc.Recorder{Budget: budget}}
		asked, is := w.asked.(*commands)
		switch {
		case !is:
			w.kept.asked, w.kept.missing = true, "it is no MongoDB"
		case rank >= mostDiagnosed:
			w.kept.asked, w.kept.missing = true, fmt.Sprintf("that of %d servers is kept", mostDiagnosed)
		default:
			asked.kept = w.kept
		}
	}
}

// now says whether a sample is to be kept.
func (d *diagnosis) now() bool {
	if d == nil {
		return false
	}
	from := d.keeping.Load()
	return from != nil && !time.Now().Before(*from)
}

// take keeps the reply to a diagnosticCommand.
func (d *diagnosis) take(reply bson.Raw, failure error) {
	d.asked = true
	data, _ := reply.Lookup("data").DocumentOK()
	switch {
	case failure != nil:
		d.missing = measure.Shorten(failure.Error(), maxNoteBytes)
	case len(data) <= emptyDocument:
		d.missing = "the server takes none (diagnosticDataCollectionEnabled)"
	default:
		d.recorder.Add(data)
	}
}

// emptyDocument is the length of one.
const emptyDocument = 5

// kept is what there is of a server in the end; nil when nothing was to be kept.
func (d *diagnosis) kept() *reportv1.Diagnostics {
	if d == nil || !d.asked {
		return nil
	}
	found := &reportv1.Diagnostics{}
	if found.Data, found.Samples, found.Dropped = d.recorder.File(); found.Samples > 0 {
		return found
	}
	if found.Missing = d.missing; found.Dropped > 0 {
		found.Missing = fmt.Sprintf("%d bytes have no room for it", d.recorder.Budget)
	}
	return found
}

// about are questions whose answers a file begins with. The command line is not among them: it may hold secrets.
var about = []string{"buildInfo", "hostInfo"}

// describe asks a server what it is, for its diagnostic data.
func (c *commands) describe(ctx context.Context) {
	at := bson.NewDateTimeFromTime(time.Now())
	said := bson.D{{Key: "start", Value: at}}
	for _, question := range about {
		c.also(ctx, adminDatabase, mustMarshal(bson.D{{Key: question, Value: 1}}), func(reply bson.Raw) {
			said = append(said, bson.E{Key: question, Value: reply})
		})
	}
	c.kept.recorder.Describe(at, mustMarshal(append(said, bson.E{Key: "end", Value: at})))
}
