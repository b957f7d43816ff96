import { createHash } from 'crypto';
import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { note } from '../../core/construct/object-notes';
import { IHarvesterTarget, INamespace, IRancherTarget, know } from '../../core/construct/target';
import { waitsForCluster } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, fail, parsed } from '../../core/problem/problem';
import { SecretValue } from '../../core/value/secret-value';
import { HarvesterVersion } from '../../harvester/version/harvester-version';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { MachineFacts } from '../cluster/cluster-reader.facts';
import { KubernetesVersion } from '../kubernetes/kubernetes-version';

/** A JSON object. */
export interface ClusterFields {
  [key: string]: unknown;
}

/** A file that the cloud-init user data writes to every node of a cluster. */
export interface NodeFile {
  /** The absolute path. */
  readonly path: string;
  /** The content as text or, with encoding b64, in base64. May contain late values. */
  readonly content: string;
  readonly encoding?: 'b64';
  /** @default 'root:root' */
  readonly owner?: string;
  /** @default '0644' */
  readonly permissions?: string;
}

/** What the parts of a guest cluster need to know of it before its manifests are written. */
export interface ClusterContext {
  /** The construct of the cluster, in which parts create their objects. */
  readonly scope: Construct;
  /** The name of the provisioning Cluster. */
  readonly name: string;
  /**
   * The namespace of the provisioning Cluster, its machine configurations and Secrets: a Fleet
   * workspace.
   */
  readonly fleetWorkspace: string;
  readonly rancher: IRancherTarget;
  readonly rancherVersion: RancherVersion;
  readonly kubernetesVersion: KubernetesVersion;
  /**
   * The Harvester cluster that the machines run on; undefined for custom clusters that run
   * elsewhere.
   */
  readonly harvester?: IHarvesterTarget;
  readonly harvesterVersion?: HarvesterVersion;
  /**
   * The management cluster ID of that Harvester cluster, if it is imported. May contain a late
   * value.
   */
  readonly harvesterClusterId?: string;
  /**
   * The namespace of the machines on Harvester; undefined for custom clusters that run elsewhere.
   */
  readonly vmNamespace?: string;
  /** The construct of that namespace, which objects in it wait for. */
  readonly namespace?: INamespace;
  /** What is known of the machines; undefined for custom clusters. */
  readonly machines?: MachineFacts;
  /** The data directory of the distribution on a node, e.g. `/var/lib/rancher/rke2`. */
  readonly dataDirectory: string;
  /**
   * The version of the CSI driver's chart, if one is installed, which determines the permissions of
   * its account.
   */
  readonly csiChartVersion?: string;
}

/**
 * The additions of the parts of a guest cluster to its spec, collected before the Cluster is
 * written.
 */
export class ClusterParts {
  /** Values of the bundled charts, by chart: `rkeConfig.chartValues`. */
  public readonly chartValues: { [chart: string]: ClusterFields } = {};
  /** The field `rkeConfig.machineGlobalConfig`. */
  public readonly globalConfig: ClusterFields = {};
  /** The entry of `rkeConfig.machineSelectorConfig` for all machines. */
  public readonly selectorConfig: ClusterFields = {};
  /**
   * Objects that the control plane of the guest cluster applies: `rkeConfig.additionalManifest`.
   */
  public readonly manifests: ClusterFields[] = [];
  /** Files that user data writes to every node. */
  public readonly files: NodeFile[] = [];
  /** Entries of `rkeConfig.machineSelectorFiles`. */
  public readonly selectorFiles: ClusterFields[] = [];
  /** The constructs that the Cluster waits for. */
  public readonly before: IConstruct[] = [];
  /** The values of the cloud provider's chart that depend on the machines. */
  public cures?: { readonly of: (machines: MachineFacts) => readonly ClusterFields[] };

  /** Adds values of a chart. Existing values win, so add those of the user first. */
  public addChartValues(chart: string, values: ClusterFields): void {
    this.chartValues[chart] = mergedValues(this.chartValues[chart] ?? {}, values);
  }

  /**
   * Adds items to a list in a configuration, e.g. `disable` or `kubelet-arg`, unless the list
   * contains them.
   */
  public addToList(config: ClusterFields, key: string, ...items: string[]): void {
    const list = asList(config[key]);
    config[key] = [...list, ...items.filter((item) => !list.includes(item))];
  }
}

/** A value that may be a list or one item, as a list. */
function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  return value === undefined ? [] : [value];
}

/** Values of a chart, of which those above win. */
export function mergedValues(above: ClusterFields, below: ClusterFields): ClusterFields {
  const merged: ClusterFields = { ...above };
  for (const [key, value] of Object.entries(below)) {
    merged[key] = key in above ? mergedValue(above[key], value) : value;
  }
  return merged;
}

function mergedValue(above: unknown, below: unknown): unknown {
  return isRecord(above) && isRecord(below) ? mergedValues(above, below) : above;
}

/** Checks that a credential is on the Rancher of the cluster. */
export function* checkRancherOf(
  path: string,
  credential: (IConstruct & { readonly rancher: IRancherTarget }) | undefined,
  rancher: IRancherTarget,
): Iterable<Problem> {
  if (!credential || credential.rancher === rancher) {
    return;
  }
  yield {
    path,
    value: credential.node.path,
    message: `must be a credential of ${rancher.targetName}, the Rancher of the cluster: it is one of ${credential.rancher.targetName}`,
    fix: "create it in the chart of the cluster's Rancher",
  };
}

/** The content of a Secret or ConfigMap in the namespace of a Cluster, without undefined values. */
export interface SecretContent {
  /** The type of a Secret. */
  readonly type?: string;
  readonly data: { readonly [key: string]: string | SecretValue | undefined };
}

/** A Secret or ConfigMap in the namespace of a Cluster. */
interface ClusterObject {
  readonly kind: 'Secret' | 'ConfigMap';
  /** What it contains, or the name of one that exists. */
  readonly content: SecretContent | string;
  /** The name of a new one. */
  readonly nameOf: () => string;
  readonly annotations?: { readonly [key: string]: string };
  /** What deleting it means, by its name in the description of the kind. @default node-plan */
  readonly deletion?: string;
}

/** The limit of Kubernetes, and of Rancher's definition for the Secrets of a registry. */
const MAX_NAME = 253;

/**
 * A readable name for an object that belongs to a cluster and, e.g., a registry, which differs for
 * each text.
 */
export function clusterObjectName(prefix: string, text: string): string {
  const clean = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const name = clean ? `${prefix}-${clean}` : prefix;
  if (
    /^[a-z0-9.-]+$/.test(text) &&
    text.replace(/\./g, '-') === clean &&
    !text.includes('-') &&
    name.length <= MAX_NAME
  ) {
    return name;
  }
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 6);
  return `${name.slice(0, MAX_NAME - 7).replace(/-+$/, '')}-${hash}`;
}

/**
 * The name of a Secret or ConfigMap in the namespace of a Cluster: of one that exists, or of a new
 * one, for which the Cluster waits.
 */
export function clusterObject(
  {
    scope,
    fleetWorkspace: namespace,
    rancher: target,
  }: Pick<ClusterContext, 'scope' | 'fleetWorkspace' | 'rancher'>,
  { kind, content, nameOf, annotations, deletion = 'node-plan' }: ClusterObject,
  before: IConstruct[],
): string {
  if (typeof content === 'string') {
    know(scope, { target, apiVersion: API_VERSIONS.CORE, kind, namespace, name: content });
    return content;
  }
  const name = nameOf();
  const holder = new Construct(scope, name);
  const data = Object.fromEntries(
    Object.entries(content.data).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, encoded(holder, key, value, kind === 'Secret')]],
    ),
  );
  const written = new ApiObject(holder, 'Resource', {
    apiVersion: API_VERSIONS.CORE,
    kind,
    metadata: { name, namespace, annotations },
    type: content.type,
    data,
  });
  note(written, { deletion });
  before.push(written);
  return name;
}

function encoded(
  scope: Construct,
  key: string,
  text: string | SecretValue,
  isSecret: boolean,
): string {
  if (typeof text !== 'string') {
    return parsed(scope, key, () => (isSecret ? text._base64() : text._unwrap()));
  }
  if (!isSecret) {
    return text;
  }
  if (waitsForCluster(text)) {
    fail(scope, [
      {
        path: `data[${key}]`,
        message: 'cannot contain a late value, which would be encoded before it is resolved',
        fix: 'create the Secret in the program, with the base64 of the LateValue, and pass its name',
      },
    ]);
  }
  return Buffer.from(text).toString('base64');
}
