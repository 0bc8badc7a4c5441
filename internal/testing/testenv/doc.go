// Package testenv starts a real API server and etcd for the tests of the controllers, with the kinds of this
// repository. There is no kubelet and no controller of Kubernetes: a test plays the pods, StatefulSets and Jobs.
//
//	func TestMain(m *testing.M) { os.Exit(testenv.Run(m, &environment)) }
//
// The programs are looked for in KUBEBUILDER_ASSETS, and without it in the cache that `make` fills. It is for tests
// and hack/perf. It imports controller-runtime's envtest and client.
package testenv
