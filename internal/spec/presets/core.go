package presets

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
)

// The parameters of YCSB's core workload that are known here, by YCSB's names.
const (
	recordCount       = "recordcount"
	operationCount    = "operationcount"
	maxExecutionTime  = "maxexecutiontime"
	threadCount       = "threadcount"
	targetRate        = "target"
	table             = "table"
	batchSize         = "batchsize"
	fieldCount        = "fieldcount"
	fieldLength       = "fieldlength"
	minFieldLength    = "minfieldlength"
	fieldLengths      = "fieldlengthdistribution"
	readAllFields     = "readallfields"
	writeAllFields    = "writeallfields"
	readShare         = "readproportion"
	updateShare       = "updateproportion"
	insertShare       = "insertproportion"
	scanShare         = "scanproportion"
	readModifyWrite   = "readmodifywriteproportion"
	requests          = "requestdistribution"
	maxScanLength     = "maxscanlength"
	minScanLength     = "minscanlength"
	scanLengths       = "scanlengthdistribution"
	insertOrder       = "insertorder"
	zeroPadding       = "zeropadding"
	hotSpotData       = "hotspotdatafraction"
	hotSpotOperations = "hotspotopnfraction"
	exponentialDraws  = "exponential.percentile"
	exponentialRange  = "exponential.frac"
)

// Words that stand as values.
const (
	uniform     = "uniform"
	zipfian     = "zipfian"
	latest      = "latest"
	hotSpot     = "hotspot"
	exponential = "exponential"
	sequential  = "sequential"
	constant    = "constant"
	hashed      = "hashed"
	ordered     = "ordered"
)

// core is YCSB's core workload with its parameters read.
type core struct {
	records, operations    int64
	seconds, threads       int64
	rate                   int64
	table                  string
	batch                  int64
	fields                 int64
	minLength, maxLength   int64
	lengths                string
	readAll, writeAll      bool
	shares                 []share
	requests               string
	minScan, maxScan       int64
	scans                  string
	order                  string
	digits                 int64
	hotRange, hotDraws     int64 // Percent.
	expRange, expDrawShare int64 // Millionths and percent.
}

// share is how much of the mix an operation has, in millionths.
type share struct {
	parameter  string
	millionths int64
}

// defaults are what YCSB's files of the six workloads say, where it is not the same for all.
var defaults = map[benchv1alpha1.PresetName]map[string]string{
	benchv1alpha1.PresetYCSBA: {readShare: "0.5", updateShare: "0.5"},
	benchv1alpha1.PresetYCSBB: {readShare: "0.95", updateShare: "0.05"},
	benchv1alpha1.PresetYCSBC: {readShare: "1"},
	benchv1alpha1.PresetYCSBD: {readShare: "0.95", insertShare: "0.05", requests: latest},
	benchv1alpha1.PresetYCSBE: {scanShare: "0.95", insertShare: "0.05", maxScanLength: "100"},
	benchv1alpha1.PresetYCSBF: {readShare: "0.5", readModifyWrite: "0.5"},
}

const (
	maxRecords   = int64(100_000_000_000)
	maxSeconds   = int64(604_800)
	maxThreads   = int64(4096)
	maxRate      = int64(100_000_000)
	maxBatch     = int64(100_000)
	maxFields    = int64(127) // A collection has 128, and one is _id.
	maxLength    = int64(16_000_000)
	maxScan      = int64(1_000_000)
	maxDigits    = int64(100)
	wholePercent = int64(100)
	million      = int64(1_000_000)
)

// readCore reads the parameters of a preset over those of YCSB's file of the same name.
func readCore(preset benchv1alpha1.Preset) (core, field.ErrorList) {
	r := newReader(preset, field.NewPath("spec", "preset", "parameters"))
	c := core{
		records:    r.integer(recordCount, "1000", 1, maxRecords),
		operations: r.integer(operationCount, "1000", 1, maxRecords),
		seconds:    r.integer(maxExecutionTime, "0", 0, maxSeconds),
		threads:    r.integer(threadCount, "1", 1, maxThreads),
		rate:       r.integer(targetRate, "0", 0, maxRate),
		table:      r.name(table, "usertable"),
		batch:      r.integer(batchSize, "1000", 1, maxBatch),

		fields:    r.integer(fieldCount, "10", 1, maxFields),
		maxLength: r.integer(fieldLength, "100", 1, maxLength),
		minLength: r.integer(minFieldLength, "1", 1, maxLength),
		lengths:   r.word(fieldLengths, constant, uniform, zipfian),
		readAll:   r.word(readAllFields, "true", "false") == "true",
		writeAll:  r.word(writeAllFields, "false", "true") == "true",

		requests: r.word(requests, zipfian, uniform, latest, hotSpot, exponential, sequential),
		minScan:  r.integer(minScanLength, "1", 1, maxScan),
		maxScan:  r.integer(maxScanLength, "1000", 1, maxScan),
		scans:    r.word(scanLengths, uniform, zipfian),

		order:        r.word(insertOrder, hashed, ordered),
		digits:       r.integer(zeroPadding, "1", 1, maxDigits),
		hotRange:     r.percent(hotSpotData, "0.2", 1),
		hotDraws:     r.percent(hotSpotOperations, "0.8", 0),
		expDrawShare: r.integer(exponentialDraws, "95", 1, wholePercent-1),
		expRange:     max(r.rounded(exponentialRange, "0.8571428571"), 1),
	}
	for _, parameter := range []string{readShare, updateShare, insertShare, scanShare, readModifyWrite} {
		if millionths := r.millionths(parameter, "0"); millionths > 0 {
			c.shares = append(c.shares, share{parameter, millionths})
		}
	}
	r.together(c)
	r.oneOfThreadsAndSweep(preset)
	return c, r.finish()
}
