import { ApiObject, App, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { HarvesterApp, OutputLayout, RancherChart } from 'cdk8s-harvester';

/** A tree of objects, built the same way with stock cdk8s and with this library. */
export interface Shape {
  readonly name: string;
  readonly sizes: readonly number[];
  /**
   * The largest number of objects that stock is measured with; more would take minutes, or never
   * end.
   */
  readonly stockUpTo: number;
  fill(newChart: (id: string) => Chart, objects: number): void;
}

export const SHAPES: readonly Shape[] = [
  {
    name: 'one chart',
    sizes: [5000, 20000],
    stockUpTo: 5000,
    fill: (newChart, objects) => addObjects(newChart('all'), 0, objects),
  },
  {
    name: 'charts of 10',
    sizes: [5000, 20000],
    stockUpTo: 5000,
    fill: (newChart, objects) => {
      for (let first = 0; first < objects; first += 10) {
        addObjects(newChart(`c${first}`), first, 10);
      }
    },
  },
  {
    name: 'ten stages',
    sizes: [5000, 20000],
    // each further stage costs stock ten times as much: ten do not end
    stockUpTo: 0,
    fill: (newChart, objects) => stages(newChart, 10, objects),
  },
  {
    name: 'seven stages',
    sizes: [70],
    stockUpTo: 70,
    fill: (newChart, objects) => stages(newChart, 7, objects),
  },
];

export function stockApp(shape: Shape, objects: number, outdir: string): App {
  const app = new App({ outdir });
  shape.fill((id) => new Chart(app, id), objects);
  return app;
}

export function ourApp(
  shape: Shape,
  objects: number,
  outdir: string,
  layout: OutputLayout,
): HarvesterApp {
  const app = new HarvesterApp({ outdir, layout, printWarnings: false });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  shape.fill((id) => new Chart(rancher, id), objects);
  return app;
}

function stages(newChart: (id: string) => Chart, count: number, objects: number): void {
  let before: Chart | undefined;
  for (let stage = 0; stage < count; stage++) {
    const chart = newChart(`s${stage}`);
    addObjects(chart, stage * (objects / count), objects / count);
    if (before) {
      chart.addDependency(before);
    }
    before = chart;
  }
}

// about 25 leaves and 730 bytes of YAML, as a Deployment that people write
function addObjects(scope: Construct, first: number, count: number): void {
  for (let i = first; i < first + count; i++) {
    const labels = { app: `app-${i}`, team: 'payments' };
    new ApiObject(scope, `o${i}`, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `app-${i}`, namespace: `team-${i % 50}`, labels },
      spec: {
        replicas: 3,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: 'main',
                image: `registry.example.com/app-${i}:1.2.3`,
                ports: [{ containerPort: 8080 }],
                env: [
                  { name: 'MODE', value: 'on' },
                  { name: 'LEVEL', value: '3' },
                ],
                resources: {
                  limits: { cpu: '500m', memory: '512Mi' },
                  requests: { cpu: '100m', memory: '128Mi' },
                },
              },
            ],
          },
        },
      },
    });
  }
}
