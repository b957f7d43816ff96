import { inverted, reach } from '../../core/graph/reach';
import { Manifest } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { configNameOf, poolsOf, vmNamespaceOf } from '../../guest/cluster/cluster-reader.facts';
import {
  GROUP_MACHINE_CONFIG,
  HARVESTER_CONFIG_KIND,
} from '../../guest/machine-config/machine-config.kind';
import { isProvisioned } from '../../rancher/cluster/cluster.facts';
import { Manifests } from '../graph/build-graph';
import { ObjectIndex, isProvisioningCluster } from '../graph/object-index';

/** A binding for ServiceAccounts of other namespaces than its own. */
export interface PermissionElsewhere {
  /** IDs of the ServiceAccounts. */
  readonly accounts: readonly string[];
  /** ID of the Namespace of the binding. */
  readonly namespace: string;
}

/** What a permission is kept for. */
export interface PermissionUse {
  /** ID of the object that uses it. */
  readonly by: string;
  /** Whether the namespace of the permission is needed with it. */
  readonly withNamespace: boolean;
}

/** What an answer on permissions is judged by. */
interface Uses {
  /** The objects that need something, the most important one first. */
  readonly roots: readonly string[];
  /** What each object needs, without these permissions. */
  readonly next: ReadonlyMap<string, ReadonlySet<string>>;
  /** What is deleted before the permissions that it uses. */
  readonly going: ReadonlySet<string>;
}

/**
 * Which permissions in other namespaces are needed. Guest clusters that share a credential share
 * its ServiceAccount, which may work in the namespaces of all of them: not each of them needs all.
 */
export class PermissionsElsewhere {
  constructor(
    private readonly permissions: ReadonlyMap<string, PermissionElsewhere>,
    private readonly objects: ReadonlyMap<string, AssemblyObject>,
    private readonly manifests: Manifests,
    private readonly index: ObjectIndex,
  ) {}

  /**
   * The permissions that are kept. What is not known to use only its own namespaces needs all
   * permissions of its ServiceAccounts; a guest cluster whose machines are known needs those in the
   * namespaces that it needs. One that only guest clusters use that go is not kept.
   */
  public *keptWith({
    roots,
    next,
    going,
  }: Uses): Iterable<readonly [binding: string, use: PermissionUse]> {
    if (this.permissions.size === 0) {
      return;
    }
    const needing = inverted(
      [...next].flatMap(([from, needed]) => [...needed].map((to) => [from, to] as const)),
    );
    const known = new Map<string, ReadonlySet<string>>();
    const all = (ids: readonly string[]): ReadonlySet<string> => {
      const key = ids.join(' ');
      const users = known.get(key) ?? reach(ids, (id) => needing.get(id) ?? []);
      known.set(key, users);
      return users;
    };
    for (const [binding, { accounts, namespace }] of this.permissions) {
      const [ofAccounts, ofNamespace] = [all(accounts), all([namespace])];
      const users = roots.filter((root) => ofAccounts.has(root));
      const user = users.find((root) => ofNamespace.has(root) || !this.isKnown(root));
      if (user !== undefined) {
        yield [binding, { by: user, withNamespace: true }];
        continue;
      }
      const others = [...ofAccounts].filter((id) => ofNamespace.has(id) && this.isKnown(id));
      // another guest cluster must not lose its permission before its machines are gone
      const goes = others.length > 0 && others.every((id) => going.has(id));
      if (users.length > 0 && !goes) {
        yield [binding, { by: accounts[0]!, withNamespace: false }];
      }
    }
  }

  /** Whether an object is a guest cluster, and the namespaces of all its machines are known. */
  private isKnown(id: string): boolean {
    const [object, manifest] = [this.objects.get(id), this.manifests.get(id)];
    if (!object || !manifest || !isProvisioningCluster(object) || !isProvisioned(manifest)) {
      return false;
    }
    const pools = poolsOf(manifest);
    return (
      pools.length > 0 &&
      pools.every((pool) => {
        const config = this.machineConfig(object, configNameOf(pool));
        return config !== undefined && vmNamespaceOf({ manifest: config }) !== undefined;
      })
    );
  }

  private machineConfig(
    { target, namespace }: AssemblyObject,
    name: string | undefined,
  ): Manifest | undefined {
    const id =
      name === undefined
        ? undefined
        : this.index.find(target, GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND, name, namespace);
    return id === undefined ? undefined : this.manifests.get(id);
  }
}
