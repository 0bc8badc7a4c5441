// Package decide says what should exist for a BenchmarkTarget, what its status is, and when to look again. It is pure:
// all that it knows is in an Observation, the time and fresh random credentials included.
//
//	          ┌─ invalid ──────────────▶ Accepted=False, Stalled=True
//	Accepted ─┤
//	          └─ valid ─▶ PodsStarting ─▶ TopologyPending ─▶ Ready=True ─▶ (a member restarts) ─▶ Stalled=True
//	              │      ▲    │                 │                 ▲
//	              ▼      │    │                 │                 └─▶ MemberRestarting, where that is tolerated
//	         DoesNotFit ─┘    └─────────────────┴─ a fault that waiting does not mend, or the deadline ─▶ Stalled=True
//
// A target consists of sets: replica sets, a standalone, routers. Which ones, and how their pods run a server, is
// asked of its product (internal/product); everything else here goes over them. Stalled is final. Nothing is removed
// then: what is left is there to be looked at, and goes with the target.
//
// One file makes one desired object. Package target reads and writes. It imports api, the pure packages of
// internal and of controllers/internal; no client, clock, logger, context or randomness.
package decide
