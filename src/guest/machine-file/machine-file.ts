import { know } from '../../core/app/known-objects';
import { SecretValue } from '../../core/late/secret-value';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { checkLabelSelector } from '../../core/text/label';
import { ClusterContext, ClusterParts, Fields, SecretContent, objectName, writeClusterObject } from '../cluster/cluster-parts';
import { OBJECT_AUTHORIZED } from '../cluster/cluster.kind';
import { checkConfigValues } from '../kubernetes/kubernetes-config';

/**
 * Some machines of a cluster, by labels of their Machine objects on Rancher: `rke.cattle.io/rke-machine-pool-name` is the pool's name,
 * `rke.cattle.io/etcd-role`, `rke.cattle.io/control-plane-role` and `rke.cattle.io/worker-role` are `true` where the machine has the role.
 */
export interface MachineLabels {
  /** Labels that must be there with these values. @default - none */
  readonly matchLabels?: { readonly [key: string]: string };
  /** Further conditions. @default - none */
  readonly matchExpressions?: MachineLabelExpression[];
}

/**
 * A condition on a label of a machine.
 */
export interface MachineLabelExpression {
  /** The label. */
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  /** For `In` and `NotIn`. @default - none */
  readonly values?: string[];
}

/**
 * Configuration of some machines, above that for all of them.
 */
export interface MachineSelector {
  /** Which machines. @default - all */
  readonly machines?: MachineLabels;
  /**
   * Keys of the distribution's configuration file, e.g. `{'kubelet-arg': ['max-pods=200']}`. Texts, true or false and lists. A later selector that
   * matches wins, key by key: lists are replaced, not joined.
   */
  readonly config: { readonly [key: string]: any };
}

/**
 * A file on nodes from a key of a Secret or ConfigMap.
 */
export interface MachineFileItem {
  /** The key of the Secret or ConfigMap. */
  readonly key: string;
  /** Where on the node; absolute. */
  readonly path: string;
  /** Octal, e.g. `0600`. @default - those of the source */
  readonly permissions?: string;
  /**
   * Whether a change of the file leaves Kubernetes on the node running; else it restarts.
   * @default false
   */
  readonly dynamic?: boolean;
  /** Base64 of the SHA-256 that the content must have. @default - any content */
  readonly hash?: string;
}

/**
 * Options of a file whose content the program gives.
 */
export interface MachineFileOptions {
  /** Octal, e.g. `0600`. @default '0600' */
  readonly permissions?: string;
  /**
   * Whether a change of the file leaves Kubernetes on the node running; else it restarts.
   * @default false
   */
  readonly dynamic?: boolean;
}

/**
 * Options of files from a Secret or ConfigMap that is there.
 */
export interface MachineFileSourceOptions {
  /** Octal, e.g. `0600`. @default - Rancher's own, 0600 */
  readonly defaultPermissions?: string;
}

/** What kind of object files come from, in the words of machineSelectorFiles. */
type SourceKind = 'secret' | 'configMap';

/**
 * Where files of nodes come from.
 */
export class MachineFileSource {
  /**
   * A text of the program's, in a ConfigMap that is made beside the Cluster.
   *
   * @param path where on the node; absolute
   */
  public static text(path: string, text: string, options: MachineFileOptions = {}): MachineFileSource {
    return new MachineFileSource('configMap', { data: { content: text } }, [{ key: 'content', path, ...options }], {});
  }

  /**
   * A secret of the program's, in a Secret that is made beside the Cluster.
   *
   * @param path where on the node; absolute
   */
  public static secret(path: string, secret: SecretValue, options: MachineFileOptions = {}): MachineFileSource {
    return new MachineFileSource('secret', { type: 'Opaque', data: { content: secret } }, [{ key: 'content', path, ...options }], {});
  }

  /**
   * A Secret that is there, in the namespace of the Cluster, with annotation `rke.cattle.io/object-authorized-for-clusters: <cluster>`.
   */
  public static fromSecretName(name: string, items: MachineFileItem[], options: MachineFileSourceOptions = {}): MachineFileSource {
    return new MachineFileSource('secret', name, items, options);
  }

  /**
   * A ConfigMap that is there, in the namespace of the Cluster, with annotation `rke.cattle.io/object-authorized-for-clusters: <cluster>`.
   */
  public static fromConfigMapName(name: string, items: MachineFileItem[], options: MachineFileSourceOptions = {}): MachineFileSource {
    return new MachineFileSource('configMap', name, items, options);
  }

  private constructor(
    /** @internal */
    public readonly _kind: SourceKind,
    /** @internal */
    public readonly _content: SecretContent | string,
    /** @internal */
    public readonly _items: readonly MachineFileItem[],
    /** @internal */
    public readonly _options: MachineFileSourceOptions,
  ) {}
}

/**
 * Files on some machines of a cluster, written by Rancher's agent: unlike with cloud-init a change replaces no virtual machine. Rancher 2.7.2 and
 * later.
 */
export interface MachineFile {
  /** Which machines. @default - all */
  readonly machines?: MachineLabels;
  /** Where the files come from. */
  readonly sources: MachineFileSource[];
}

const PERMISSIONS = /^0?[0-7]{3,4}$/;

/** Entries of rkeConfig.machineSelectorFiles, and the objects that they name. */
export function machineFilesSpec(context: ClusterContext, files: readonly MachineFile[], parts: ClusterParts): Fields[] {
  return files.map(({ machines, sources }) => ({
    machineLabelSelector: selectorSpec(machines),
    fileSources: sources.map((source) => ({ [source._kind]: sourceSpec(context, source, parts) })),
  }));
}

function sourceSpec(context: ClusterContext, source: MachineFileSource, parts: ClusterParts): Fields {
  const { _items: items, _options: { defaultPermissions } } = source;
  return {
    name: nameOf(context, source, parts),
    defaultPermissions,
    items: items.map(({ key, path, permissions, dynamic, hash }) => ({ key, path, permissions, dynamic, hash })),
  };
}

function nameOf(context: ClusterContext, { _kind: kind, _content: content, _items: items }: MachineFileSource, parts: ClusterParts): string {
  if (typeof content === 'string') {
    const { scope, rancher: target, fleetWorkspace: namespace } = context;
    know(scope, { target, apiVersion: API_VERSIONS.CORE, kind: kind === 'secret' ? 'Secret' : 'ConfigMap', namespace, name: content });
    return content;
  }
  const plain = objectName(`${context.name}-file`, items[0].path);
  // one path may have a file for each of several groups of machines
  let name = plain;
  for (let count = 2; context.scope.node.tryFindChild(name); count++) { name = `${plain}-${count}`; }
  parts.before.push(writeClusterObject(context, name, {
    kind: kind === 'secret' ? 'Secret' : 'ConfigMap',
    name,
    content,
    annotations: { [OBJECT_AUTHORIZED]: context.name },
    reason: 'Rancher can not write the plans of the nodes without it, so the cluster can not be changed any more',
  }));
  return name;
}

/** rkeConfig.machineSelectorConfig: the entry for all machines, then those of the user, which win; undefined where there are none. */
export function machineSelectorSpec(forAll: Fields, selectors: readonly MachineSelector[]): Fields[] | undefined {
  const entries = [
    ...(Object.keys(forAll).length > 0 ? [{ config: forAll }] : []),
    ...selectors.map(({ machines, config }) => ({ machineLabelSelector: selectorSpec(machines), config: { ...config } })),
  ];
  return entries.length > 0 ? entries : undefined;
}

function selectorSpec(machines: MachineLabels | undefined): Fields | undefined {
  if (!machines) { return undefined; }
  const { matchLabels, matchExpressions } = machines;
  return { matchLabels, matchExpressions: matchExpressions?.map(({ key, operator, values }) => ({ key, operator, values })) };
}

/** What is wrong with files and selectors. */
export function* checkSelectors(files: readonly MachineFile[] = [], selectors: readonly MachineSelector[] = []): Iterable<Problem> {
  for (const [index, { machines, config }] of selectors.entries()) {
    yield* checkLabelSelector(`machineSelectors[${index}].machines`, machines);
    yield* checkConfigValues(`machineSelectors[${index}].config`, config);
  }
  for (const [index, { machines, sources }] of files.entries()) {
    yield* checkLabelSelector(`machineFiles[${index}].machines`, machines);
    for (const [number, { _items: items, _options: { defaultPermissions } }] of sources.entries()) {
      const path = `machineFiles[${index}].sources[${number}]`;
      yield* checkPermissions(`${path}.defaultPermissions`, defaultPermissions);
      if (items.length === 0) { yield { path: `${path}.items`, message: 'is empty, so no file is written', fix: 'name a key and the path that it is written to' }; }
      for (const item of items) {
        if (!item.path.startsWith('/')) { yield { path: `${path}.path`, value: item.path, message: 'is a relative path', fix: 'give an absolute one' }; }
        yield* checkPermissions(`${path}.permissions`, item.permissions);
      }
    }
  }
}

function* checkPermissions(path: string, permissions: string | undefined): Iterable<Problem> {
  if (permissions !== undefined && !PERMISSIONS.test(permissions)) {
    yield { path, value: permissions, message: 'are no permissions', fix: 'give them in octal as text, e.g. 0600' };
  }
}
