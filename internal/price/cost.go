package price

import (
	"fmt"
	"math/big"
	"slices"

	reportv1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/capacity"
)

// HoursPerMonth is how long a month is for all that is paid by the month: a twelfth of 365 days.
const HoursPerMonth = 730

const gibibyte = int64(1) << 30

// Member is a server of a target: what it ran on.
type Member struct {
	Name string
	// NodeType and Region are those of its node; empty where they are not known.
	NodeType, Region string
	// Alone says that nothing else was on the node that is known to the operator.
	Alone bool
	// Asks is what is set aside for it, and Node what its node has for pods.
	Asks, Node capacity.Amount
	// Volumes that were made for it.
	Volumes []Volume
}

// Volume is one that is paid for.
type Volume struct {
	Name string
	// Class, and Bytes that were set aside; empty and 0 where they are not known.
	Class string
	Bytes int64
}

// Of is what members cost by an hour. What the list lacks for that is told in words; then there is no cost.
func (l List) Of(members []Member) (*reportv1.Cost, []string) {
	bill := bill{list: l, compute: new(big.Rat), storage: new(big.Rat)}
	for _, member := range members {
		bill.addNode(member)
		for _, volume := range member.Volumes {
			bill.addVolume(volume)
		}
	}
	compute, fits := rounded(bill.compute)
	storage, both := rounded(bill.storage)
	if !fits || !both {
		bill.lack("the prices come to more than can be told")
	}
	if len(members) == 0 {
		bill.lack("no member of the target is known, as of one that the operator did not deploy")
	}
	if len(bill.lacks) > 0 {
		return nil, bill.lacks
	}
	cost := &reportv1.Cost{
		Currency: l.Currency, ListHash: l.Hash(), Source: l.Source, ValidFrom: l.ValidFrom,
		ComputeNanosPerHour: compute, StorageNanosPerHour: storage,
	}
	if l.Network != nil {
		cost.NetworkInNanosPerGibibyte = new(int64(*l.Network.InPerGibibyte))
		cost.NetworkOutNanosPerGibibyte = new(int64(*l.Network.OutPerGibibyte))
	}
	return cost, nil
}

// bill adds up what an hour costs.
type bill struct {
	list             List
	compute, storage *big.Rat
	// lacks is what the list lacks, each once.
	lacks []string
}

func (b *bill) lack(format string, values ...any) {
	if said := fmt.Sprintf(format, values...); !slices.Contains(b.lacks, said) {
		b.lacks = append(b.lacks, said)
	}
}

// addNode adds what a member pays for its node, as the package's comment says.
func (b *bill) addNode(member Member) {
	whole, shared := b.list.node(member.NodeType, member.Region), b.list.shared(member.Region)
	asksNothing := member.Asks.CPUMillis <= 0 || member.Asks.MemoryBytes <= 0
	switch {
	case member.NodeType == "":
		// Not even the region is known, which prices may depend on.
		b.lack("the type of the node of member %.63s is not known", member.Name)
	case whole != nil && member.Alone:
		b.compute.Add(b.compute, whole.times(big.NewRat(1, 1)))
	case whole == nil && shared == nil:
		b.lack("no price for node type %.253q%s, nor per CPU and GiB", member.NodeType, in(member.Region))
	case asksNothing:
		b.lack("member %.63s does not have its node alone, or that has no price, and it asks for no CPU or no memory",
			member.Name)
	case whole == nil:
		b.compute.Add(b.compute, shared.PerCPUHour.times(big.NewRat(member.Asks.CPUMillis, 1000)))
		b.compute.Add(b.compute, shared.PerGibibyteHour.times(big.NewRat(member.Asks.MemoryBytes, gibibyte)))
	case member.Node.CPUMillis <= 0 || member.Node.MemoryBytes <= 0:
		b.lack("how much CPU and memory the node of member %.63s has is not known", member.Name)
	default:
		b.compute.Add(b.compute, whole.times(share(member)))
	}
}

// share is the part of its node that a member asks for: of CPU or memory, whichever is more, and never more than all.
func share(member Member) *big.Rat {
	most := big.NewRat(member.Asks.CPUMillis, member.Node.CPUMillis)
	if memory := big.NewRat(member.Asks.MemoryBytes, member.Node.MemoryBytes); memory.Cmp(most) > 0 {
		most = memory
	}
	if whole := big.NewRat(1, 1); most.Cmp(whole) > 0 {
		return whole
	}
	return most
}

// in names a region.
func in(region string) string {
	if region == "" {
		return ""
	}
	return fmt.Sprintf(" in region %.63q", region)
}

func (b *bill) addVolume(volume Volume) {
	price := b.list.storage(volume.Class)
	switch {
	case volume.Class == "" || volume.Bytes <= 0:
		b.lack("the class or the size of volume %.253s is not known", volume.Name)
	case price == nil:
		b.lack("no price for storage class %.253q", volume.Class)
	case price.PerMillionOperations != nil && *price.PerMillionOperations > 0:
		b.lack("storage class %.253q has a price for operations, and how many its volumes did was not counted", volume.Class)
	default:
		size := big.NewRat(volume.Bytes, gibibyte)
		b.storage.Add(b.storage, price.PerGibibyteMonth.times(size.Quo(size, big.NewRat(HoursPerMonth, 1))))
	}
}

// OfStep is what a step comes to at what its target costs; nil where nothing is known of the cost.
func OfStep(cost *reportv1.Cost, step *reportv1.StepSummary) *reportv1.StepCost {
	if cost == nil || cost.ComputeNanosPerHour < 0 || cost.StorageNanosPerHour < 0 {
		return nil
	}
	operations, millis := rateOf(step)
	perOperation, known := networkOf(cost, step)
	if operations <= 0 || millis <= 0 || !known {
		return nil
	}
	// All in billionths of the currency: what an hour costs, and how many operations one has.
	hour := new(big.Rat).SetInt(new(big.Int).Add(big.NewInt(cost.ComputeNanosPerHour),
		big.NewInt(cost.StorageNanosPerHour)))
	rate := big.NewRat(operations, millis)
	rate.Mul(rate, big.NewRat(1000*3600, 1))

	operation := new(big.Rat).Quo(hour, rate)
	operation.Add(operation, perOperation)
	month := rate.Mul(rate, perOperation)
	month.Add(month, hour).Mul(month, big.NewRat(HoursPerMonth, 1))

	perMillion, fits := rounded(operation.Mul(operation, big.NewRat(1_000_000, 1000)))
	perMonth, both := rounded(month.Quo(month, big.NewRat(1000, 1)))
	if !fits || !both {
		return nil
	}
	return &reportv1.StepCost{
		Currency: cost.Currency, PerMillionOperationsMicros: perMillion, PerMonthAtRateMicros: perMonth,
	}
}

// rateOf is the throughput of a step as operations within a time. The summary's own is rounded to a whole number: the
// counts are taken where they come to the same, which they do not where unacknowledged writes were waited for.
func rateOf(step *reportv1.StepSummary) (operations, millis int64) {
	all := &step.Overall
	counted := all.Count - all.Stragglers + all.CarriedOver
	// Within half an operation a second, and one for what was rounded operation by operation.
	apart := new(big.Int).Mul(big.NewInt(counted), big.NewInt(1000))
	apart.Sub(apart, new(big.Int).Mul(big.NewInt(all.OperationsPerSecond), big.NewInt(step.DurationMillis)))
	if apart.Abs(apart).Cmp(big.NewInt(step.DurationMillis)) > 0 {
		return all.OperationsPerSecond, 1000
	}
	return counted, step.DurationMillis
}

// networkOf is what the connections cost by the operation that succeeded, in billionths; false when that has a price
// and is not known.
func networkOf(cost *reportv1.Cost, step *reportv1.StepSummary) (*big.Rat, bool) {
	in, out := cost.NetworkInNanosPerGibibyte, cost.NetworkOutNanosPerGibibyte
	if in == nil || out == nil {
		return new(big.Rat), true
	}
	if step.BytesIn <= 0 || step.BytesOut <= 0 || step.Overall.Count <= 0 || *in < 0 || *out < 0 {
		return new(big.Rat), *in == 0 && *out == 0
	}
	// What comes in at the load pods went out of the target.
	all := new(big.Int).Mul(big.NewInt(step.BytesIn), big.NewInt(*out))
	all.Add(all, new(big.Int).Mul(big.NewInt(step.BytesOut), big.NewInt(*in)))
	network := new(big.Rat).SetInt(all)
	each := new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(step.Overall.Count), big.NewInt(gibibyte)))
	return network.Quo(network, each), true
}
