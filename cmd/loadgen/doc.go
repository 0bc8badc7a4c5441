// Command loadgen is the load generator: it runs in load pods, in topology Jobs and in the pods of servers, and by hand
// against a MongoDB or TokuMX from 2.4 on, a MariaDB or a MySQL.
//
//	loadgen run -f benchmarkrun.yaml --uri mongodb://127.0.0.1 -o results  by hand
//	loadgen run --preset YCSB-A -p recordcount=100000 --uri ...            the same without a file
//	loadgen run --plan plan.json ...                                       in a load pod
//	loadgen verify -f benchmarkrun.yaml --uri mongodb://127.0.0.1 --all    compares what is loaded with what was to be
//	loadgen infer --uri mongodb://127.0.0.1 --database d --collection c    writes a dataset like a real collection
//	loadgen replay -f profile.jsonl --uri mongodb://127.0.0.1              sends recorded operations once again
//	loadgen topology --topology topology.json ...                          in a topology Job
//	loadgen keyfile --from FILE --to FILE                                  in a member's init container
//	loadgen sync-latency --dir FOLDER                                      the same, of one that holds data; and by hand
//	loadgen mariadb install|bootstrap|start|usage|probe ...                in the pod of a MariaDB
//	loadgen version
//
// This package reads flags and files and puts the parts of the load generator together. It measures nothing itself.
package main
