// Package observe samples the servers of a deployment while the steps of a run go on, and makes series of what they
// tell: reportv1.Member and Series.
//
//	serverStatus, replSetGetStatus      every second    ─┐
//	dbStats, balancer and chunks        every 10 s      ─┤ sample ─ recording ─ series
//
// Sample n of a series was taken n intervals after the member's Start, the same for all members. A figure whose unit
// ends in /s is a rate: what a counter grew by since the sample before, per second of the server's own clock. The first
// sample has no rates, and neither has the first after the server was started anew. All others are levels: the values
// as they were. What is asked every 10 s stays as it was in between. -1 is a value that is not known: the sample was
// missed, or the server does not tell. A series that would be -1 throughout is left out.
//
// A sample that does not come before the next is due is missed and counted. Each server is asked by a goroutine of its
// own on a connection of its own, so that a slow one holds up neither the others nor the load. After an hour the
// interval doubles, and again whenever a series would have more than 3601 values: rates are then over the longer
// interval, and levels the larger of two, so that a spike is not lost.
//
// Figures, where each lies in the replies of 4.2 to 6.0, and where it moved to later (not run here: 7.0, 8.0):
//
//	figure                      unit          source
//	operations.all              operations/s  opcounters: insert, query, update, delete and getmore together
//	operations.insert           operations/s  opcounters.insert
//	operations.query            operations/s  opcounters.query
//	operations.update           operations/s  opcounters.update
//	operations.delete           operations/s  opcounters.delete
//	operations.getmore          operations/s  opcounters.getmore
//	operations.command          operations/s  opcounters.command
//	operations.replicated       operations/s  opcountersRepl: insert, update and delete together
//	timed.reads                 operations/s  opLatencies.reads.ops
//	timed.writes                operations/s  opLatencies.writes.ops
//	serverTime.reads            µs            opLatencies.reads.latency per timed.reads
//	serverTime.writes           µs            opLatencies.writes.latency per timed.writes
//	documents.returned          documents/s   metrics.document.returned
//	documents.inserted          documents/s   metrics.document.inserted
//	documents.updated           documents/s   metrics.document.updated
//	documents.deleted           documents/s   metrics.document.deleted
//	documents.scanned           documents/s   metrics.queryExecutor.scannedObjects
//	writeConflicts              conflicts/s   metrics.operation.writeConflicts
//	sorts                       sorts/s       metrics.operation.scanAndOrder
//	cpu.user                    ms/s          extra_info.user_time_us
//	cpu.system                  ms/s          extra_info.system_time_us
//	memory.resident             bytes         mem.resident
//	pageFaults                  faults/s      extra_info.page_faults
//	cache.used                  bytes         wiredTiger.cache.bytes currently in the cache
//	cache.dirty                 bytes         wiredTiger.cache.tracked dirty bytes in the cache
//	cache.maximum               bytes         wiredTiger.cache.maximum bytes configured
//	cache.readInto              bytes/s       wiredTiger.cache.bytes read into cache
//	cache.writtenFrom           bytes/s       wiredTiger.cache.bytes written from cache
//	cache.applicationEvictions  pages/s       wiredTiger.cache.pages evicted by application threads
//	cache.applicationWait       µs/s          wiredTiger.thread-yield.application thread time waiting for cache
//	disk.read                   bytes/s       wiredTiger.block-manager.bytes read
//	disk.written                bytes/s       wiredTiger.block-manager.bytes written
//	journal.written             bytes/s       wiredTiger.log.log bytes written
//	journal.syncs               syncs/s       wiredTiger.log.log sync operations
//	journal.syncTime            µs/s          wiredTiger.log.log sync time duration
//	checkpoint.running          count         wiredTiger.transaction, 8.0: wiredTiger.checkpoint.progress state
//	checkpoint.duration         ms            the same, 8.0: wiredTiger.checkpoint; of the most recent one
//	checkpoint.count            count         the same, 8.0: wiredTiger.checkpoint; since the server was started
//	tickets.readOut             count         wiredTiger.concurrentTransactions.read, 8.0: queues.execution.read
//	tickets.writeOut            count         the same of write
//	tickets.readAvailable       count         as tickets.readOut
//	tickets.writeAvailable      count         as tickets.writeOut
//	queue.readers               count         globalLock.currentQueue.readers
//	queue.writers               count         globalLock.currentQueue.writers
//	activeClients.readers       count         globalLock.activeClients.readers
//	activeClients.writers       count         globalLock.activeClients.writers
//	connections.current         count         connections.current
//	connections.created         connections/s connections.totalCreated
//	network.in                  bytes/s       network.bytesIn
//	network.out                 bytes/s       network.bytesOut
//	network.requests            requests/s    network.numRequests
//	flowControl.lagged          count         flowControl.isLagged
//	flowControl.wait            µs/s          flowControl.timeAcquiringMicros
//	replication.state           count         replSetGetStatus.myState: 1 primary, 2 secondary
//	replication.lag             ms            the primary's replSetGetStatus; second grain up to 4.4; healthy members
//	replication.largestLag      ms            the same, of all members; only while this one is primary
//	size.documents              count         dbStats objects
//	size.data                   bytes         dbStats dataSize
//	size.storage                bytes         dbStats storageSize
//	size.indexes                bytes         dbStats indexSize
//	size.filesystemUsed         bytes         dbStats fsUsedSize
//	migrations.started          count         shardingStatistics.countDonorMoveChunkStarted
//	migrations.documents        documents/s   shardingStatistics.countDocsClonedOnDonor
//	balancer.enabled            count         balancerStatus.mode, of a mongos or config server: 1 unless off
//	balancer.rounds             count         balancerStatus.numBalancerRounds
//	chunks.SHARD                count         config.chunks of the database's collections, of a mongos or config server
//
// A quotient such as serverTime.reads is the time per operation within the interval. What the process writes to disk is
// disk.written and journal.written together, to about 2 % of what the kernel counts for it.
//
// Summarise tells what happened at a member in a window of time: how evenly its operations went on, the checkpoints and
// what they cost, evictions by application threads.
//
// The package is not where a server is found or connected to: a Server is implemented under loadgen/driver. It imports
// the report and bson, and no driver.
package observe
