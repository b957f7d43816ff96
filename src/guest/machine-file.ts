import { SecretContent } from './_cluster-secret';
import { MachineLabels } from './machine-selector';
import { SecretValue } from '../late';

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
