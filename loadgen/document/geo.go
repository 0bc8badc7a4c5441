package document

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"go.mongodb.org/mongo-driver/v2/bson"

	planv1 "github.com/mongobench/mongobench-operator/api/plan/v1alpha1"
	"github.com/mongobench/mongobench-operator/loadgen/stream"
)

const (
	// degree is one in the units that angles are counted in: whole numbers are the same on every processor.
	degree = 10_000_000
	// metersPerDegree is the length of a degree of latitude.
	metersPerDegree = 111_320
	// maxClusters is the largest number of clusters, as the run's API says.
	maxClusters = 10_000
)

// geoMaker makes GeoJSON points.
type geoMaker struct {
	source    source
	longitude axis
	latitude  axis
	// clusters is empty for points that are spread evenly.
	clusters []cluster
}

// axis is the range of one of the two angles.
type axis struct{ min, max int64 }

// cluster is a place that points gather around, and how far from it they may lie on each axis.
type cluster struct{ longitude, latitude, east, north int64 }

func geoPoint(c compiler, v planv1.Value) (maker, error) {
	if v.Geo == nil {
		return nil, errors.New("a GeoPoint needs a box")
	}
	g := *v.Geo
	east, north := axis{g.West, g.East}, axis{g.South, g.North}
	if !east.within(180*degree) || !north.within(90*degree) {
		return nil, fmt.Errorf("from %d to %d east and %d to %d north is no box", g.West, g.East, g.South, g.North)
	}
	if g.Clusters < 0 || g.Clusters > maxClusters || g.Clusters > 0 && (g.RadiusMeters < 1 || g.RadiusMeters > 1_000_000) {
		return nil, fmt.Errorf("%d clusters of %d meters are not possible", g.Clusters, g.RadiusMeters)
	}
	src, err := c.source(v, uint64(max(g.Clusters, 1)))
	m := &geoMaker{source: src, longitude: east, latitude: north}
	places := stream.New(c.seed+int64(v.Seed), c.label+"\x00clusters")
	for i := range g.Clusters {
		p := places.At(i)
		place := cluster{longitude: m.longitude.even(p.Value(1)), latitude: m.latitude.even(p.Value(2))}
		place.north = g.RadiusMeters * degree / metersPerDegree
		place.east = min(place.north*1000/cosine(place.latitude), 180*degree)
		m.clusters = append(m.clusters, place)
	}
	return m, err
}

// cosine of a latitude in thousandths, at least 20, as Bhaskara I approximated it in the seventh century: right to two
// thousandths, and in whole numbers.
func cosine(latitude int64) int64 {
	const hundredth = degree / 100
	square := (latitude / hundredth) * (latitude / hundredth) // In ten-thousandths of a square degree.
	return max(20, 1000*(4*81_000_000-4*square)/(4*81_000_000+square))
}

// within is whether the axis is a range of angles no farther than the limit from 0.
func (a axis) within(limit int64) bool {
	return -limit <= a.min && a.min <= a.max && a.max <= limit
}

// even is an angle that is as likely as any other of the axis.
func (a axis) even(random uint64) int64 {
	offset, _ := bits.Mul64(random, uint64(a.max-a.min+1))
	return a.min + int64(offset)
}

// around is an angle no farther from the center than the radius, drawn as the sum of four: nearer is likelier. What
// would lie beyond an end of the axis is turned back there.
func (a axis) around(center, radius int64, p stream.Point, index uint64) int64 {
	const half = 1 << 28
	one, two := p.Value(index), p.Value(index+1)
	sum := one&(half-1) + one>>32&(half-1) + two&(half-1) + two>>32&(half-1)
	// Up to 2^29 by 2^31.
	angle := center + (int64(sum)-2*half)*radius/(2*half)
	if angle > a.max {
		angle = 2*a.max - angle
	}
	if angle < a.min {
		angle = 2*a.min - angle
	}
	return min(max(angle, a.min), a.max)
}

// geoTemplate is a point before its coordinates are written.
var geoTemplate = func() []byte {
	point, err := bson.Marshal(bson.D{{Key: "type", Value: "Point"}, {Key: "coordinates", Value: bson.A{0.0, 0.0}}})
	if err != nil {
		panic(err) // A constant that can be encoded.
	}
	return point
}()

// Where the coordinates stand, from the end: each is followed by a header of the next or by the ends of two documents.
const (
	latitudeEnd  = 8 + 2
	longitudeEnd = latitudeEnd + 3 + 8
)

func (m *geoMaker) make(dst []byte, at place) (byte, []byte) {
	start := len(dst)
	dst = append(dst, geoTemplate...)
	m.put(dst[start:], at)
	return byte(bson.TypeEmbeddedDocument), dst
}

func (m *geoMaker) put(value []byte, at place) {
	longitude, latitude := m.draw(at)
	last := value[:len(geoTemplate)]
	binary.LittleEndian.PutUint64(last[len(last)-longitudeEnd:], math.Float64bits(float64(longitude)/degree))
	binary.LittleEndian.PutUint64(last[len(last)-latitudeEnd:], math.Float64bits(float64(latitude)/degree))
}

func (m *geoMaker) draw(at place) (longitude, latitude int64) {
	p := m.source.point(at)
	if len(m.clusters) == 0 {
		return m.longitude.even(p.Value(1)), m.latitude.even(p.Value(2))
	}
	c := &m.clusters[m.source.draw(at)]
	return m.longitude.around(c.longitude, c.east, p, 1), m.latitude.around(c.latitude, c.north, p, 3)
}

func (m *geoMaker) most() int64 { return int64(len(geoTemplate)) }
