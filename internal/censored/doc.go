// Package censored makes one distribution of latencies of requests that were answered and of requests that failed. Of
// the latter it is known only that an answer would have taken longer than the failure did: in the terms of statistics
// they are censored. docs/design/002-load-generator.md says why failures are counted so.
//
// It imports the report's API and the histogram library.
package censored
