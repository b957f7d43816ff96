import { BUILT_IN_GLOBAL_ROLES, BUILT_IN_ROLE_TEMPLATES, RoleData } from './built-in-roles';
import { RoleCluster, kubernetesRole } from './kubernetes-roles';
import { Manifest, isRecord, textsAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { GrantedRule, RbacRule, rulesOf } from '../../core/rbac/policy-rule';
import { World } from '../../core/rule/rule';
import { remembered } from '../../core/text/values';

/** A cluster or project role with all that it inherits. */
export interface ResolvedRole {
  readonly id: string;
  readonly name: string;
  readonly rules: readonly GrantedRule[];
  /** Unknown roles: what they give is not in the rules. */
  readonly unknown: readonly string[];
}

/** What the role template itself holds. */
interface KnownRules {
  readonly rules: readonly GrantedRule[];
  readonly inherits: readonly string[];
  /** Whether there is more that is not to be seen. */
  readonly isElsewhere?: boolean;
}

/** A global role: what it gives on Rancher, in namespaces of Rancher, and on every cluster. */
interface ResolvedGlobalRole extends ResolvedRole {
  readonly namespaced: Readonly<Record<string, readonly GrantedRule[]>>;
  /** What it gives in namespaces of every cluster. */
  readonly inNamespaces: Readonly<Record<string, readonly GrantedRule[]>>;
  /** Ids of the cluster roles that it gives on every cluster. */
  readonly onClusters: readonly string[];
}

/**
 * All roles that are known: those that Rancher and Harvester create, and those among the objects,
 * which win.
 */
export class RoleBook {
  private readonly templates: ReadonlyMap<string, Manifest>;
  private readonly globals: ReadonlyMap<string, Manifest>;
  private readonly resolved = new Map<string, ResolvedRole>();

  constructor(world: World) {
    const byName = (kind: string) =>
      new Map(
        world
          .ofKind(GROUPS.MANAGEMENT, kind)
          .map(({ manifest }) => [manifest.metadata.name, manifest]),
      );
    this.templates = byName('RoleTemplate');
    this.globals = byName('GlobalRole');
  }

  /** A cluster or project role, as it is on a cluster. */
  public template(id: string, on: RoleCluster = {}): ResolvedRole {
    return remembered(
      this.resolved,
      JSON.stringify([id, on.harvester, on.version?.toString()]),
      () => this.resolveTemplate(id, on),
    );
  }

  /** A global role. */
  public global(id: string): ResolvedGlobalRole {
    const manifest = this.globals.get(id);
    const builtIn = BUILT_IN_GLOBAL_ROLES.get(id);
    if (!manifest) {
      return {
        id,
        name: builtIn?.name ?? id,
        rules: granted(builtIn?.rules ?? [], id),
        unknown: builtIn ? [] : [id],
        namespaced: {},
        inNamespaces: {},
        onClusters: builtIn?.inherits ?? [],
      };
    }
    return {
      id,
      name: displayName(manifest) ?? builtIn?.name ?? id,
      rules: granted(rulesOf(manifest.rules), id),
      unknown: [],
      namespaced: byNamespace(manifest.namespacedRules, id),
      inNamespaces: byNamespace(manifest.inheritedNamespacedRules, id),
      // an administrator's permissions on the clusters are not in its rules
      onClusters: [
        ...new Set([
          ...textsAt(manifest.inheritedClusterRoles),
          ...(builtIn?.inherits ?? []),
          ...(isAdmin(manifest) ? ['cluster-admin'] : []),
        ]),
      ],
    };
  }

  private resolveTemplate(id: string, on: RoleCluster): ResolvedRole {
    const rules: GrantedRule[] = [];
    const unknown: string[] = [];
    const seen = new Set([id]);
    // a set keeps its order and takes what is added on the way, so a circle ends
    for (const role of seen) {
      const found = this.rulesOf(role, on);
      if (!found || found.isElsewhere) {
        unknown.push(role);
      }
      if (!found) {
        continue;
      }
      rules.push(...found.rules);
      for (const inherited of found.inherits) {
        seen.add(inherited);
      }
    }
    const manifest = this.templates.get(id);
    return {
      id,
      name: (manifest && displayName(manifest)) ?? BUILT_IN_ROLE_TEMPLATES.get(id)?.name ?? id,
      rules,
      unknown,
    };
  }

  private rulesOf(id: string, on: RoleCluster): KnownRules | undefined {
    const manifest = this.templates.get(id);
    const kubernetes = kubernetesRole(id, on);
    if (
      manifest &&
      !(manifest.external === true && kubernetes && manifest.externalRules === undefined)
    ) {
      const rules = rulesOf(manifest.external === true ? manifest.externalRules : manifest.rules);
      // the rules of an external role are in a ClusterRole of the cluster, unless the role holds
      // them itself
      const isElsewhere = manifest.external === true && !Array.isArray(manifest.externalRules);
      return {
        rules: granted(rules, id),
        inherits: textsAt(manifest.roleTemplateNames),
        isElsewhere,
      };
    }
    if (kubernetes) {
      return { rules: kubernetes, inherits: [] };
    }
    const data = BUILT_IN_ROLE_TEMPLATES.get(id);
    return data && { rules: granted(data.rules, id, data), inherits: data.inherits };
  }
}

/**
 * Whether Rancher makes those who have a global role administrators of all clusters.
 * @see rancher/rancher:pkg/rbac/common.go IsAdminGlobalRole
 */
function isAdmin({ rules }: Manifest): boolean {
  const allows = (...fields: readonly string[]): boolean =>
    Array.isArray(rules) &&
    rules.some(
      (entry) => isRecord(entry) && fields.every((field) => textsAt(entry[field]).includes('*')),
    );
  return allows('apiGroups', 'resources', 'verbs') && allows('nonResourceURLs', 'verbs');
}

function byNamespace(field: unknown, id: string): Readonly<Record<string, readonly GrantedRule[]>> {
  return Object.fromEntries(
    isRecord(field)
      ? Object.entries(field).map(([namespace, rules]) => [namespace, granted(rulesOf(rules), id)])
      : [],
  );
}

function granted(rules: readonly RbacRule[], through: string, data?: RoleData): GrantedRule[] {
  return rules.map((entry) => ({
    ...entry,
    through,
    ...(data?.unconfirmed ? { unconfirmed: data.unconfirmed } : {}),
  }));
}

function displayName({ displayName: name }: Manifest): string | undefined {
  return typeof name === 'string' && name !== '' ? name : undefined;
}
