// Package present writes figures and tables for people, so that a latency, a size or a count looks the same wherever it
// is shown: in the text and the Markdown of a report, in the plugin, on pages, in pictures and in messages.
//
//	955 µs   2.71 ms   12.3 s   3,600 s   Micros, Millis: three digits that count, with the unit that fits
//	15.0 s                                Seconds: a clock, whose last digit does not jump
//	1,234,567                             Count
//	940 B    1.3 KiB   38.4 MiB  2 GiB    Bytes: three digits that count, in powers of 1,024
//	0.3 %    12 %                         Percent, Share
//	+12.3 %  -4.0 %    ×23.5              Change: from twice as much on a factor
//	-                                     Unknown
//	-4.8 % (-6.1 % to -3.4 %)             Narrowing: a change that is still measured
//
// A Table aligns its columns by what is seen, so that colours, which a Paint puts around single words, move nothing. A
// Document puts headings, sentences, Facts and Tables together, as text or as Markdown. Package screen below shows
// what is still going on.
//
// It knows no figure by its name and reads nothing. Numbers for programs (CSV, JSON, metrics) are written by their own
// packages, in full. It imports the standard library only.
package present
