import { checkLabelSelector } from '../../core/problem/label';
import { Problem } from '../../core/problem/problem';
import { SecretValue } from '../../core/value/secret-value';
import { expression, LabelRequirement } from '../../harvester/affinity/vm-affinity';
import { OBJECT_AUTHORIZED } from '../cluster/cluster.kind';
import { checkOwnConfig } from '../kubernetes/kubernetes-config';
import {
  ClusterContext,
  clusterObject,
  ClusterParts,
  ClusterFields,
  clusterObjectName,
  SecretContent,
} from '../parts/cluster-parts';

/**
 * Selects machines of a cluster, by labels of their Machine objects on Rancher:
 * `rke.cattle.io/rke-machine-pool-name` is the pool's name, `rke.cattle.io/etcd-role`,
 * `rke.cattle.io/control-plane-role` and `rke.cattle.io/worker-role` are `true` if the machine has
 * the role.
 */
export interface MachineLabels {
  /** Labels that machines must have, with these values. @default - no such labels */
  readonly matchLabels?: { readonly [key: string]: string };
  /** Additional conditions. @default - no conditions */
  readonly matchExpressions?: LabelRequirement[];
}

/** Configuration of some machines, which wins over the configuration of all machines. */
export interface MachineSelector {
  /** Selects the machines. @default - all machines */
  readonly machines?: MachineLabels;
  /**
   * Keys of the distribution's configuration file, e.g. `{'kubelet-arg': ['max-pods=200']}`:
   * strings, booleans and lists. A later selector that matches wins, key by key: lists are
   * replaced, not joined.
   */
  readonly config: { readonly [key: string]: any };
}

/** A file on nodes from a key of a Secret or ConfigMap. */
export interface MachineFileItem {
  /** The key of the Secret or ConfigMap. */
  readonly key: string;
  /** The absolute path on the node. */
  readonly path: string;
  /** The permissions in octal, e.g. `0600`. @default - the permissions of the source */
  readonly permissions?: string;
  /**
   * Whether Kubernetes on the node keeps running when the file changes, instead of restarting.
   * @default false
   */
  readonly dynamic?: boolean;
  /**
   * The base64 of the SHA-256 that the content must have.
   * @default - the content is not verified
   */
  readonly hash?: string;
}

/** Options of a file with content from the program. */
export interface MachineFileOptions {
  /** The permissions in octal, e.g. `0600`. @default '0600' */
  readonly permissions?: string;
  /**
   * Whether Kubernetes on the node keeps running when the file changes, instead of restarting.
   * @default false
   */
  readonly dynamic?: boolean;
}

/** Files from an existing Secret or ConfigMap. */
export interface MachineFileSourceOptions {
  /** The name of the Secret or ConfigMap, in the namespace of the Cluster. */
  readonly name: string;
  /** The keys with the content of files. */
  readonly items: MachineFileItem[];
  /** The permissions in octal, e.g. `0600`. @default - Rancher's default, 0600 */
  readonly defaultPermissions?: string;
}

/** The kind of a source in `machineSelectorFiles`. */
type SourceKind = 'secret' | 'configMap';

/** The source of files on nodes. */
export class MachineFileSource {
  /**
   * Text of the program, in a new ConfigMap in the namespace of the Cluster.
   *
   * @param path the absolute path on the node
   */
  public static text(
    path: string,
    text: string,
    options: MachineFileOptions = {},
  ): MachineFileSource {
    return new MachineFileSource('configMap', { data: { content: text } }, [
      { key: 'content', path, ...options },
    ]);
  }

  /**
   * A secret of the program, in a new Secret in the namespace of the Cluster.
   *
   * @param path the absolute path on the node
   */
  public static secret(
    path: string,
    secret: SecretValue,
    options: MachineFileOptions = {},
  ): MachineFileSource {
    return new MachineFileSource('secret', { type: 'Opaque', data: { content: secret } }, [
      { key: 'content', path, ...options },
    ]);
  }

  /**
   * An existing Secret in the namespace of the Cluster, with annotation
   * `rke.cattle.io/object-authorized-for-clusters: <cluster>`.
   */
  public static fromSecretName(options: MachineFileSourceOptions): MachineFileSource {
    return new MachineFileSource('secret', options.name, options.items, options.defaultPermissions);
  }

  /**
   * An existing ConfigMap in the namespace of the Cluster, with annotation
   * `rke.cattle.io/object-authorized-for-clusters: <cluster>`.
   */
  public static fromConfigMapName(options: MachineFileSourceOptions): MachineFileSource {
    return new MachineFileSource(
      'configMap',
      options.name,
      options.items,
      options.defaultPermissions,
    );
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _kind: SourceKind,
    /** @internal */
    public readonly _content: SecretContent | string,
    /** @internal */
    public readonly _items: readonly MachineFileItem[],
    /** @internal */
    public readonly _permissions?: string,
  ) {}
}

/**
 * Files on machines of a cluster, written by Rancher's agent: unlike with cloud-init, a change does
 * not replace virtual machines. Rancher 2.7.2 and later.
 */
export interface MachineFile {
  /** Selects the machines. @default - all machines */
  readonly machines?: MachineLabels;
  /** The sources of the files. */
  readonly sources: MachineFileSource[];
}

const PERMISSIONS = /^0?[0-7]{3,4}$/;

/** The entries of `rkeConfig.machineSelectorFiles`, and the objects that they name. */
export function machineFilesSpec(
  context: ClusterContext,
  files: readonly MachineFile[],
  parts: ClusterParts,
): ClusterFields[] {
  return files.map(({ machines, sources }) => ({
    machineLabelSelector: selectorSpec(machines),
    fileSources: sources.map((source) => ({
      [source._kind]: {
        name: clusterObject(
          context,
          {
            kind: source._kind === 'secret' ? 'Secret' : 'ConfigMap',
            content: source._content,
            nameOf: () => freeName(context, source._items[0].path),
            annotations: { [OBJECT_AUTHORIZED]: context.name },
          },
          parts.before,
        ),
        defaultPermissions: source._permissions,
        items: source._items.map(({ key, path, permissions, dynamic, hash }) => ({
          key,
          path,
          permissions,
          dynamic,
          hash,
        })),
      },
    })),
  }));
}

// one path may have a file for each of several groups of machines
function freeName({ name: cluster, scope }: ClusterContext, path: string): string {
  const { node } = scope;
  const plain = clusterObjectName(`${cluster}-file`, path);
  let name = plain;
  for (let count = 2; node.tryFindChild(name); count++) {
    name = `${plain}-${count}`;
  }
  return name;
}

/**
 * The field `rkeConfig.machineSelectorConfig`: the entry for all machines, then those of the user,
 * which win; undefined if it is empty.
 */
export function machineSelectorSpec(
  forAll: ClusterFields,
  selectors: readonly MachineSelector[],
): ClusterFields[] | undefined {
  const entries = [
    ...(Object.keys(forAll).length > 0 ? [{ config: forAll }] : []),
    ...selectors.map(({ machines, config }) => ({
      machineLabelSelector: selectorSpec(machines),
      config: { ...config },
    })),
  ];
  return entries.length > 0 ? entries : undefined;
}

function selectorSpec(machines: MachineLabels | undefined): ClusterFields | undefined {
  if (!machines) {
    return undefined;
  }
  const { matchLabels, matchExpressions } = machines;
  return {
    matchLabels,
    matchExpressions: matchExpressions?.map(expression),
  };
}

/** Checks files and selectors. */
export function* checkSelectors(
  files: readonly MachineFile[] = [],
  selectors: readonly MachineSelector[] = [],
): Iterable<Problem> {
  for (const [index, { machines, config }] of selectors.entries()) {
    yield* checkLabelSelector(`machineSelectors[${index}].machines`, selectorSpec(machines));
    yield* checkOwnConfig(`machineSelectors[${index}].config`, config);
  }
  for (const [index, { machines, sources }] of files.entries()) {
    yield* checkLabelSelector(`machineFiles[${index}].machines`, selectorSpec(machines));
    for (const [number, { _items: items, _permissions: defaultPermissions }] of sources.entries()) {
      const path = `machineFiles[${index}].sources[${number}]`;
      yield* checkPermissions(`${path}.defaultPermissions`, defaultPermissions);
      if (items.length === 0) {
        yield {
          path: `${path}.items`,
          message: 'must have at least one item',
          fix: 'add a key and the path of its file',
        };
      }
      for (const item of items) {
        if (!item.path.startsWith('/')) {
          yield {
            path: `${path}.path`,
            value: item.path,
            message: 'must be an absolute path',
            fix: 'start it with a slash',
          };
        }
        yield* checkPermissions(`${path}.permissions`, item.permissions);
      }
    }
  }
}

function* checkPermissions(path: string, permissions: string | undefined): Iterable<Problem> {
  if (permissions !== undefined && !PERMISSIONS.test(permissions)) {
    yield {
      path,
      value: permissions,
      message: 'must be permissions in octal',
      fix: 'write them as a string, e.g. 0600',
    };
  }
}
