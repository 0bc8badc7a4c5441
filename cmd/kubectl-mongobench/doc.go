// Command kubectl-mongobench is the plugin that kubectl finds as `kubectl mongobench`: it applies and follows runs and
// suites, and shows, compares and exports their results.
//
//	kubectl mongobench run -f suite.yaml          applies and follows until the end
//	kubectl mongobench ls | describe | watch | wait | logs | rm
//	kubectl mongobench report | compare | export  what was measured
//	kubectl mongobench new standalone             prints a file to start from
//	kubectl mongobench doctor                     checks the cluster before a run
//	kubectl mongobench estimate -f suite.yaml     predicts what it will need
//	kubectl mongobench ui                         serves a live page
//
// Its exit codes are in docs/reference/kubectl-mongobench.md. It speaks to the API server with the rights of its user,
// and needs nothing but the operator's kinds in the cluster. It is flags and commands; internal/cluster reads and
// writes, internal/show writes tables and how far something has come, internal/page, internal/picture and
// internal/junit write results in other forms; internal/doctor, internal/estimate and internal/live are behind the
// commands above. It may import those, api, loadgen/output for the report of a run, cobra and cli-runtime.
package main
