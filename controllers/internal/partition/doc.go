// Package partition says how a run cuts members of a target off: by a NetworkPolicy of its own, which names their pods.
// That policy is the only fact there is about it. The run's controller makes and removes it, and the target's excepts
// its pods from what the target's own policy allows; so a partition ends with the policy, and that with its run.
// Nothing here reads or writes.
package partition
