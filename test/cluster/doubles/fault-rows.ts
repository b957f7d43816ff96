import { setTimeout as sleep } from 'node:timers/promises';
import { ApiObject } from 'cdk8s';
import { CliEnd } from './cli-process';
import { Platform } from './platform';
import { writeObjects } from './program';
import { HarvesterChart } from '../../../src/app';
import { ProxiedRequest } from '../../support/fault-proxy';

/** As many objects as a row needs: enough that some are written at the same time, and some after a failure. */
export const COUNT = 20;

/** What the rows of the fault table have in common: a program, an app and a Namespace of each row's own, on one platform. */
export class FaultRows {
  private row = 0;

  /** @param prefix of the names of apps and Namespaces */
  public constructor(public readonly platform: Platform, private readonly folder: string, private readonly prefix: string) {}

  /** Name of the app and of the Namespace of this row. */
  public get name(): string {
    return `${this.prefix}-${this.row}`;
  }

  public next(): void {
    this.platform.calm();
    this.row++;
  }

  /** A program of ConfigMaps in the Namespace of this row, on the Harvester. */
  public maps(count = COUNT, more: (dc1: HarvesterChart, namespace: string) => void = () => undefined, data = 'a'): string {
    return writeObjects(this.folder, this.name, (dc1) => {
      new ApiObject(dc1, 'namespace', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.name } });
      for (let n = 0; n < count; n++) { new ApiObject(dc1, `map-${n}`, this.mapOf(`map-${n}`, data)); }
      more(dc1, this.name);
    });
  }

  public mapOf(name: string, data = 'a'): { apiVersion: string; kind: string; metadata: { name: string; namespace: string }; data: object } {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: this.name }, data: { data } };
  }

  public async apply(dist: string, ...args: string[]): Promise<CliEnd> {
    return this.platform.cli('apply', dist, '--app', this.name, ...args);
  }

  /** The ConfigMaps of this row that are on the cluster. */
  public async there(): Promise<string[]> {
    const { body } = await this.platform.clients.harvester.list('v1', 'ConfigMap', this.name);
    return (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name).filter((name) => name.startsWith('map-'));
  }
}

/** Whether a request writes one of those ConfigMaps. */
export function isMap({ method, path }: ProxiedRequest): boolean {
  return method === 'PATCH' && /configmaps\/map-/.test(path);
}

/** Waits for something that comes soon. */
export async function until(done: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!done()) {
    if (Date.now() > deadline) { throw new Error('waited 30 s in vain'); }
    await sleep(20);
  }
}

/** Waits until a process has said some words. */
export async function said(cli: { readonly said: string }, words: RegExp): Promise<void> {
  await until(() => words.test(cli.said));
}
