package dashboards

import (
	"fmt"
	"strings"
)

const (
	gridWidth = 24
	rowHeight = 1

	// Units, by Grafana's names for them.
	unitNone      = "none"
	unitShort     = "short"
	unitRate      = "ops"
	unitSeconds   = "s"
	unitBytes     = "bytes"
	unitBytesRate = "Bps"
	unitShare     = "percentunit"
	unitAgo       = "dateTimeFromNow"

	// tag is on all of them, so that each links to the others.
	tag = "mongobench"
)

// chosen is the data source that the reader chose.
var chosen = Datasource{Type: "prometheus", UID: "${datasource}"}

// All are the dashboards of the chart, by the name of their file.
func All() map[string]Dashboard {
	return map[string]Dashboard{"run": Run(), "suite": Suite(), "fleet": Fleet()}
}

// dashboard is what all have in common.
func dashboard(name, title, description string, over string) Dashboard {
	return Dashboard{
		UID: "mongobench-" + name, Title: title, Description: description, Tags: []string{tag},
		SchemaVersion: schemaVersion, Editable: true, GraphTooltip: 1, Refresh: "30s", Timezone: "browser",
		Time: map[string]string{"from": "now-" + over, "to": "now"},
		Links: []Link{{
			Title: "Mongobench", Type: "dashboards", Icon: "dashboard", Tooltip: "The other dashboards of mongobench",
			Tags: []string{tag}, AsDropdown: true, IncludeVars: true, KeepTime: true,
		}},
		Templating: Variables{List: []Variable{{
			Type: "datasource", Name: "datasource", Label: "Data source", Query: chosen.Type,
		}}},
		Annotations: Annotations{List: []Annotation{}},
	}
}

// choice adds a variable whose values are those of a label.
func (d *Dashboard) choice(name, label, selector string, several bool) {
	query := fmt.Sprintf("label_values(%s, %s)", selector, name)
	v := Variable{
		Type: "query", Name: name, Label: label, Definition: query, Datasource: &chosen,
		Query: map[string]string{"query": query, "refId": name}, Refresh: 2, Sort: 1, Multi: several, IncludeAll: several,
	}
	if several {
		v.AllValue = ".*"
	}
	d.Templating.List = append(d.Templating.List, v)
}

// row begins a row of panels and places them from left to right, in lines as high as they are themselves.
func (d *Dashboard) row(title string, panels ...Panel) {
	open := false
	x, y := 0, d.bottom()
	d.put(Panel{
		Type: "row", Title: title, Collapsed: &open, Panels: []Panel{}, GridPos: Place{H: rowHeight, W: gridWidth, Y: y},
	})
	y += rowHeight
	for _, panel := range panels {
		if x+panel.GridPos.W > gridWidth {
			x, y = 0, d.bottom()
		}
		panel.GridPos.X, panel.GridPos.Y = x, y
		x += panel.GridPos.W
		d.put(panel)
	}
}

func (d *Dashboard) put(panel Panel) {
	panel.ID = len(d.Panels) + 1
	d.Panels = append(d.Panels, panel)
}

// bottom is the first line below all panels.
func (d *Dashboard) bottom() int {
	lowest := 0
	for _, panel := range d.Panels {
		lowest = max(lowest, panel.GridPos.Y+panel.GridPos.H)
	}
	return lowest
}

// query is a query with the name that its series get.
type query struct{ expr, legend string }

// emptyPanel is a panel without queries.
func emptyPanel(kind, title, description, unit string, size Place) Panel {
	return Panel{
		Type: kind, Title: title, Description: description, Datasource: &chosen,
		GridPos:     size,
		FieldConfig: &FieldConfig{Defaults: Field{Unit: unit}, Overrides: []Override{}},
	}
}

// ask gives a panel its queries; now says that each is for the present and not over the time that is shown.
func (p Panel) ask(now bool, format string, queries []query) Panel {
	for i, q := range queries {
		p.Targets = append(p.Targets, Target{
			RefID: refID(i), Datasource: chosen, Expr: q.expr, LegendFormat: q.legend, Format: format,
			Instant: now, Range: !now,
		})
	}
	return p
}

// refID is A for the first query.
func refID(i int) string { return string(rune('A' + i)) }

// number is one figure, or one a series; words are written in place of values.
func number(title, description, unit string, words []Word, queries ...query) Panel {
	p := emptyPanel("stat", title, description, unit, Place{W: 4, H: 4}).ask(true, "time_series", queries)
	p.FieldConfig.Defaults.NoValue = "none"
	p.FieldConfig.Defaults.Color = map[string]any{"mode": "thresholds"}
	p.FieldConfig.Defaults.Thresholds = map[string]any{
		"mode": "absolute", "steps": []map[string]any{{"color": "text", "value": nil}},
	}
	textMode := "value"
	if len(words) > 0 {
		p.FieldConfig.Defaults.Mappings = []Mapping{mapping(words)}
		// The name of the series is the reason.
		textMode = "value_and_name"
	}
	p.Options = map[string]any{
		"colorMode": "value", "graphMode": "none", "textMode": textMode, "reduceOptions": lastValue(),
	}
	return p
}

// mapping writes the first word for 0, the second for 1, and the third for -1.
func mapping(words []Word) Mapping {
	options := map[string]Word{}
	for i, word := range words {
		word.Index = i
		options[[]string{"0", "1", "-1"}[i]] = word
	}
	return Mapping{Type: "value", Options: options}
}

func lastValue() map[string]any {
	return map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false}
}

// bars are one bar a series.
func bars(title, description, unit string, queries ...query) Panel {
	p := emptyPanel("bargauge", title, description, unit, Place{W: 12, H: 8}).ask(true, "time_series", queries)
	p.FieldConfig.Defaults.Min = new(float64)
	p.FieldConfig.Defaults.Color = map[string]any{"mode": "palette-classic"}
	p.Options = map[string]any{
		"orientation": "horizontal", "displayMode": "gradient", "valueMode": "color", "reduceOptions": lastValue(),
	}
	return p
}

// lines are values over time.
func lines(title, description, unit string, queries ...query) Panel {
	p := emptyPanel("timeseries", title, description, unit, Place{W: 12, H: 8}).ask(false, "time_series", queries)
	p.FieldConfig.Defaults.Color = map[string]any{"mode": "palette-classic"}
	p.FieldConfig.Defaults.Custom = map[string]any{
		"drawStyle": "line", "lineWidth": 1, "fillOpacity": 0, "showPoints": "auto", "spanNulls": false,
	}
	p.Options = map[string]any{
		"legend": map[string]any{
			"displayMode": "table", "placement": "bottom", "showLegend": true, "calcs": []string{"lastNotNull"},
		},
		"tooltip": map[string]any{"mode": "multi", "sort": "desc"},
	}
	return p
}

// column is a column of a table that a query fills.
type column struct {
	title, unit, expr string
	words             []Word
}

// table has a line for each set of labels, and a column for each of them and each query.
func table(title, description string, width int, columns ...column) Panel {
	queries := make([]query, len(columns))
	for i, c := range columns {
		queries[i] = query{expr: c.expr}
	}
	p := emptyPanel("table", title, description, unitNone, Place{W: width, H: 8}).ask(true, "table", queries)
	for i, c := range columns {
		name := "Value"
		if len(columns) > 1 {
			name += " #" + refID(i)
		}
		properties := []Property{{"displayName", c.title}, {"unit", c.unit}}
		if len(c.words) > 0 {
			properties = append(properties, Property{"mappings", []Mapping{mapping(c.words)}},
				Property{"custom.cellOptions", map[string]any{"type": "color-text"}})
		}
		p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, override(name, properties...))
	}
	if len(columns) > 1 {
		p.Transformations = append(p.Transformations, map[string]any{"id": "merge", "options": map[string]any{}})
	}
	p.Transformations = append(p.Transformations, map[string]any{
		"id": "organize", "options": map[string]any{"excludeByName": map[string]bool{"Time": true}},
	})
	p.Options = map[string]any{"showHeader": true, "cellHeight": "sm"}
	return p
}

func override(name string, properties ...Property) Override {
	return Override{Matcher: map[string]string{"id": "byName", "options": name}, Properties: properties}
}

// linked makes the values of a column lead to another dashboard, with variables set from columns.
func (p Panel) linked(column, title, board string, variables ...string) Panel {
	var address strings.Builder
	address.WriteString("/d/mongobench-" + board + "?var-datasource=${datasource}")
	for _, variable := range variables {
		fmt.Fprintf(&address, "&var-%s=${__data.fields.%s}", variable, variable)
	}
	p.FieldConfig.Overrides = append(p.FieldConfig.Overrides,
		override(column, Property{"links", []map[string]string{{"title": title, "url": address.String()}}}))
	return p
}

// sized changes the place that a panel takes.
func (p Panel) sized(width, height int) Panel {
	p.GridPos.W, p.GridPos.H = width, height
	return p
}

// last is the newest value of each series in the time that is shown, so that a run that was deleted since is still
// there; by are the labels that it is told by. Of a manager that was replaced there are the same figures twice, which
// is why the largest is taken.
func last(by, metric, selector string) string {
	return fmt.Sprintf("max by (%s) (last_over_time(%s{%s}[$__range]))", by, metric, selector)
}

// present is the same of what there is now.
func present(by, metric, selector string) string {
	return fmt.Sprintf("max by (%s) (%s{%s})", by, metric, selector)
}
