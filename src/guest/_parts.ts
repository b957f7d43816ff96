import { Construct, IConstruct } from 'constructs';
import { isRecord } from '../model/manifest';
import { INamespace } from '../model/namespace';
import { IHarvesterTarget, IRancherTarget } from '../model/target';
import { HarvesterVersion, KubernetesVersion, RancherVersion } from '../versions';

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
  readonly clusterNamespace: string;
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
