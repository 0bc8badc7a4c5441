// Package decide says what becomes of a BenchmarkRun: from one Observation to the desired objects, the new status and
// the next wake-up. It is pure: no client, no clock, no logger, nothing random; all that it rests on is in the
// observation, and all that has to be remembered is in the cluster, so that a restarted manager decides the same.
//
//	Queued      an admitted run begins in Provisioning; one that is suspended before Collecting is taken down, and is
//	  │         back here
//	  ▼
//	         every pod said     past Verify                        every pod      the report
//	         where it is                                           has ended      lies there
//	Provisioning ──────► Loading ──────► WarmingUp ⇄ Measuring ──────► Collecting ──────► CleaningUp ──► Finished
//	     │                  │                 │                            │                  ▲
//	     └──────────────────┴─── a cause ─────┴────────────────────────────┴──────────────────┘
//
// A verdict is written into the status before anything that it was read from is removed: the pass that finds it
// leaves all objects as they are, the next one cleans up.
//
// Reading and writing are not its business. It imports the API types, api, and the pure packages of
// controllers/internal.
package decide
