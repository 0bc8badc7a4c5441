// Package quota asks Kueue for room for a whole run: for the members of the target that it declares and for its load
// pods, together and before anything of them is made. It makes the run's Workload, the object in which Kueue says
// whether there is room and on which nodes, and reads what Kueue has written into it.
//
//	no Workload ──▶ waits ──▶ admitted ──▶ the run has ended: removed, with the room
//	                  ▲          │
//	                  │          ▼
//	                  └──── evicted: the run is taken down, and gives the room back
//
// It knows Kueue's objects by their fields alone, in whatever version they are served (v1beta1 and v1beta2 have the
// same). It is pure, and imports the API types, naming, podspec and product.
package quota
