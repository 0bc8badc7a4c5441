// A dashboard by Grafana's own types, as far as package dashboards uses them: those of a dashboard, and for each kind of
// panel those of its options. make.sh makes a JSON schema of it.
import type * as raw from '@grafana/schema/dist/types/raw/dashboard/x/types.gen';
import type * as bargauge from '@grafana/schema/dist/types/raw/composable/bargauge/panelcfg/x/types.gen';
import type * as stat from '@grafana/schema/dist/types/raw/composable/stat/panelcfg/x/types.gen';
import type * as table from '@grafana/schema/dist/types/raw/composable/table/panelcfg/x/types.gen';
import type * as timeseries from '@grafana/schema/dist/types/raw/composable/timeseries/panelcfg/x/types.gen';

// Grafana fills in what is left out.
type Given<T> = T extends Array<infer E> ? Array<Given<E>> : T extends object ? { [K in keyof T]?: Given<T[K]> } : T;

interface Fields<Custom> extends Omit<raw.FieldConfigSource, 'defaults'> {
  defaults: Omit<raw.FieldConfig, 'custom'> & { custom?: Given<Custom> };
}

interface PanelOf<Type, Options, Custom> extends Omit<raw.Panel, 'type' | 'options' | 'fieldConfig'> {
  type: Type;
  options?: Given<Options>;
  fieldConfig?: Fields<Custom>;
}

type Panel =
  | PanelOf<'bargauge', bargauge.Options, Record<string, never>>
  | PanelOf<'stat', stat.Options, Record<string, never>>
  | PanelOf<'table', table.Options, table.FieldConfig>
  | PanelOf<'timeseries', timeseries.Options, timeseries.FieldConfig>;

// A variable that Prometheus is asked for has its query as text once more.
type Variable = raw.VariableModel & { definition?: string };

// What the plugin for Prometheus adds to an annotation.
type Annotation = raw.AnnotationQuery & { expr?: string; titleFormat?: string; useValueForTime?: string };

export interface Dashboard extends Omit<raw.Dashboard, 'panels' | 'templating' | 'annotations'> {
  annotations: { list: Annotation[] };
  templating: { list: Variable[] };
  panels: Array<Panel | raw.RowPanel>;
}
