package dashboards

// schemaVersion is that of Grafana 11; later ones bring it up to date when they load it.
const schemaVersion = 39

// Dashboard is a dashboard as Grafana reads it, with the fields that are used here.
type Dashboard struct {
	// UID is its address, /d/<uid>.
	UID           string   `json:"uid"`
	Title         string   `json:"title"`
	Description   string   `json:"description"`
	Tags          []string `json:"tags"`
	SchemaVersion int      `json:"schemaVersion"`
	Editable      bool     `json:"editable"`
	GraphTooltip  int      `json:"graphTooltip"`
	Refresh       string   `json:"refresh"`
	Timezone      string   `json:"timezone"`
	// Time is the time that is shown at first.
	Time        map[string]string `json:"time"`
	Links       []Link            `json:"links"`
	Templating  Variables         `json:"templating"`
	Annotations Annotations       `json:"annotations"`
	Panels      []Panel           `json:"panels"`
}

// Link leads to other dashboards.
type Link struct {
	Title       string   `json:"title"`
	Type        string   `json:"type"`
	Icon        string   `json:"icon"`
	Tooltip     string   `json:"tooltip"`
	Tags        []string `json:"tags"`
	AsDropdown  bool     `json:"asDropdown"`
	IncludeVars bool     `json:"includeVars"`
	KeepTime    bool     `json:"keepTime"`
	TargetBlank bool     `json:"targetBlank"`
}

// Variables are what the reader chooses at the top.
type Variables struct {
	List []Variable `json:"list"`
}

// Variable is one of them.
type Variable struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Label string `json:"label"`
	// Query is the kind of a data source, or a query with its refId.
	Query      any         `json:"query"`
	Definition string      `json:"definition,omitempty"`
	Datasource *Datasource `json:"datasource,omitempty"`
	Refresh    int         `json:"refresh"`
	Sort       int         `json:"sort"`
	Multi      bool        `json:"multi"`
	IncludeAll bool        `json:"includeAll"`
	AllValue   string      `json:"allValue,omitempty"`
}

// Datasource is where the answers come from.
type Datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

// Annotations are marks over the time lines.
type Annotations struct {
	List []Annotation `json:"list"`
}

// Annotation marks when something happened.
type Annotation struct {
	Name        string     `json:"name"`
	Datasource  Datasource `json:"datasource"`
	Enable      bool       `json:"enable"`
	IconColor   string     `json:"iconColor"`
	Expr        string     `json:"expr"`
	TitleFormat string     `json:"titleFormat"`
	// UseValueForTime takes the value, in milliseconds, for the time.
	UseValueForTime string `json:"useValueForTime"`
}

// Panel is a figure, or the heading of a row.
type Panel struct {
	ID          int            `json:"id"`
	Type        string         `json:"type"`
	Title       string         `json:"title"`
	Description string         `json:"description,omitempty"`
	Collapsed   *bool          `json:"collapsed,omitempty"`
	Datasource  *Datasource    `json:"datasource,omitempty"`
	GridPos     Place          `json:"gridPos"`
	Targets     []Target       `json:"targets,omitempty"`
	FieldConfig *FieldConfig   `json:"fieldConfig,omitempty"`
	Options     map[string]any `json:"options,omitempty"`
	// Transformations change what the queries answered before it is shown.
	Transformations []map[string]any `json:"transformations,omitempty"`
	// Panels of a row that is folded; an open one has none, since its panels follow it. Nil: it is no row.
	Panels []Panel `json:"panels,omitzero"`
}

// Place is where a panel lies on a grid of 24 columns.
type Place struct {
	H int `json:"h"`
	W int `json:"w"`
	X int `json:"x"`
	Y int `json:"y"`
}

// Target is a query of a panel: for now, or over the time that is shown.
type Target struct {
	RefID        string     `json:"refId"`
	Datasource   Datasource `json:"datasource"`
	Expr         string     `json:"expr"`
	LegendFormat string     `json:"legendFormat,omitempty"`
	Format       string     `json:"format"`
	Instant      bool       `json:"instant"`
	Range        bool       `json:"range"`
}

// FieldConfig says how values are written.
type FieldConfig struct {
	Defaults  Field      `json:"defaults"`
	Overrides []Override `json:"overrides"`
}

// Field is how a value is written.
type Field struct {
	Unit       string         `json:"unit"`
	Min        *float64       `json:"min,omitempty"`
	NoValue    string         `json:"noValue,omitempty"`
	Color      map[string]any `json:"color,omitempty"`
	Thresholds map[string]any `json:"thresholds,omitempty"`
	Mappings   []Mapping      `json:"mappings,omitempty"`
	Custom     map[string]any `json:"custom,omitempty"`
}

// Mapping writes words for values.
type Mapping struct {
	Type    string          `json:"type"`
	Options map[string]Word `json:"options"`
}

// Word is what is written for a value.
type Word struct {
	Text  string `json:"text"`
	Color string `json:"color"`
	Index int    `json:"index"`
}

// Override is how the values of one column are written.
type Override struct {
	// Matcher finds the column.
	Matcher    map[string]string `json:"matcher"`
	Properties []Property        `json:"properties"`
}

// Property is one setting of an Override.
type Property struct {
	ID    string `json:"id"`
	Value any    `json:"value"`
}
