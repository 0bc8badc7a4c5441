package price

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
	"unicode"

	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/mongobench/mongobench-operator/internal/strictjson"
)

// Version is the apiVersion of a list.
const Version = "prices.mongobench.dev/v1alpha1"

// List is what things cost, as a price list says it. Of two entries with the same name the one with the region of a
// node counts before the one without a region.
type List struct {
	APIVersion string `json:"apiVersion"`
	// Currency of all prices: its code of three letters by ISO 4217.
	Currency string `json:"currency"`
	// Source and ValidFrom, a date, say where the prices are from.
	Source    string `json:"source,omitempty"`
	ValidFrom string `json:"validFrom,omitempty"`
	// Nodes have a price by their type.
	Nodes []Node `json:"nodes,omitempty"`
	// Shared are the prices of what a pod asks for, for nodes whose type has no price.
	Shared []Shared `json:"shared,omitempty"`
	// Storage has a price by its class.
	Storage []Storage `json:"storage,omitempty"`
	// Network is what clients pay for what goes over their connections; nil where that is not priced.
	Network *Network `json:"network,omitempty"`
}

// Node is the price of a node.
type Node struct {
	// Type is the instance type or, of nodes without one, their size as a run's fingerprint tells it.
	Type string `json:"type"`
	// Region of the node; empty for any.
	Region string `json:"region,omitempty"`
	// PerHour is the price of the whole node.
	PerHour *Money `json:"perHour"`
}

// Shared are the prices of what a pod asks for.
type Shared struct {
	Region          string `json:"region,omitempty"`
	PerCPUHour      *Money `json:"perCPUHour"`
	PerGibibyteHour *Money `json:"perGibibyteHour"`
}

// Storage is the price of volumes.
type Storage struct {
	Class string `json:"class"`
	// PerGibibyteMonth is the price of what is set aside, used or not.
	PerGibibyteMonth *Money `json:"perGibibyteMonth"`
	// PerMillionOperations is the price of reads and writes; nil where they cost nothing.
	PerMillionOperations *Money `json:"perMillionOperations,omitempty"`
}

// Network is the price of what goes between clients and the target.
type Network struct {
	// InPerGibibyte is the price of what clients send, and OutPerGibibyte that of what the target answers.
	InPerGibibyte  *Money `json:"inPerGibibyte"`
	OutPerGibibyte *Money `json:"outPerGibibyte"`
}

// MaxBytes is the most that a list may have.
const MaxBytes = 64 << 10

// bounds are more than any list has in earnest. As JSON a list is longer than as YAML.
var bounds = strictjson.Bounds{Bytes: 4 * MaxBytes, Depth: 4, Items: 500, Objects: 1600, Text: 256}

// currency is what a code of ISO 4217 looks like.
var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// Parse reads a list. What it says of one that makes no sense is short, and holds nothing that a terminal would obey.
func Parse(text string) (List, error) {
	var list List
	if len(text) > MaxBytes {
		return list, fmt.Errorf("it has %d bytes, and %d are allowed", len(text), MaxBytes)
	}
	encoded, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return list, fmt.Errorf("it is no YAML: %s", tame(err))
	}
	if err := bounds.Check(encoded); err != nil {
		return list, errors.New(tame(err))
	}
	// Unlike the standard library's reader, this one takes no perhour for perHour.
	unknown, err := json.UnmarshalStrict(encoded, &list)
	if err = errors.Join(err, errors.Join(unknown...)); err != nil {
		return List{}, errors.New(tame(err))
	}
	if err := list.check(); err != nil {
		return List{}, err
	}
	return list, nil
}

// mostSaid is the longest that an error says of a text.
const mostSaid = 200

// tame is an error's text in few characters that can be printed.
func tame(err error) string {
	said := []rune(err.Error())
	for i, r := range said {
		if !unicode.IsPrint(r) {
			said[i] = ' '
		}
	}
	return string(said[:min(len(said), mostSaid)])
}

// check says what is wrong with a list that could be read.
func (l List) check() error {
	switch {
	case l.APIVersion != Version:
		return fmt.Errorf("apiVersion is %.64q, want %q", l.APIVersion, Version)
	case !currency.MatchString(l.Currency):
		return fmt.Errorf("currency is %.16q, want a code of three capital letters, such as EUR", l.Currency)
	case len(l.Nodes)+len(l.Shared)+len(l.Storage) == 0 && l.Network == nil:
		return errors.New("there is no price in it")
	}
	if l.ValidFrom != "" {
		if _, err := time.Parse(time.DateOnly, l.ValidFrom); err != nil {
			return fmt.Errorf("validFrom is %.32q, want a date such as 2026-01-31", l.ValidFrom)
		}
	}
	for _, r := range l.Source {
		if !unicode.IsPrint(r) {
			return errors.New("source has a character that cannot be printed")
		}
	}
	return l.checkEntries()
}

// checkEntries wants each entry once, with its name and its prices.
func (l List) checkEntries() error {
	seen := entries{}
	for i, node := range l.Nodes {
		names := [3]string{"node", node.Type, node.Region}
		if err := seen.add(fmt.Sprintf("nodes[%d]", i), "type", names, node.PerHour); err != nil {
			return err
		}
	}
	for i, of := range l.Shared {
		names := [3]string{"shared", "", of.Region}
		if err := seen.add(fmt.Sprintf("shared[%d]", i), "", names, of.PerCPUHour, of.PerGibibyteHour); err != nil {
			return err
		}
	}
	for i, storage := range l.Storage {
		names := [3]string{"storage", storage.Class, ""}
		if err := seen.add(fmt.Sprintf("storage[%d]", i), "class", names, storage.PerGibibyteMonth); err != nil {
			return err
		}
	}
	if l.Network == nil {
		return nil
	}
	names := [3]string{"network", "", ""}
	return seen.add("network", "", names, l.Network.InPerGibibyte, l.Network.OutPerGibibyte)
}

// entries are those that a list has, by what they are of, and by name and region.
type entries map[[3]string]bool

// add adds the entry that is there, which has a name unless it is called by none, and all of its prices.
func (e entries) add(at, called string, names [3]string, prices ...*Money) error {
	if called != "" && names[1] == "" {
		return fmt.Errorf("%s has no %s", at, called)
	}
	if slices.Contains(prices, nil) {
		return fmt.Errorf("%s has no price, or only one of two", at)
	}
	if e[names] {
		return fmt.Errorf("%s is there before, with the same name and region", at)
	}
	e[names] = true
	return nil
}

// Hash is by what two lists are known to say the same, however they are written.
func (l List) Hash() string {
	encoded, err := strictjson.Encode(l)
	if err != nil { // Texts and amounts can always be encoded.
		return ""
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}

// node is the price of a node of a type, nil when there is none.
func (l List) node(name, region string) *Money {
	var found *Money
	for _, node := range l.Nodes {
		if node.Type == name && (node.Region == region || node.Region == "" && found == nil) {
			found = node.PerHour
		}
	}
	return found
}

// shared are the prices of what pods ask for in a region, nil when there are none.
func (l List) shared(region string) *Shared {
	var found *Shared
	for i, of := range l.Shared {
		if of.Region == region || of.Region == "" && found == nil {
			found = &l.Shared[i]
		}
	}
	return found
}

// storage is the price of a class, nil when there is none.
func (l List) storage(class string) *Storage {
	for i, storage := range l.Storage {
		if storage.Class == class {
			return &l.Storage[i]
		}
	}
	return nil
}
