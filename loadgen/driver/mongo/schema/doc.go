// Package schema makes collections and indexes on a MongoDB server that does not have to distribute them.
//
// Package sharding distributes collections. This package imports the plan and the driver.
package schema
