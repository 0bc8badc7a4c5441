package run_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/naming"
	"github.com/mongobench/mongobench-operator/internal/testing/runtest"
)

// invented are prices of the node and the volume that placePods makes.
const invented = `
apiVersion: prices.mongobench.dev/v1alpha1
currency: EUR
source: invented for a test
nodes: [{type: m7g.large, perHour: "0.36"}]
storage: [{class: gold, perGibibyteMonth: "7.3"}]
`

// withPrices has the run use a list.
func withPrices(made *benchv1alpha1.BenchmarkRun) {
	made.Spec.PriceList = &benchv1alpha1.PriceListReference{ConfigMapName: "prices"}
}

// priceList makes the list, or changes it.
func (p *play) priceList(text string) {
	p.t.Helper()
	list := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "prices"},
		Data:       map[string]string{"prices.yaml": text},
	}
	if err := environment.Client.Create(p.t.Context(), list); err != nil {
		p.must(environment.Client.Update(p.t.Context(), list))
	}
}

// measurePriced plays a run to its end, with a member that asks for half of its node, which others may be on as well.
func (p *play) measurePriced(others ...string) *benchv1alpha1.BenchmarkRun {
	p.t.Helper()
	p.toMeasuring()
	p.placePods()
	node := p.halfANode()
	for _, name := range others {
		p.on(p.namespace, name, naming.ForRun(name, naming.ComponentLoad), node, corev1.PodRunning)
	}
	p.settle()
	p.allSay(runtest.StepWrite, reportv1alpha1.ProgressDone, 100)
	p.reportAll()
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
	return p.run()
}

// halfANode says of the nodes of the members that they have for pods twice what a member asks for.
func (p *play) halfANode() string {
	p.t.Helper()
	var member corev1.Pod
	p.get("r-mongod-0", &member)
	var node corev1.Node
	p.must(environment.Client.Get(p.t.Context(), types.NamespacedName{Name: member.Spec.NodeName}, &node))
	node.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("8Gi"),
	}
	p.must(environment.Client.Status().Update(p.t.Context(), &node))
	return node.Name
}

// costly is a run with a price list: the pods that are on its nodes too, and what it costs.
type costly struct {
	others                     []string
	compute, perMillion, month int64
}

func (c costly) check(t *testing.T) {
	t.Helper()
	p := newPlay(t, withPrices)
	p.priceList(invented)
	found := p.measurePriced(c.others...)
	cost := found.Status.Result.Cost
	if cost == nil {
		t.Fatalf("there is no cost: %s", p.message(benchv1alpha1.RunTrusted))
	}
	want := benchv1alpha1.CostResult{
		Currency: "EUR", PriceList: "prices", Source: "invented for a test", ComputeNanosPerHour: &c.compute,
		StorageNanosPerHour: new(int64(10_000_000)),
	}
	if diff := cmp.Diff(&want, cost); diff != "" {
		t.Errorf("cost (-want +got):\n%s", diff)
	}
	c.checkSteps(t, found.Status.Result.Steps)
	if noted := found.Status.Fingerprint; noted.Currency != "EUR" || len(noted.PriceListHash) != 64 {
		t.Errorf("the fingerprint has %q, %q", noted.Currency, noted.PriceListHash)
	}
	if said := p.message(benchv1alpha1.RunTrusted); strings.Contains(said, "cost") {
		t.Errorf("a remark on costs that are there: %s", said)
	}
}

func (c costly) checkSteps(t *testing.T, steps []benchv1alpha1.StepResult) {
	t.Helper()
	for _, step := range steps {
		if *step.OperationsPerSecond != 100 || *step.CostPerMillionOperationsMicros != c.perMillion ||
			*step.CostPerMonthAtRateMicros != c.month {
			t.Errorf("step %s: %d operations a second cost %d a million and %d a month", step.Name,
				*step.OperationsPerSecond, *step.CostPerMillionOperationsMicros, *step.CostPerMonthAtRateMicros)
		}
	}
}

func TestARunWithAPriceListHasCosts(t *testing.T) {
	t.Parallel()
	// The node costs 0.36 an hour, and 1 GiB at 7.3 a month costs 0.01. Two load pods did 500 operations each in 10 s,
	// which makes 360,000 an hour, and a month has 730 hours.
	for name, tc := range map[string]costly{
		"of a member that has its node alone": {nil, 360_000_000, 1_027_778, 270_100_000},
		"of a member that shares it":          {[]string{"other"}, 180_000_000, 527_778, 138_700_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.check(t)
		})
	}
}

func TestARunWithoutAPriceListHasNoCosts(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.priceList(invented) // Which nobody asked for.
	found := p.measurePriced()
	noted := found.Status.Fingerprint
	if found.Status.Result.Cost != nil || noted.Currency != "" || noted.PriceListHash != "" {
		t.Errorf("costs %+v, fingerprint %+v", found.Status.Result.Cost, noted)
	}
	for _, step := range found.Status.Result.Steps {
		if step.CostPerMillionOperationsMicros != nil || step.CostPerMonthAtRateMicros != nil {
			t.Errorf("step %s has costs", step.Name)
		}
	}
}

// lacking is a price list that does not say all, and what is told of it.
type lacking struct {
	text string
	// accepted is told before anything is measured, and trusted with the result.
	accepted, trusted string
}

func (l lacking) check(t *testing.T) {
	t.Helper()
	p := newPlay(t, withPrices)
	if l.text != "" {
		p.priceList(l.text)
	}
	p.settle()
	p.want(benchv1alpha1.RunAccepted, "True Valid")
	said := p.message(benchv1alpha1.RunAccepted)
	if !strings.Contains(said, l.accepted) || (l.accepted != "") != strings.Contains(said, "costs") {
		t.Errorf("Accepted says %q, want %q", said, l.accepted)
	}
	found := p.measurePriced()
	said = p.message(benchv1alpha1.RunTrusted)
	if !strings.Contains(said, "costs are missing: ") || !strings.Contains(said, l.trusted) {
		t.Errorf("Trusted says %q, want %q", said, l.trusted)
	}
	if found.Status.Result.Cost != nil || found.Status.Result.Steps[0].CostPerMillionOperationsMicros != nil {
		t.Errorf("there is a cost: %+v", found.Status.Result)
	}
}

func TestWhatAPriceListLacksIsTold(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]lacking{
		"a list that is not there": {"", "ConfigMap prices does not exist", "ConfigMap prices does not exist"},
		"a list that makes no sense": {
			strings.ReplaceAll(invented, `"0.36"`, "0.36"), "a decimal number in quotes", "a decimal number in quotes",
		},
		"a node that has no price": {
			strings.ReplaceAll(invented, "m7g.large", "other"), "",
			`price list prices: no price for node type "m7g.large", nor per CPU and GiB`,
		},
		"a volume that has none": {
			strings.ReplaceAll(invented, "gold", "silver"), "", `price list prices: no price for storage class "gold"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.check(t)
		})
	}
}

func TestAPriceListThatComesLaterCounts(t *testing.T) {
	t.Parallel()
	p := newPlay(t, withPrices)
	p.settle()
	if said := p.message(benchv1alpha1.RunAccepted); !strings.Contains(said, "does not exist") {
		t.Errorf("Accepted says %q", said)
	}
	p.priceList(invented)
	found := p.measurePriced()
	if said := p.message(benchv1alpha1.RunAccepted); said != "every check was passed" {
		t.Errorf("Accepted says %q of a list that is there by now", said)
	}
	if found.Status.Result.Cost == nil {
		t.Errorf("there is no cost: %s", p.message(benchv1alpha1.RunTrusted))
	}
}

// TestCostsOfALoadPodsOwnCountForNothing has load pod 0 tell what only the operator knows.
func TestCostsOfALoadPodsOwnCountForNothing(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.toCollecting()
	p.collectAsked()
	p.patch("r-collected", func(answer *corev1.ConfigMap) {
		told := answer.Data[reportv1alpha1.CollectedKey]
		forged := strings.ReplaceAll(told, `"durationMillis":10000`,
			`"cost":{"currency":"EUR","perMillionOperationsMicros":1,"perMonthAtRateMicros":1},"durationMillis":10000`)
		if forged == told {
			t.Fatal("there is no step to forge a cost of")
		}
		answer.Data[reportv1alpha1.CollectedKey] = forged
	})
	p.settle()
	p.want(benchv1alpha1.RunSucceeded, "True Completed")
	for _, step := range p.run().Status.Result.Steps {
		if step.CostPerMillionOperationsMicros != nil {
			t.Errorf("step %s has a cost that its load pod made up", step.Name)
		}
	}
}
