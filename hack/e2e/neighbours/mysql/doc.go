// Package mysql has runs measure MySQL 5.6.14 and 5.5.9, servers of the years in which they were compared with MongoDB,
// as a database that is there.
//
//	make e2e NEIGHBOURS=mysql        the page for its users is docs/neighbours/mysql.md
//
// hack/images pins the servers and makes images of them.
package mysql
