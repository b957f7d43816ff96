import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiObject } from 'cdk8s';
import { ChildClock, childClock } from './child-clock';
import { CliEnd, CliProcess } from './cli-process';
import { Platform } from './platform';
import { writeObjects } from './program';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { Fault, ProxiedRequest } from '../../support/fault-proxy';

/**
 * As many objects as a row needs: enough that some are written at the same time, and some after a
 * failure.
 */
export const COUNT = 20;

/**
 * What the rows of the fault table have in common: a program, an app and a Namespace of each row's
 * own, on one platform.
 */
export class FaultRows {
  private row = 0;

  /** @param prefix of the names of apps and Namespaces */
  public constructor(
    public readonly platform: Platform,
    private readonly folder: string,
    private readonly prefix: string,
  ) {}

  /** Name of the app and of the Namespace of this row. */
  public get name(): string {
    return `${this.prefix}-${this.row}`;
  }

  public next(): void {
    this.platform.calm();
    this.row++;
  }

  /** A program of ConfigMaps in the Namespace of this row, on the Harvester. */
  public maps(
    count = COUNT,
    more: (dc1: HarvesterChart, namespace: string) => void = () => undefined,
    data = 'a',
  ): string {
    return writeObjects(this.folder, this.name, (dc1) => {
      new ApiObject(dc1, 'namespace', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: this.name },
      });
      for (let n = 0; n < count; n++) {
        new ApiObject(dc1, `map-${n}`, this.mapOf(`map-${n}`, data));
      }
      more(dc1, this.name);
    });
  }

  public mapOf(
    name: string,
    data = 'a',
  ): {
    apiVersion: string;
    kind: string;
    metadata: { name: string; namespace: string };
    data: object;
  } {
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: this.name },
      data: { data },
    };
  }

  public async apply(dist: string, ...args: string[]): Promise<CliEnd> {
    return this.platform.cli('apply', dist, '--app', this.name, ...args);
  }

  /** An apply in a process with another clock, another environment or another kubeconfig. */
  public spawn(
    { clock, env, kubeconfig }: RowOptions,
    dist: string,
    ...args: string[]
  ): CliProcess {
    return this.platform.spawnWith(
      {
        env: { ...env, ...(clock ? childClock(this.folder, clock) : {}) },
        ...(kubeconfig ? { kubeconfigFile: this.kubeconfig(kubeconfig) } : {}),
      },
      'apply',
      dist,
      '--app',
      this.name,
      ...args,
    );
  }

  /** The ConfigMaps of this row that are on the cluster. */
  public async there(): Promise<string[]> {
    const { body } = await this.platform.clients.harvester.list('v1', 'ConfigMap', this.name);
    return (body.items as { metadata: { name: string } }[])
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith('map-'));
  }

  private kubeconfig(change: (entries: KubeconfigEntries) => void): string {
    const config = JSON.parse(
      fs.readFileSync(this.platform.kubeconfigFile, 'utf8'),
    ) as NamedEntries;
    const find = (entries: NamedEntries[keyof NamedEntries]): Entry => {
      const { name: _, ...entry } = entries.find(({ name }) => name === 'dc1')!;
      return Object.values(entry)[0] as Entry;
    };
    change({ cluster: find(config.clusters), user: find(config.users) });
    const file = path.join(this.folder, `kubeconfig-${this.name}`);
    fs.writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }
}

interface Entry {
  [field: string]: unknown;
}

/** The part of a kubeconfig about Harvester, for tests to change. */
export interface KubeconfigEntries {
  readonly cluster: Entry;
  readonly user: Entry;
}

interface NamedEntries {
  readonly clusters: readonly { readonly name: string; readonly cluster: Entry }[];
  readonly users: readonly { readonly name: string; readonly user: Entry }[];
}

/** What is not as usual in the process of a row. */
export interface RowOptions {
  readonly clock?: ChildClock;
  readonly env?: NodeJS.ProcessEnv;
  readonly kubeconfig?: (entries: KubeconfigEntries) => void;
}

/** Whether a request writes one of those ConfigMaps. */
export function isMap({ method, path: at }: ProxiedRequest): boolean {
  return method === 'PATCH' && /configmaps\/map-/.test(at);
}

/** The first request for each of those ConfigMaps meets a fault. */
export function firstEach(fault: Fault): (request: ProxiedRequest) => Fault | undefined {
  const met = new Set<string>();
  return (request) => {
    const key = request.path.split('?')[0];
    if (!isMap(request) || met.has(key)) {
      return undefined;
    }
    met.add(key);
    return fault;
  };
}

/** Waits for something that comes soon, less long than a test may take. */
export async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!(await done())) {
    if (Date.now() > deadline) {
      throw new Error('waited 100 s in vain');
    }
    await sleep(20);
  }
}

/** Waits until a process has printed a text. */
export async function said(cli: { readonly said: string }, words: RegExp): Promise<void> {
  await until(() => words.test(cli.said));
}
