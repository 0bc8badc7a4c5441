// Package queue decides whose turn it is. Runs of a namespace wait in one line for each group, in the order in which
// they were created, and the first of it is admitted as soon as fewer of the group are admitted than it allows. Of the
// namespaces that wait for the same nodes the one is next that has waited for longer without a turn. Groups whose
// targets may be on the same nodes are like one group; runs of different namespaces on the same nodes heed what the
// operator allows, whatever groups and numbers they give themselves; and no two load into one database.
//
// Targets that people make by themselves wait with the runs, and hold a place while they are deployed. A target shares
// its place with the runs that refer to it: neither waits for the other.
//
// The queue lives in memory, one for each manager, is safe for concurrent use, and knows of runs only what callers tell
// it.
//
//	          Note, Ask                a place is free
//	(created) ─────────► in the line ─────────────────► assumed ─── Ask: the status says so ──► admitted
//	                        ▲   │                          │                                       │
//	                        │   └── suspended, ended ──────┴── suspended, ended ───────────────────┘
//	                        └────── resumed ◄──────────────────────────┘
//
// A run that is assumed to be admitted takes its place before its status says so, and keeps it when the status could
// not be written. Nothing is admitted before Seed has told of everything that there is.
//
// Reading and writing are not its business. It imports nothing of this repository but words.
package queue
