// Package link has load generators on several machines share a plan without Kubernetes. One process is the Host, which
// sends no load; each of the others is a Pod of the plan, as in a cluster:
//
//	Host                                   Pod
//	  <── TLS 1.3, by the key in the token ──   knows the host
//	  <── the token's secret ──────────────────  is known
//	  ──── the time, 100 times ────────────────▶ knows how its clock stands
//	  ──── its place, and the plan ────────────▶
//	  <── waits to begin step i ───────────────  from all of them
//	  ──── starts at ... ──────────────────────▶ to all of them
//	  <── progress every second, trials, the report
//	  ──── over, or the cause why all stop ────▶
//
// What one machine hears is what the pods of a Job read in ConfigMaps (package kube): the gate, the trials of a search,
// reports. A plan's operations are shared out by the number of the place, and reports merged by internal/result, as in
// a cluster. Each pod connects to the database by itself; the link carries neither its address nor its credentials.
//
// Each side says every few seconds that it is there. A machine that is silent for longer, or whose connection ends
// before its report came, ends the run, and is named; what the others had measured is kept.
//
// What comes over the wire is untrusted until the secret was right, and bounded always. The package knows no database;
// it imports the plan, the report, the interfaces of package loadgen, and internal/result.
package link
