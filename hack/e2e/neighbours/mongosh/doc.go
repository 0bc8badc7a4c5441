// Package mongosh has mongosh log in to targets as their users would, and run every line of mongosh in the documents.
//
//	make e2e NEIGHBOURS=mongosh        the page for its users is docs/neighbours/mongosh.md
//
// package-lock.json pins mongosh and all that it needs. What runs in the cluster's network for its users runs beside it
// here, and reaches the members through a proxy of the test.
package mongosh
