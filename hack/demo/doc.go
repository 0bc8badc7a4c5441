// Command demo shows one benchmark from its YAML file to its result, in a cluster that has the operator in it.
//
//	KUBECONFIG=... go run ./hack/demo -f config/samples/standalone.yaml [-n namespace] [-o folder] [-plugin file]
//
// It makes the namespace mongobench-demo, with the restricted Pod Security Standard, applies every object of the file,
// follows the BenchmarkRun, and prints the result, the same tables that `loadgen run` prints by hand. Several runs are
// applied one after the other, and at the end a table has them side by side. The results lie in dist/demo/<run>/
// afterwards, with the pages that the plugin makes of them (make plugin builds it). The exit code is 0 when every run
// succeeded, 1 when one failed, 2 when the command line or the file is wrong, 3 when a run did not end within its own
// deadlines.
//
// It makes no cluster and installs no operator: hack/make/with-cluster.sh does. It imports api, loadgen/output, and
// controller-runtime's client.
package main
