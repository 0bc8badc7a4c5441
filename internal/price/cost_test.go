package price_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/price"
)

const (
	gib  = int64(1) << 30
	list = head + `
nodes:
  - {type: invented.large, region: north, perHour: "0.5"}
  - {type: invented.large, perHour: "0.6"}
shared:
  - {perCPUHour: "0.04", perGibibyteHour: "0.005"}
  - {region: south, perCPUHour: "0.08", perGibibyteHour: "0.01"}
storage:
  - {class: invented-ssd, perGibibyteMonth: "0.073"}
  - {class: invented-metered, perGibibyteMonth: "0.01", perMillionOperations: "0.05"}
`
)

// member asks for 1 core and 4 GiB of a node of 4 cores and 8 GiB.
func member(nodeType, region string) price.Member {
	return price.Member{
		Name: "m-0", NodeType: nodeType, Region: region,
		Asks: capacity.Amount{CPUMillis: 1000, MemoryBytes: 4 * gib},
		Node: capacity.Amount{CPUMillis: 4000, MemoryBytes: 8 * gib},
	}
}

func with(member price.Member, change func(*price.Member)) price.Member {
	change(&member)
	return member
}

func TestWhatAMemberPays(t *testing.T) {
	for name, tc := range map[string]struct {
		member           price.Member
		compute, storage int64
	}{
		"a node that it has alone": {
			with(member("invented.large", "north"), func(m *price.Member) { m.Alone = true }), 500_000_000, 0,
		},
		"in a region that has no price of its own": {
			with(member("invented.large", "west"), func(m *price.Member) { m.Alone = true }), 600_000_000, 0,
		},
		// Half of the memory is more than a quarter of the cores.
		"a node that it shares": {member("invented.large", "north"), 250_000_000, 0},
		"a node that it fills": {
			with(member("invented.large", "north"), func(m *price.Member) { m.Asks.CPUMillis = 5000 }), 500_000_000, 0,
		},
		// 1 * 0.04 + 4 * 0.005.
		"a node without a price":           {member("unheard-of", ""), 60_000_000, 0},
		"a node without a price elsewhere": {member("unheard-of", "south"), 120_000_000, 0},
		// 10 GiB * 0.073 / 730 = 0.001.
		"a volume": {
			with(member("unheard-of", ""), func(m *price.Member) {
				m.Volumes = []price.Volume{{Name: "v", Class: "invented-ssd", Bytes: 10 * gib}}
			}), 60_000_000, 1_000_000,
		},
	} {
		t.Run(name, func(t *testing.T) {
			cost, lacks := parsed(t, list).Of([]price.Member{tc.member})
			if cost == nil || cost.ComputeNanosPerHour != tc.compute || cost.StorageNanosPerHour != tc.storage ||
				cost.Currency != "EUR" || cost.NetworkInNanosPerGibibyte != nil {
				t.Errorf("got %+v, lacking %v, want %d for nodes and %d for storage", cost, lacks, tc.compute, tc.storage)
			}
		})
	}
}

func TestWithoutAPriceThereIsNoCost(t *testing.T) {
	unshared := strings.ReplaceAll(list, "shared:", "shared: []\nunused:")
	unshared, _, _ = strings.Cut(unshared, "shared:")
	volume := func(class string, bytes int64) price.Member {
		return with(member("invented.large", ""), func(m *price.Member) {
			m.Volumes = []price.Volume{{Name: "v", Class: class, Bytes: bytes}}
		})
	}
	idle := func(m *price.Member) { m.Asks = capacity.Amount{} }
	for name, tc := range map[string]struct {
		text    string
		members []price.Member
		want    string
	}{
		"of no member":       {list, nil, "no member of the target is known"},
		"of an unknown node": {list, []price.Member{member("", "")}, "node of member m-0 is not known"},
		"of a type": {
			unshared, []price.Member{member("unheard-of", "north")}, `no price for node type "unheard-of" in region "north"`,
		},
		"of what asks for nothing": {list, []price.Member{with(member("invented.large", ""), idle)}, "asks for no CPU"},
		"of a node of unknown size": {
			list,
			[]price.Member{with(member("invented.large", ""), func(m *price.Member) { m.Node = capacity.Amount{} })},
			"how much CPU and memory the node of member m-0 has",
		},
		"of a class":            {list, []price.Member{volume("gold", gib)}, `no price for storage class "gold"`},
		"of a size":             {list, []price.Member{volume("invented-ssd", 0)}, "size of volume v is not known"},
		"of counted operations": {list, []price.Member{volume("invented-metered", gib)}, "was not counted"},
		"of more than there is": {
			head + `shared: [{perCPUHour: "999999999", perGibibyteHour: "0"}]`,
			[]price.Member{with(member("a", ""), func(m *price.Member) { m.Asks.CPUMillis = math.MaxInt64 })},
			"more than can be told",
		},
	} {
		t.Run(name, func(t *testing.T) {
			cost, lacks := parsed(t, tc.text).Of(tc.members)
			if cost != nil || len(lacks) != 1 || !strings.Contains(lacks[0], tc.want) {
				t.Errorf("got %+v, lacking %q, want %q", cost, lacks, tc.want)
			}
		})
	}
}

// TestCostsAddUp wants the cost of all members to be the sum of each one's, but for what is rounded.
func TestCostsAddUp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	prices := parsed(t, list)
	for range 500 {
		count := 1 + random.IntN(20)
		members := make([]price.Member, 0, count)
		var compute, storage int64
		for range count {
			one := member([]string{"invented.large", "unheard-of"}[random.IntN(2)],
				[]string{"", "north", "south"}[random.IntN(3)])
			one.Alone = random.IntN(2) == 0
			one.Asks = capacity.Amount{CPUMillis: 1 + random.Int64N(9999), MemoryBytes: 1 + random.Int64N(99*gib)}
			one.Volumes = []price.Volume{{Name: "v", Class: "invented-ssd", Bytes: 1 + random.Int64N(1<<50)}}
			members = append(members, one)
			cost, lacks := prices.Of([]price.Member{one})
			if cost == nil {
				t.Fatal(lacks)
			}
			compute += cost.ComputeNanosPerHour
			storage += cost.StorageNanosPerHour
		}
		cost, _ := prices.Of(members)
		slices.Reverse(members)
		reversed, _ := prices.Of(members)
		most := float64(len(members))
		if math.Abs(float64(cost.ComputeNanosPerHour-compute)) > most ||
			math.Abs(float64(cost.StorageNanosPerHour-storage)) > most || !cmp.Equal(cost, reversed) {
			t.Fatalf("%d members cost %+v, added up %d and %d, backwards %+v", len(members), cost, compute, storage, reversed)
		}
	}
}

func step(operations, perSecond, millis int64) *reportv1.StepSummary {
	return &reportv1.StepSummary{DurationMillis: millis, Overall: reportv1.OperationSummary{
		Count: operations, OperationsPerSecond: perSecond,
	}}
}

func TestWhatAStepComesTo(t *testing.T) {
	// 0.36 an hour.
	cost := reportv1.Cost{Currency: "EUR", ComputeNanosPerHour: 300_000_000, StorageNanosPerHour: 60_000_000}
	networked := cost
	networked.NetworkInNanosPerGibibyte, networked.NetworkOutNanosPerGibibyte = new(int64(0)), new(int64(10_000_000))
	traffic := step(10_000, 1000, 10_000)
	traffic.BytesIn, traffic.BytesOut = gib, gib
	for name, tc := range map[string]struct {
		cost              reportv1.Cost
		step              *reportv1.StepSummary
		perMillion, month int64
	}{
		// 3,600,000 operations cost 0.36; a month is 730 * 0.36.
		"at a thousand a second": {cost, step(10_000, 1000, 10_000), 100_000, 262_800_000},
		"at one in two seconds":  {cost, step(5, 1, 10_000), 200_000_000, 262_800_000},
		// Of writes that were waited for the counts do not tell the rate.
		"at the rate that is told": {cost, step(10_000, 100, 10_000), 1_000_000, 262_800_000},
		// A GiB for 10,000 operations at 0.01 is 1 for a million, and 2,628 for those of a month, 2,628 million.
		"with what clients received": {networked, traffic, 1_100_000, 2_890_800_000},
	} {
		t.Run(name, func(t *testing.T) {
			want := &reportv1.StepCost{
				Currency: "EUR", PerMillionOperationsMicros: tc.perMillion, PerMonthAtRateMicros: tc.month,
			}
			if diff := cmp.Diff(want, price.OfStep(&tc.cost, tc.step)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for name, found := range map[string]*reportv1.StepCost{
		"without a cost": price.OfStep(nil, step(1, 1, 1000)), "without operations": price.OfStep(&cost, step(0, 0, 1000)),
		"without a time":             price.OfStep(&cost, step(1, 0, 0)),
		"without counting a traffic": price.OfStep(&networked, step(1, 1, 1000)),
	} {
		if found != nil {
			t.Errorf("%s there is %+v", name, found)
		}
	}
}

// TestNoStepOverflows puts in what only somebody who means harm would say.
func TestNoStepOverflows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	extremes := []int64{math.MinInt64, -1, 0, 1, 1000, math.MaxInt64 - 1, math.MaxInt64}
	any64 := func() int64 { return extremes[random.IntN(len(extremes))] }
	known := 0
	for range 20_000 {
		cost := reportv1.Cost{
			ComputeNanosPerHour: any64(), StorageNanosPerHour: any64(),
			NetworkInNanosPerGibibyte: new(any64()), NetworkOutNanosPerGibibyte: new(any64()),
		}
		one := step(any64(), any64(), any64())
		one.Overall.Stragglers, one.Overall.CarriedOver, one.BytesIn, one.BytesOut = any64(), any64(), any64(), any64()
		found := price.OfStep(&cost, one)
		if found == nil {
			continue
		}
		known++
		if found.PerMillionOperationsMicros < 0 || found.PerMonthAtRateMicros < 0 {
			t.Fatalf("%+v at %+v costs %+v", one, cost, found)
		}
	}
	if known == 0 {
		t.Error("no step had a cost")
	}
}
