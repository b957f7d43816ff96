import { createHash } from 'crypto';
import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { IHarvesterTarget, INamespace, IRancherTarget } from '../../core/app/target';
import { waitsForCluster } from '../../core/late/late-token';
import { SecretValue } from '../../core/late/secret-value';
import { isRecord } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { fail, parsed } from '../../core/rule/problem';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';

/** Anything that JSON holds, by key. */
export interface Fields { [key: string]: unknown }

/** A file that is written to every node of a cluster by its cloud-init user data. */
export interface NodeFile {
  /** Absolute. */
  readonly path: string;
  /** As text or, with encoding b64, in base64. May hold late values. */
  readonly content: string;
  readonly encoding?: 'b64';
  /** @default 'root:root' */
  readonly owner?: string;
  /** @default '0644' */
  readonly permissions?: string;
}

/**
 * What is known of a guest cluster before it is written: for the parts that it is composed of.
 */
export interface ClusterContext {
  /** The construct of the cluster: parts make their objects below it. */
  readonly scope: Construct;
  /** Name of the provisioning Cluster. */
  readonly name: string;
  /** Namespace of the provisioning Cluster, its machine configurations and Secrets: a Fleet workspace. */
  readonly fleetWorkspace: string;
  readonly rancher: IRancherTarget;
  readonly rancherVersion: RancherVersion;
  readonly kubernetesVersion: KubernetesVersion;
  /** The Harvester that the machines run on; custom clusters may have none. */
  readonly harvester?: IHarvesterTarget;
  readonly harvesterVersion?: HarvesterVersion;
  /** The management cluster id of that Harvester, where it is imported. May hold a late value. */
  readonly harvesterClusterId?: string;
  /** The namespace of the machines on the Harvester; custom clusters may have none. */
  readonly vmNamespace?: string;
  /** That namespace, which what is made in it waits for. */
  readonly namespace?: INamespace;
  /** Where the distribution keeps its data on a node, e.g. `/var/lib/rancher/rke2`. */
  readonly dataDirectory: string;
  /** The version of the CSI driver's chart, where one is installed: decides what its account may do. */
  readonly csiChartVersion?: string;
}

/**
 * What the parts of a guest cluster add to its spec, collected before the Cluster is written.
 */
export class ClusterParts {
  /** Values of charts that the distribution bundles, by chart: rkeConfig.chartValues. */
  public readonly chartValues: { [chart: string]: Fields } = {};
  /** rkeConfig.machineGlobalConfig. */
  public readonly globalConfig: Fields = {};
  /** The one entry of rkeConfig.machineSelectorConfig that is for all machines. */
  public readonly selectorConfig: Fields = {};
  /** Objects for the guest cluster that its control plane applies: rkeConfig.additionalManifest. */
  public readonly manifests: Fields[] = [];
  /** Files that user data writes to every node. */
  public readonly files: NodeFile[] = [];
  /** Entries of rkeConfig.machineSelectorFiles. */
  public readonly selectorFiles: Fields[] = [];
  /** What the Cluster waits for. */
  public readonly before: IConstruct[] = [];

  /** Adds values of a chart below those that are there: who came first wins, so users' own come first. */
  public addChartValues(chart: string, values: Fields): void {
    this.chartValues[chart] = mergeBelow(this.chartValues[chart] ?? {}, values);
  }

  /** Adds to a list in a configuration, e.g. `disable` or `kubelet-arg`; what is there already is not added again. */
  public addToList(config: Fields, key: string, ...items: string[]): void {
    const list = Array.isArray(config[key]) ? config[key] as unknown[] : config[key] === undefined ? [] : [config[key]];
    config[key] = [...list, ...items.filter((item) => !list.includes(item))];
  }
}

/** One thing that a guest cluster is composed of. */
export interface ClusterPart {
  /** @internal */
  _contribute(parts: ClusterParts, context: ClusterContext): void;
}

function mergeBelow(above: Fields, below: Fields): Fields {
  const merged: Fields = { ...above };
  for (const [key, value] of Object.entries(below)) {
    merged[key] = key in above ? (isRecord(above[key]) && isRecord(value) ? mergeBelow(above[key], value) : above[key]) : value;
  }
  return merged;
}

/** What a Secret or ConfigMap beside a Cluster holds; what is undefined is left out. */
export interface SecretContent {
  /** Of a Secret. */
  readonly type?: string;
  readonly data: { readonly [key: string]: string | SecretValue | undefined };
}

/** An object beside a Cluster, before it is written. */
export interface ClusterObject {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly content: SecretContent;
  readonly annotations?: { readonly [key: string]: string };
  /** What goes wrong when it goes. */
  readonly reason: string;
}

/** What Kubernetes takes, and Rancher's definition of a registry's Secrets. */
const MAX_NAME = 253;

/**
 * The name of an object that belongs to a cluster and, e.g., a registry: readable, and another one for another text.
 */
export function objectName(prefix: string, text: string): string {
  const clean = text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  const name = clean ? `${prefix}-${clean}` : prefix;
  if (/^[a-z0-9.-]+$/.test(text) && text.replace(/\./g, '-') === clean && !text.includes('-') && name.length <= MAX_NAME) { return name; }
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 6);
  return `${name.slice(0, MAX_NAME - 7).replace(/-+$/, '')}-${hash}`;
}

/** Writes a Secret or ConfigMap into the namespace of a Cluster. */
export function writeClusterObject({ scope, fleetWorkspace }: ClusterContext, id: string, object: ClusterObject): ApiObject {
  const { kind, name, content, annotations, reason } = object;
  const holder = new Construct(scope, id);
  const data = Object.fromEntries(Object.entries(content.data).flatMap(([key, value]) => (
    value === undefined ? [] : [[key, kind === 'Secret' ? base64(holder, key, value) : textOf(holder, key, value)]])));
  const written = new ApiObject(holder, 'Resource', {
    apiVersion: API_VERSIONS.CORE,
    kind,
    metadata: { name, namespace: fleetWorkspace, annotations },
    type: content.type,
    data,
  });
  note(written, { deletion: { policy: 'delete', reason } });
  return written;
}

function textOf(scope: Construct, key: string, value: string | SecretValue): string {
  return typeof value === 'string' ? value : parsed(scope, key, () => value._unwrap());
}

function base64(scope: Construct, key: string, text: string | SecretValue): string {
  if (typeof text !== 'string') { return parsed(scope, key, () => text._base64()); }
  if (waitsForCluster(text)) {
    fail(scope, [{
      path: `data[${key}]`,
      message: 'holds a late value, which would be put into base64 before it is known',
      fix: 'make the Secret yourself, with the base64 of the LateValue, and give its name',
    }]);
  }
  return Buffer.from(text).toString('base64');
}
