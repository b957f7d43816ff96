import { App, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import * as library from '../../src';
import { OutputLayout } from '../../src/core/output/assembly';
import { resolveEdges } from '../../src/core/program/edges';
import { outputFiles } from '../../src/core/synthesis/assembly-writer';
import { collect } from '../../src/core/synthesis/collect';

/** Versions of the products that a program is for. */
export interface Versions {
  readonly rancher: string;
  readonly harvester: string;
  /** Of guest clusters. */
  readonly kubernetes: 'rke2' | 'k3s';
}

/**
 * A program to be: charts of each kind, and what values need that are objects of their own, each
 * made when it is first asked for.
 */
export class Place {
  public readonly app: library.HarvesterApp;
  private readonly results: unknown[] = [];
  private readonly made = new Map<string, unknown>();

  constructor(
    public readonly versions: Versions,
    app?: library.HarvesterApp,
    private readonly prefix = '',
  ) {
    this.app = app ?? new library.HarvesterApp({ outdir: '/nonexistent', printWarnings: false });
  }

  public get rancher(): library.RancherChart {
    const { rancher: version } = this.versions;
    return this.once(
      'rancher',
      (id) =>
        new library.RancherChart(this.app, `${this.prefix}${id}`, {
          version,
          serverUrl: 'https://rancher.example.com',
        }),
    );
  }

  public get dc1(): library.HarvesterChart {
    return this.harvesterChart('dc1', '10.10.0.10');
  }

  /** A place of the same program with other clusters. */
  public get elsewhere(): Place {
    return this.once('elsewhere', () => new Place(this.versions, this.app, 'other-'));
  }

  /** Another Harvester, for values that are to differ. */
  public get dc2(): library.HarvesterChart {
    return this.harvesterChart('dc2', '10.20.0.10');
  }

  public get guest(): library.GuestChart {
    return this.once(
      'guest',
      (id) =>
        new library.GuestChart(this.app, `${this.prefix}${id}`, { version: 'v1.33.6+rke2r1' }),
    );
  }

  /** An object of its own, made the first time that it is asked for. */
  public once<T>(id: string, make: (id: string) => T): T {
    if (!this.made.has(id)) {
      this.made.set(id, make(id));
    }
    return this.made.get(id) as T;
  }

  private harvesterChart(name: string, address: string): library.HarvesterChart {
    // each Harvester of a program has an address of its own
    const vip = this.prefix === '' ? address : address.replace(/^10/, '11');
    return this.once(
      name,
      (id) =>
        new library.HarvesterChart(this.app, `${this.prefix}${id}`, {
          version: this.versions.harvester,
          vip,
        }),
    );
  }

  /**
   * Keeps what a method returned, which may be for another program or for a machine: it counts as
   * output.
   */
  public keep(result: unknown): void {
    if (typeof result !== 'object' || result === null || Construct.isConstruct(result)) {
      return;
    }
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(result)).filter(
      (name) => name !== 'constructor' && !name.startsWith('_'),
    );
    this.results.push([
      result,
      ...names.map((name) => (result as { [key: string]: unknown })[name]),
    ]);
  }

  /** All bytes of the output, the assembly included. */
  public output(): string {
    // without the rules: what they refuse is none of this
    const program = collect(this.app as unknown as App);
    const edges = resolveEdges(program);
    const objects = program.objects.map((declared) => ({ declared, finished: declared }));
    const content = { program, objects, edges, incomplete: new Map(), findings: [], removals: [] };
    return JSON.stringify([...this.results, ...outputFiles(content, OutputLayout.FILE_PER_KIND)]);
  }
}

/** Where constructs of a folder of the sources belong; a class may override it. */
export function scopeOf(place: Place, folder: string, name: string): Construct | Chart {
  if (name.endsWith('Chart')) {
    return place.app;
  }
  if (IN_GUESTS.includes(name)) {
    return place.guest;
  }
  return folder === 'harvester' ? place.dc1 : place.rancher;
}

const IN_GUESTS = [
  'GuestNamespace',
  'GuestStorageClass',
  'GuestVolumeSnapshotClass',
  'HarvesterLoadBalancer',
  'HelmChartAddon',
  'HelmChartConfig',
  'IngressLoadBalancer',
];
