// Command loadgen is the load generator. It runs in load pods, in topology Jobs, in the pods of servers, and on the
// command line against MongoDB 2.4 or later, TokuMX, MariaDB or MySQL.
//
//	loadgen run -f benchmarkrun.yaml --uri mongodb://127.0.0.1 -o results  on the command line
//	loadgen run --preset YCSB-A -p recordcount=100000 --uri ...            the same without a file
//	loadgen stress mongodb://127.0.0.1 --inserts 60 --reads 40             by one line, leaving nothing
//	loadgen local                                                          starts a mongod for a try
//	loadgen serve -f run.yaml --pods 3 --token-file FILE                   has several machines share a run
//	loadgen join HOST:PORT --token-file FILE --uri ...                     on each of them
//	loadgen run --plan plan.json ...                                       in a load pod
//	loadgen verify -f benchmarkrun.yaml --uri mongodb://127.0.0.1 --all    compares what is stored with its definition
//	loadgen infer --uri mongodb://127.0.0.1 --database d --collection c    writes a dataset like a real collection
//	loadgen replay -f profile.jsonl --uri mongodb://127.0.0.1              resends recorded operations
//	loadgen topology --topology topology.json ...                          in a topology Job
//	loadgen keyfile --from FILE --to FILE                                  in a member's init container
//	loadgen sync-latency --dir FOLDER                                      on a data volume, or on the command line
//	loadgen mariadb install|bootstrap|start|usage|probe ...                in the pod of a MariaDB
//	loadgen version
//
// This package reads flags and files and puts the parts of the load generator together. It measures nothing itself.
package main
