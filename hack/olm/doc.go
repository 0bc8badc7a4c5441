// Command olm makes the bundle of the operator for the Operator Lifecycle Manager: the definitions, and a
// ClusterServiceVersion that says how the operator is deployed, what it may do, and how a catalogue shows it.
//
// All of it comes from the chart: what it renders with its default values, its Chart.yaml and its icon. The two
// admission policies are left out: OLM takes none.
//
// It is a module of its own because OLM's libraries are large and nothing that ships needs them. It imports nothing of
// the operator.
package main
