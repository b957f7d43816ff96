import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { Schema } from './shape-of-schema';

/** A custom resource definition. */
export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly subresources?: { readonly status?: object };
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/** A folder of definitions, and the first version of the product that they hold for. */
export interface Source {
  readonly folder: string;
  readonly product: 'rancher' | 'harvester' | 'guest';
  /** `0.0.0` where no version of the product has other definitions that we know of. */
  readonly from: string;
}

/** In the order of their versions. */
export const SOURCES: readonly Source[] = [
  { folder: 'rancher-live-2.13.8', product: 'rancher', from: '2.13.0' },
  // the branch that becomes the version
  { folder: 'rancher', product: 'rancher', from: '2.15.0' },
  { folder: 'harvester', product: 'harvester', from: '0.0.0' },
  { folder: 'kubevirt', product: 'harvester', from: '0.0.0' },
  { folder: 'guest', product: 'guest', from: '0.0.0' },
];

/** Kinds whose first definition that we have holds for all earlier versions. */
export const UNBOUNDED: readonly string[] = [
  'management.cattle.io/v3/ClusterRegistrationToken', 'management.cattle.io/v3/Setting', 'rke-machine-config.cattle.io/v1/HarvesterConfig',
];

/** Kinds with objects that a product creates and completes: bundled add-ons and KubeVirt of a Harvester, built-in node drivers of a Rancher. */
export const PARTIAL: readonly string[] = ['harvesterhci.io/v1beta1/Addon', 'kubevirt.io/v1/KubeVirt', 'management.cattle.io/v3/NodeDriver'];

/** What a version between two sources has: the next source's shape `without` fields, or the previous one's `with` fields of the next one. */
export interface Between {
  readonly from: string;
  readonly without?: readonly string[];
  readonly with?: readonly string[];
}

/** Versions that have no source of their own. */
export const BETWEEN: { readonly [kind: string]: readonly Between[] } = {
  'provisioning.cattle.io/v1/Cluster': [
    { from: '2.12.0', without: ['spec.rkeConfig.machinePools[].autoscalingMaxSize', 'spec.rkeConfig.machinePools[].autoscalingMinSize'] },
    { from: '2.14.0', with: ['spec.rkeConfig.etcd.s3.retention', 'spec.rkeConfig.machinePools[].userdata'] },
  ],
  'management.cattle.io/v3/Project': [{
    from: '2.14.0',
    with: ['spec.resourceQuota.limit.extended', 'spec.resourceQuota.usedLimit.extended', 'spec.namespaceDefaultResourceQuota.limit.extended'],
  }],
};

/** The definitions of a source. */
export function readDefinitions(root: string, { folder }: Source): Definition[] {
  const found = folder === 'kubevirt' ? kubevirtFolder() : path.join(root, folder);
  return fs.readdirSync(found).filter((file) => /\.(ya?ml|json)$/.test(file)).sort()
    .flatMap((file) => parseAllDocuments(fs.readFileSync(path.join(found, file), 'utf8')).map((document) => document.toJS() as any))
    .flatMap((object) => (object?.kind === 'List' ? object.items : [object]))
    .filter((object) => object?.kind === 'CustomResourceDefinition');
}

/** The version of a definition that the server stores. */
export function stored({ spec }: Definition): Definition['spec']['versions'][number] {
  return spec.versions.find(({ storage }) => storage)!;
}

/** The name of a kind in the index: `<group>/<version>/<kind>`. */
export function kindOf(definition: Definition): string {
  return `${definition.spec.group}/${stored(definition).name}/${definition.spec.names.kind}`;
}

/** KubeVirt's definitions are made from its client library. */
function kubevirtFolder(): string {
  const script = path.resolve(__dirname, '..', '..', 'test', 'cluster', 'build-kubevirt.js');
  const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) { throw new Error(`build-kubevirt.js failed: ${stdout}`); }
  return stdout.trim();
}
