// Package output writes reports for people and programs, and shows how far a run has come.
//
// A report becomes tables of text (Text), the same as Markdown (Markdown), JSON (JSON: the report as the load generator
// made it, its summary, and the doubts), and CSV (CSV: one line an operation, one an action, one a step with an empty
// operation for all together, and one for each comparison of a duet). The columns of the CSV are, in their order:
//
//	step                 name of the step; "load" for the loading of the dataset
//	operation            name of the operation; empty for all operations of the step together
//	kind                 what sort of request it is
//	threads              workers over all load pods
//	durationMillis       length of the measure window, which rates are over
//	count                operations that succeeded
//	errors               operations that failed
//	operationsPerSecond  successes within the window, a second; of unacknowledged writes until the servers had taken
//	                     them in
//	meanMicros           mean latency, in microseconds as all times: in an open loop from when the operation was due,
//	                     otherwise from the send, until the last reply
//	p50Micros, p95Micros, p99Micros, p999Micros, p9999Micros
//	                     its percentiles, of all operations: one that failed counts at no less than it took; "few" where
//	                     fewer than ten operations lie beyond
//	maxMicros, stdDevMicros
//	client               what was sent by: "wire", or the driver with its version
//	documents            those that were returned or written
//	returned, inserted, matched, modified, deleted
//	                     of them those that were returned, inserted (by an upsert too), found by an update, changed
//	                     by it, as far as the server tells, and removed
//	empty                operations that looked for documents and found none
//	unexpected           operations that came upon more or fewer documents than was expected
//	retries              how often an operation was sent once more
//	unacknowledged       operations that no reply was asked for: they are in count and in no latency
//	stragglers           those in count that were answered after the window: in the latencies, and in no rate
//	carriedOver          operations of the warm-up that were answered within the window: in the rate alone
//	busyMicros           how long threads were with the operation in the window, all added up
//	serviceMeanMicros to serviceMaxMicros              from the send to the last reply; empty in a closed loop
//	firstDocumentMeanMicros to firstDocumentMaxMicros  from the send to the first document; empty without a cursor
//	databaseTimeMeanMicros to databaseTimeMaxMicros    of that, how long the database took, of operations that went
//	                     through a gateway; empty for others
//	failedMeanMicros to failedMaxMicros                of the operations that failed alone; empty when none did
//
// and in the lines of whole steps only:
//
//	sweepOf              the sweep that the step is a part of
//	overrunMillis        how long after the planned end of the window the last reply came
//	requestedPerSecond   operations that were due, a second; this and the following are empty in a closed loop
//	achievedPerSecond    operations that were sent in the window, a second
//	dropped, late        operations that were never sent, and those that were sent after the window
//	lagP50Micros, lagP99Micros, lagMaxMicros           from when an operation was due until it was sent
//	wakeUpP99Micros      the same of operations whose worker was free
//	steadyAfterMillis    when the throughput became steady, or "never"; "unchecked" when that was not checked, as in a
//	                     window of less than half a minute
//	variationPercent     how much the intervals vary from then on
//	drainMillis          how long after the window the servers still took in unacknowledged writes; this and the
//	                     following are empty without such
//	sentDocuments        documents of unacknowledged inserts, and
//	arrivedDocuments     those of them that were there afterwards; both are empty where they could not be counted
//	costPerMillionOperationsMicros                     what a million operations cost that succeed, in millionths of
//	                     costCurrency, and
//	costPerMonthAtRateMicros                           a month of 730 hours at this rate; both are empty, as is the
//	                     currency, of a run that has no price list
//	replicationLagMillis by how much the secondary that was behind most was behind its primary; empty without one
//	growthOf             the declared name of a step that is repeated while the collection grows; this and the following
//	                     are empty without a growth
//	growthDocuments      documents that the collection had been loaded with, and
//	foundDocuments       those that were counted then
//	dataBytes, storageBytes, indexBytes                of the collection, on all shards
//	costCurrency         code of the costs' currency
//
// Every action that was done to the target in a step has a line as well, after those of the step, with its name as the
// operation, its type as the kind, and these:
//
//	member               that it was done to; empty for the whole target
//	atMillis             when, from the start of the measure window
//	tookMicros           how long the command took that carried it out; empty: none did
//	outageMicros         longest time after it without any operation that succeeded
//	recoveryMillis       until the throughput was back at what it was before; -1: never; empty: cannot be told
//	error                why it was not carried out
//
// A duet has a line for each that was compared, after those of all steps, whose kind is Comparison, and these:
//
//	metric, verdict      what was compared, and what it came to
//	baselineValue, candidateValue                      of the metric, over all windows that were compared
//	pairs                how many pairs of windows those are
//	effectBasisPoints    the change, in hundredths of a percent of the baseline; empty while nothing is known
//	lowBasisPoints, highBasisPoints                    its bounds, with the confidence that was asked for
//	decidedMillis        when the verdict was reached, after the first window began; empty: it was not
//
// Of every line
//
//	durability           is what an acknowledged write has survived: None, Memory, OSCache, Synced, Majority, or several
//
// Lines of operations and of whole steps also have
//
//	skipped              of whole steps, operations of an open loop that were due for too long to be sent
//	percentiles          those that the step asks for, such as "p90=1250 p99.999=few", in microseconds
//	correctedMeanMicros to correctedMaxMicros          an estimate of a closed loop's latency with the operations that
//	                     slow ones held up; empty unless the step has expectedIntervalMicros
//
// An objective of a step has a line after that of its actions, whose kind is Objective and whose operation is the one
// that it is about, empty for all; its verdict is Kept or Missed, and it has
//
//	limitMicros, wantedPercent                         how long an operation may take, and how many may not take longer
//	judged, within       operations that it is judged by, and those of them that succeeded within the limit
//
// Of the loading, count and operationsPerSecond are documents, and the latencies are empty.
//
// The servers' own diagnostic data becomes files as they write them, of each server one (DiagnosticFiles), or an
// archive of all of them (FTDC).
//
// Histograms become files for HdrHistogram's plotter (Plots): the distribution by percentiles, in milliseconds.
//
// The package measures nothing and merges nothing. It imports the plan's and the report's API, the histogram library,
// and of the package observe what a server did in a window of time.
package output
