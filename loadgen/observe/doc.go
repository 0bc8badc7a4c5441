// Package observe samples the servers of a deployment while the steps of a run go on, and makes series of what they
// tell: reportv1.Member and Series.
//
//	serverStatus, replSetGetStatus      every second    ─┐
//	dbStats, balancer and chunks        every 10 s      ─┤
//	SHOW GLOBAL STATUS, clock, usage    every second    ─┼ sample ─ recording ─ series
//	information_schema, cache sizes     every 10 s      ─┘
//
// The first two are questions to MongoDB (commands.go, figures.go), the others to MariaDB and MySQL (listing.go). What
// means the same has the same name, so that figures of both stand side by side.
//
// Sample n of a series was taken n intervals after the member's Start, the same for all members. A figure whose unit
// ends in /s is a rate: what a counter grew by since the sample before, per second of the server's own clock. The first
// sample has no rates, and neither has the first after a restart of the server. All others are levels: the values
// as they were. What is asked every 10 s stays as it was in between. -1 is a value that is not known: the sample was
// missed, or the server does not tell. A series that would be -1 throughout is left out.
//
// A sample that does not come before the next is due is missed and counted. Each server is asked by a goroutine of its
// own on a connection of its own, so that a slow one holds up neither the others nor the load. After an hour the
// interval doubles, and again whenever a series would have more than 3601 values: rates are then over the longer
// interval, and levels the larger of two, so that a spike is not lost.
//
// What MariaDB tells, where status variables with + between them are added up as far as there are any:
//
//	of MariaDB              source
//	operations.all          handler_read_key + handler_write
//	operations.query        handler_read_key - handler_update - handler_delete
//	operations.insert       handler_write
//	operations.update       handler_update
//	operations.delete       handler_delete
//	documents.scanned       rows_read
//	documents.returned      rows_sent
//	sorts                   sort_range + sort_scan
//	cache.used              innodb_buffer_pool_bytes_data + rocksdb_cache_used
//	cache.dirty             innodb_buffer_pool_bytes_dirty
//	cache.maximum           cache_size
//	cache.requests          innodb_buffer_pool_read_requests + rocksdb_block_cache_hit + rocksdb_block_cache_miss
//	cache.misses            innodb_buffer_pool_reads + rocksdb_block_cache_miss
//	cache.freeWaits         innodb_buffer_pool_wait_free
//	cache.flushed           innodb_buffer_pool_pages_flushed
//	disk.read               innodb_data_read
//	disk.written            innodb_data_written + rocksdb_flush_write_bytes + rocksdb_compact_write_bytes
//	disk.syncs              innodb_data_fsyncs
//	journal.written         innodb_os_log_written + rocksdb_wal_bytes
//	journal.syncs           innodb_os_log_fsyncs + rocksdb_wal_synced
//	checkpoint.age          innodb_checkpoint_age
//	checkpoint.maximumAge   innodb_checkpoint_max_age
//	locks.waits             innodb_row_lock_waits
//	locks.waitTime          innodb_row_lock_time
//	queue.writers           innodb_row_lock_current_waits
//	activeClients.all       threads_running
//	connections.current     threads_connected
//	connections.created     connections
//	network.in              bytes_received
//	network.out             bytes_sent
//	network.requests        questions
//	handlerSocket.rounds    handlersocket_hs_table_lock
//	size.documents          size_documents
//	size.storage            size_storage
//	size.indexes            size_indexes
//
// Operations are counted where the storage engine is asked, for nothing else knows those of HandlerSocket: a search of
// an index, or a row that is written, changed or removed. So a statement that inserts a hundred rows is a hundred
// inserts, as it is to MongoDB, and an update that finds nothing is a query. What the names without an engine stand for
// is asked for by itself: cache_size of the engines, rocksdb_cache_used, and the size of the database's tables, whose
// number of rows is an estimate. The CPU time and the memory of the process MariaDB does not know: they are read from a
// file in the folder that secure_file_priv names, where there is one; see UsageFile.
//
// All figures, and where each lies in the replies of MongoDB 4.2 to 6.0, and where it moved to later (not run here:
// 7.0, 8.0):
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
//	cache.requests              requests/s    MariaDB: pages that were asked for
//	cache.misses                reads/s       MariaDB: pages that had to be read for it
//	cache.freeWaits             waits/s       MariaDB: how often a page was waited for to become free
//	cache.flushed               pages/s       MariaDB: dirty pages that were written
//	disk.read                   bytes/s       wiredTiger.block-manager.bytes read
//	disk.written                bytes/s       wiredTiger.block-manager.bytes written
//	disk.syncs                  syncs/s       MariaDB: fsync and fdatasync of the data files, and before 10.8 of the log
//	journal.written             bytes/s       wiredTiger.log.log bytes written
//	journal.syncs               syncs/s       wiredTiger.log.log sync operations
//	journal.syncTime            µs/s          wiredTiger.log.log sync time duration
//	checkpoint.running          count         wiredTiger.transaction, 8.0: wiredTiger.checkpoint.progress state
//	checkpoint.duration         ms            the same, 8.0: wiredTiger.checkpoint; of the most recent one
//	checkpoint.count            count         the same, 8.0: wiredTiger.checkpoint; since the server was started
//	checkpoint.age              bytes         MariaDB: written to the log since the last checkpoint
//	checkpoint.maximumAge       bytes         MariaDB: at which writers have to wait for the next one
//	tickets.readOut             count         wiredTiger.concurrentTransactions.read, 8.0: queues.execution.read
//	tickets.writeOut            count         the same of write
//	tickets.readAvailable       count         as tickets.readOut
//	tickets.writeAvailable      count         as tickets.writeOut
//	queue.readers               count         globalLock.currentQueue.readers
//	queue.writers               count         globalLock.currentQueue.writers
//	activeClients.readers       count         globalLock.activeClients.readers
//	activeClients.writers       count         globalLock.activeClients.writers
//	activeClients.all           count         MariaDB: threads that are at work
//	locks.waits                 waits/s       MariaDB: how often a row lock was waited for
//	locks.waitTime              ms/s          MariaDB: how long
//	handlerSocket.rounds        rounds/s      MariaDB: how often HandlerSocket's threads took up what had come
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
//	indexBuilds.asked           count         metrics.commands.createIndexes.total, since the server was started
//	size.documents              count         dbStats objects
//	size.data                   bytes         dbStats dataSize
//	size.storage                bytes         dbStats storageSize
//	size.indexes                bytes         dbStats indexSize
//	size.filesystemUsed         bytes         dbStats fsUsedSize
//	migrations.started          count         shardingStatistics.countDonorMoveChunkStarted
//	migrations.documents        documents/s   shardingStatistics.countDocsClonedOnDonor
//	balancer.enabled            count         balancerStatus.mode, of a mongos or config server: 1 unless off
//	balancer.rounds             count         balancerStatus.numBalancerRounds
//	moves.done                  count         config.changelog moveChunk.from of the database, since the first sample
//	moves.failed                count         the same, with another note than success
//	moves.step1                 ms            the same: the donor's time for reading the request, of all moves together
//	moves.step2                 ms            the same: for checking it
//	moves.step3                 ms            the same: for telling the recipient
//	moves.step4                 ms            the same: while the recipient copied
//	moves.step5                 ms            the same: in the critical section, in which writes are blocked
//	moves.step6                 ms            the same: for cleaning up
//	chunks.SHARD                count         config.chunks of the database's collections, of a mongos or config server
//
// A quotient such as serverTime.reads is the time per operation within the interval. What the process writes to disk is
// disk.written and journal.written together, to about 2 % of what the kernel counts for it.
//
// Summarise tells what happened at a member in a window of time: how evenly its operations went on, the checkpoints and
// what they cost, evictions by application threads. Latest tells what the servers said last, while the observation goes
// on.
//
// The package is not where a server is found or connected to: a Server is implemented under loadgen/driver. It imports
// the report and bson, and no driver.
package observe
