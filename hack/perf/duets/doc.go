// Package duets replays what was recorded of a duet: one long measurement of two sides in turns is cut into the
// comparisons that would have been made of it, had each begun at another group of its windows.
//
//	recording   ABBA-BAAB-ABBA-BAAB-ABBA-BAAB-ABBA-BAAB-ABBA-BAAB…
//	apart       └─ trial 1 ──┘ └──── trial 2 ────┘ └─ trial 3 ─┘
//	overlapping └─ trial 1 ──┘
//	                 └─ trial 2 ──────┘ …
//
// A Trial is judged by package internal/duet, as a duet is while it is measured. Trials that are apart share no window;
// those that overlap are more, and are not independent. A trial begins only where the recording still lasts for as long
// as a trial may take: otherwise the last ones would count only when they end early.
//
// Interleaved is what suites do by default: the windows are the runs of two variants, ABBA, and package
// internal/comparison compares them with its test of pairs.
//
// A Series is several recordings of the same, made at different times, each of fresh servers: the longer one goes on
// recording, the more trials there are.
//
// It is pure, apart from Keep and Kept: no clock, no servers. Package perf records (make bench ONLY=duets).
package duets
