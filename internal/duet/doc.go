// Package duet says what the windows of a duet come to. In a duet two targets stand at the same time, and a load is
// sent to them in turns, in windows of a few seconds:
//
//	candidate   ▆▆▆ ···  ··· ▆▆▆   ··· ▆▆▆  ▆▆▆ ···
//	baseline    ··· ▆▆▆  ▆▆▆ ···   ▆▆▆ ···  ··· ▆▆▆
//	            └─── a group ───┘ └─── the next ───┘
//
// What slows down a machine for longer than a window slows down both sides, so that the ratio of neighbouring windows
// varies far less than the throughput does (Bulej and others, "Duet benchmarking", ICPE 2020). A drift that is even
// over a group cancels out.
//
// Groups are the orders of the windows; a Judge is given one group after the other, and says of each Line, which is one
// metric of the step or of one of its operations, whether its ratio is known well enough.
//
// It is pure: no clock, no input or output, no database. The statistics are those of internal/statistics.
package duet
