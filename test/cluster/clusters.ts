import * as fs from 'node:fs';
import * as path from 'node:path';
import { Client, Connection } from './client';
import { Assembly } from '../../src/core/output/assembly';

/** The kinds of cluster that manifests are for; the tests have one API server of each. */
export type ClusterKind = Assembly['targets'][number]['kind'];

/** What the global setup hands to the tests. */
export interface Clusters {
  /** The folder with the programs of the control plane. */
  readonly assets: string;
  readonly connections: { readonly [kind in ClusterKind]: Connection };
}

/**
 * The environment variable that names the file with the clusters; not set where this machine cannot
 * have any.
 */
export const CLUSTERS_ENV = 'CDK8S_HARVESTER_TEST_CLUSTERS';

/** `describe` for tests that need the clusters: skipped, never passed, where there are none. */
export function describeCluster(name: string, tests: () => void): void {
  (process.env[CLUSTERS_ENV] ? describe : describe.skip)(name, tests);
}

export function clusters(): Clusters {
  return JSON.parse(fs.readFileSync(process.env[CLUSTERS_ENV]!, 'utf8')) as Clusters;
}

/** The folder that the tests of a run share, and that is deleted with it. */
export function sharedFolder(): string {
  return path.dirname(process.env[CLUSTERS_ENV]!);
}

export function clientOf(kind: ClusterKind): Client {
  return new Client(clusters().connections[kind]);
}
