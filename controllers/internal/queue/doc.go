// Package queue decides whose turn it is: runs of one group wait in one line, in the order in which they were created,
// and the first of it is admitted as soon as fewer runs of the group are admitted than it allows. Groups whose targets
// may be on the same nodes are like one group; runs of different namespaces on the same nodes heed what the operator
// allows, whatever groups and numbers they give themselves; and no two load into one database. The queue lives in
// memory, one for each manager, is safe for concurrent use, and knows of runs only what callers tell it.
//
//	          Note, Ask                a place is free
//	(created) ─────────► in the line ─────────────────► assumed ─── Ask: the status says so ──► admitted
//	                        ▲   │                          │                                       │
//	                        │   └── suspended, ended ──────┴── suspended, ended ───────────────────┘
//	                        └────── resumed ◄──────────────────────────┘
//
// A run that is assumed to be admitted takes its place before its status says so, and keeps it when the status could
// not be written. Nothing is admitted before Seed has told of every run that there is.
//
// Reading and writing are not its business. It imports nothing of this repository.
package queue
