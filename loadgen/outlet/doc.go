// Package outlet writes and sends what a load pod measures elsewhere while it measures, for who wants more than the
// report, or wants it sooner:
//
//	workers ── once a second, with the interval ──▶ measure.Recording ─┬▶ Histograms: HdrHistogram's interval log
//	        │                                                          └▶ metrics ─▶ Push: OTLP, remote write
//	        └─ every operation, by its hash ───────▶ Operations: some of each range of latencies, as CSV or NDJSON
//
// Histograms and figures are those that the report is made of: their sums are the report's. Nothing is counted for
// them, so that an operation costs the same with and without.
//
// Of the operations those are kept, in every second, of each operation of the mix and each octave of its latency, whose
// numbers have the smallest hashes. So the slow and the failed ones are there however rare they are; which ones it is
// depends on the numbers alone, and not on the number of threads or pods. Each line says how many operations it stands
// for.
//
// No error of an outlet changes the run: what cannot be written or sent is counted, and told once at the end. No line,
// figure or message has a value of a document or a secret.
//
// It imports the plan, the report, measure and metrics, Prometheus's client and the types of OpenTelemetry: no database
// driver, and nothing of Kubernetes.
package outlet
