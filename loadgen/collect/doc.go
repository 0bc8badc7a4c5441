// Package collect merges what the load pods of a run handed in, stores the merged report, and tells the operator what
// it comes to. The operator reads none of it: a report may be large, and was written by somebody whom it need not
// trust.
//
// One pod of the run does so: load pod 0, which is there already, and in its place the pod of a Job where pod 0 is
// gone. The merging itself is that of internal/result. Where reports come from and go to is behind interfaces;
// loadgen/kube has those of ConfigMaps. It imports api/report and internal/result.
package collect
