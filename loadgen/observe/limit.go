package observe

import (
	"net"
	"os"
	"path"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/cgroup"
)

// isLocal says whether an address, host and port, is one of this machine's loopback.
func isLocal(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// programs begin the names of the processes whose limit is read: a loopback address may lead through a tunnel, and the
// number is then that of another process.
const programs = "mongo"

// readLimit reads how the CPU limit of a server on this machine was kept, by the number of its process, which the reply
// to serverStatus tells. What cannot be read stays unknown.
func (s *sample) readLimit(reply bson.Raw) {
	number, ok := reply.Lookup("pid").AsInt64OK()
	if !ok {
		return
	}
	process := strconv.FormatInt(number, 10)
	name, err := os.ReadFile(path.Join("/proc", process, "comm"))
	if err != nil || !strings.HasPrefix(string(name), programs) {
		return
	}
	if found, known := cgroup.Of(os.DirFS("/"), process); known {
		s.values[places[reportv1.SeriesPeriods]] = found.Periods
		s.values[places[reportv1.SeriesThrottledPeriods]] = found.Throttled
	}
}
