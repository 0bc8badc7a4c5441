package presets

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// reader reads parameters and collects what is wrong with them.
type reader struct {
	given    map[string]string
	defaults map[string]string
	path     *field.Path
	known    []string
	errs     field.ErrorList
}

func newReader(preset benchv1alpha1.Preset, path *field.Path) *reader {
	return &reader{given: preset.Parameters, defaults: defaults[preset.Name], path: path}
}

// value is what was given, or what the workload's file says, or what YCSB takes when nothing is said.
func (r *reader) value(name, otherwise string) string {
	r.known = append(r.known, name)
	if given, ok := r.given[name]; ok {
		return strings.TrimSpace(given)
	}
	return r.otherwise(name, otherwise)
}

func (r *reader) otherwise(name, otherwise string) string {
	if byFile, ok := r.defaults[name]; ok {
		return byFile
	}
	return otherwise
}

func (r *reader) refuse(name, why string) {
	r.errs = append(r.errs, field.Invalid(r.path.Key(name), r.given[name], why))
}

func (r *reader) integer(name, otherwise string, least, largest int64) int64 {
	number, err := strconv.ParseInt(r.value(name, otherwise), 10, 64)
	if err == nil && number >= least && number <= largest {
		return number
	}
	r.refuse(name, fmt.Sprintf("must be a whole number from %d to %d", least, largest))
	number, _ = strconv.ParseInt(r.otherwise(name, otherwise), 10, 64)
	return number
}

// word wants one of some words; the first is the default.
func (r *reader) word(name string, words ...string) string {
	value := strings.ToLower(r.value(name, words[0]))
	if slices.Contains(words, value) {
		return value
	}
	r.errs = append(r.errs, field.NotSupported(r.path.Key(name), r.given[name], words))
	return r.otherwise(name, words[0])
}

// collectionName is what the schema allows for the name of a collection.
var collectionName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,119}$`)

func (r *reader) name(name, otherwise string) string {
	value := r.value(name, otherwise)
	if collectionName.MatchString(value) && !strings.HasPrefix(value, "system.") {
		return value
	}
	r.refuse(name, "must be the name of a collection: a letter or underscore, then at most 119 letters, digits, _, . "+
		"and -, and not begin with system.")
	return otherwise
}

// share reads a number from 0 to 1 and returns it in millionths, with what is left below that.
func (r *reader) share(name, otherwise string) (millionths int64, exact bool) {
	number, err := strconv.ParseFloat(r.value(name, otherwise), 64)
	if err != nil || !(number >= 0 && number <= 1) {
		r.refuse(name, "must be a number from 0 to 1")
		number, _ = strconv.ParseFloat(r.otherwise(name, otherwise), 64)
	}
	// The nearest number with six decimals reads the same as what was written, if that has no more decimals.
	rounded := math.Round(number * float64(million))
	return int64(rounded), rounded/float64(million) == number
}

func (r *reader) millionths(name, otherwise string) int64 {
	millionths, exact := r.share(name, otherwise)
	if !exact {
		r.refuse(name, "must have at most six decimals")
	}
	return millionths
}

func (r *reader) rounded(name, otherwise string) int64 {
	millionths, _ := r.share(name, otherwise)
	return millionths
}

func (r *reader) percent(name, otherwise string, least int64) int64 {
	millionths, exact := r.share(name, otherwise)
	const perPercent = million / wholePercent
	if !exact || millionths%perPercent != 0 || millionths < least*perPercent {
		r.refuse(name, fmt.Sprintf("must be at least 0.%02d and have at most two decimals", least))
	}
	return max(millionths/perPercent, least)
}

// together checks how the parameters fit together.
func (r *reader) together(c core) {
	_, counted := r.given[operationCount]
	if counted && c.seconds > 0 {
		r.refuse(operationCount, "a step ends after a number of operations or after a time: leave out operationcount or "+
			"maxexecutiontime")
	}
	if c.minLength > c.maxLength {
		r.refuse(minFieldLength, fmt.Sprintf("must be no more than fieldlength, %d", c.maxLength))
	}
	if c.minScan > c.maxScan {
		r.refuse(minScanLength, fmt.Sprintf("must be no more than maxscanlength, %d", c.maxScan))
	}
	if len(c.shares) == 0 {
		r.errs = append(r.errs, field.Required(r.path.Key(readShare),
			"all proportions are 0, so that there is nothing to do"))
	}
}

func (r *reader) oneOfThreadsAndSweep(preset benchv1alpha1.Preset) {
	if _, given := preset.Parameters[threadCount]; given && len(preset.ThreadSweep) > 0 {
		r.refuse(threadCount, "only one of threadcount and spec.preset.threadSweep may be set")
	}
}

// elsewhere says where that is set which YCSB has a parameter for and a preset has none, by how the parameter begins.
var elsewhere = []struct{ prefix, where string }{
	{"db", "the database is said by spec.target or spec.targetRef"},
	{"workload", "the workload is said by spec.preset.name"},
	{"mongodb.batchsize", "the documents of an insert command while loading are said by batchsize"},
	{"mongodb.", "options of the connection belong into the connection string of an External target, and concerns into " +
		"the operations of a spec.workload"},
	{"insertstart", "the load pods share the records out by themselves; see spec.loadGenerator.pods"},
	{"insertcount", "all records are loaded; see recordcount"},
	{"dataintegrity", "the documents of a spec.dataset are verified byte by byte with its load.verify"},
	{"core_workload_insertion_retry", "operations are sent once more with retry in the steps of a spec.workload"},
	{"measurement", "every latency is in a histogram"},
	{"hdrhistogram", "every latency is in a histogram, which the report holds"},
	{"histogram", "every latency is in a histogram"},
	{"status", "the series of every second is in the report"},
	{"export", "the report is in the ConfigMap that the status names"},
}

// finish adds an error for each parameter that was not asked for.
func (r *reader) finish() field.ErrorList {
	for _, name := range slices.Sorted(maps.Keys(r.given)) {
		if slices.Contains(r.known, name) {
			continue
		}
		at := slices.IndexFunc(elsewhere, func(e struct{ prefix, where string }) bool {
			return strings.HasPrefix(name, e.prefix)
		})
		if at >= 0 {
			r.errs = append(r.errs, field.Forbidden(r.path.Key(name), elsewhere[at].where))
			continue
		}
		r.errs = append(r.errs, field.NotSupported(r.path.Key(name), name, r.known))
	}
	return r.errs
}
