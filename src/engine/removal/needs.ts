import { PermissionElsewhere, PermissionsElsewhere } from './permissions-elsewhere';
import { reach } from '../../core/graph/reach';
import { KindAccess } from '../../core/kind/description/access';
import { KindReferences } from '../../core/kind/description/references';
import { kindOf } from '../../core/kind/kinds';
import { ANNOTATION_SERVICE_ACCOUNT } from '../../core/kind/references';
import {
  Manifest,
  groupOf,
  isRecord,
  kindKey,
  valueAt,
  itemsAt,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { judgedTarget } from '../../core/rule/judge';
import { JudgedObject, World } from '../../core/rule/rule';
import { isSecretObject } from '../../core/secret/secret-fields';
import { grouped } from '../../core/text/values';
import { GuestHarvesters } from '../../guest/cloud-provider/guest-harvester.facts';
import { vmNamespaceOf } from '../../guest/cluster/cluster-reader.facts';
import {
  GROUP_MACHINE_CONFIG,
  HARVESTER_CONFIG_KIND,
} from '../../guest/machine-config/machine-config.kind';
import { machineReferences } from '../../guest/machine-config/machine-json.facts';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../../harvester/network/vm-network.kind';
import { GROUP_STORAGE } from '../../harvester/storage/storage.kind';
import { isProvisioned } from '../../rancher/cluster/cluster.facts';
import { isProjectSecret } from '../../rancher/project-secret/project-secret.kind';
import { PASSWORD_NAMESPACE } from '../../rancher/user/user.kind';
import { Manifests, impliedEdges } from '../graph/build-graph';
import { ObjectIndex, isProvisioningCluster } from '../graph/object-index';
import { registrationsOf } from '../graph/reverse-graph';

/** What was found to be needed. */
interface Walked {
  /** By the ID of the object: the root that needs it. */
  readonly found: Map<string, string>;
  readonly seen: Set<string>;
}

/**
 * What each object of a program needs to keep working, and to be deleted later: what it refers to,
 * the identity that it uses with the permissions of that, the registration of its cluster. Access
 * of people is needed by nothing but access of people.
 */
export class Needs {
  private readonly next = new Map<string, Set<string>>();
  private readonly byId: ReadonlyMap<string, AssemblyObject>;
  private readonly index: ObjectIndex;
  /** The Clusters of guest targets. */
  private readonly guests: ReadonlyMap<string, string>;
  private readonly registrations: ReturnType<typeof registrationsOf>;
  /** Bindings for ServiceAccounts of other namespaces, by their IDs. */
  private readonly elsewhere: ReadonlyMap<string, PermissionElsewhere>;

  constructor(
    private readonly assembly: Assembly,
    private readonly manifests: Manifests,
  ) {
    this.byId = new Map(assembly.objects.map((object) => [object.id, object]));
    this.index = new ObjectIndex(assembly, manifests);
    this.guests = this.guestClusters();
    this.elsewhere = this.permissionsElsewhere();
    for (const { from, to } of impliedEdges(assembly, manifests)) {
      this.add(from, to);
      const { apiVersion, kind } = this.byId.get(to)!;
      if (
        kindOf<KindReferences>(this.byId.get(from)!)?.completes ===
        kindKey(groupOf(apiVersion), kind)
      ) {
        this.add(to, from);
      }
    }
    this.addDeclared();
    this.addIdentities();
    this.addTokens();
    this.registrations = registrationsOf(assembly, manifests);
    for (const { cluster, tokens, settings } of this.registrations) {
      for (const id of [...tokens, ...settings]) {
        this.add(cluster, id);
      }
    }
    this.addMachines();
    this.addOfGuests();
  }

  /**
   * What some objects need, directly or not, with the first of them that needs it.
   *
   * @param roots IDs of the objects, the most important one first
   * @param going IDs of what is deleted before the permissions that it uses
   */
  public of(roots: readonly string[], going: ReadonlySet<string>): ReadonlyMap<string, string> {
    const walked: Walked = { found: new Map(), seen: new Set() };
    // objects in a guest cluster need their cluster, but a cluster that is deleted takes them along
    const outside = roots.filter((id) => !this.isInGuest(id));
    const inside = roots.filter((id) => this.isInGuest(id));
    for (const root of [...outside, ...inside]) {
      this.walk(root, root, walked);
    }
    this.keepBindings(outside, going, walked);
    return walked.found;
  }

  private isInGuest(id: string): boolean {
    return this.guests.has(this.byId.get(id)!.target);
  }

  /** Finds what an object needs, for the root that needs it. */
  private walk(from: string, root: string, { found, seen }: Walked): void {
    const only = this.isInGuest(root) ? this.byId.get(root)!.target : undefined;
    const open = [from];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      for (const to of this.next.get(id) ?? []) {
        const object = this.byId.get(to);
        const isOutside = only !== undefined && object?.target !== only;
        if (seen.has(to) || (object && (this.isRevoked(object, id) || isOutside))) {
          continue;
        }
        seen.add(to);
        if (object && to !== root) {
          found.set(to, root);
        }
        open.push(to);
      }
    }
  }

  /** Finds the bindings in other namespaces that give the identities of kept objects permissions. */
  private keepBindings(roots: readonly string[], going: ReadonlySet<string>, walked: Walked): void {
    const { found, seen } = walked;
    const permissions = new PermissionsElsewhere(
      this.elsewhere,
      this.byId,
      this.manifests,
      this.index,
    );
    for (const [binding, { by, withNamespace }] of permissions.keptWith({
      roots,
      next: this.next,
      going,
    })) {
      if (seen.has(binding)) {
        continue;
      }
      const { namespace } = this.elsewhere.get(binding)!;
      const isNeeded = seen.has(namespace);
      // the binding does not keep its namespace
      seen.add(binding).add(namespace);
      found.set(binding, by);
      this.walk(binding, by, walked);
      if (isNeeded) {
        continue;
      }
      if (withNamespace) {
        found.set(namespace, by);
        this.walk(namespace, by, walked);
      } else {
        seen.delete(namespace);
      }
    }
  }

  /**
   * Access of people: an object that is kept does not need it, whatever it waited for when it was
   * created.
   */
  private isRevoked(object: AssemblyObject, by: string): boolean {
    const needing = this.byId.get(by);
    return this.isOfPeople(object) && !(needing && this.isOfPeople(needing));
  }

  private isOfPeople(object: AssemblyObject): boolean {
    const { access, isLogin } = kindOf<KindAccess>(object) ?? {};
    if (groupOf(object.apiVersion) === GROUPS.MANAGEMENT) {
      return access !== undefined || isLogin === true;
    }
    return access === 'binding' && !this.accountsOf(object).isWhole;
  }

  /** The ServiceAccounts that a binding of Kubernetes is for, and whether it is for no one else. */
  private accountsOf({ id, target, namespace }: AssemblyObject): {
    readonly ids: readonly string[];
    readonly isWhole: boolean;
  } {
    const subjects = itemsAt(this.manifests.get(id), 'subjects');
    const accounts = subjects
      .filter(isRecord)
      .filter(({ kind, name }) => kind === 'ServiceAccount' && typeof name === 'string');
    return {
      isWhole: accounts.length === subjects.length && accounts.length > 0,
      ids: accounts.flatMap(
        ({ name, namespace: own }) =>
          this.index.find(
            target,
            '',
            'ServiceAccount',
            name as string,
            (own as string | undefined) ?? namespace,
          ) ?? [],
      ),
    };
  }

  /** The bindings that give ServiceAccounts permissions in other declared namespaces. */
  private permissionsElsewhere(): ReadonlyMap<string, PermissionElsewhere> {
    const namespaceOf = (id: string): string | undefined => this.byId.get(id)!.namespace;
    return new Map(
      this.assembly.objects.filter(isBinding).flatMap((object) => {
        const { id, target, namespace } = object;
        if (namespace === undefined || !this.manifests.has(id)) {
          return [];
        }
        const accounts = this.accountsOf(object).ids;
        const own = this.index.find(target, '', 'Namespace', namespace);
        return own === undefined ||
          accounts.length === 0 ||
          accounts.some((account) => namespaceOf(account) === namespace)
          ? []
          : [[id, { accounts, namespace: own }] as const];
      }),
    );
  }

  private add(from: string, to: string | undefined): void {
    if (to === undefined || to === from) {
      return;
    }
    const known = this.next.get(from);
    if (known) {
      known.add(to);
    } else {
      this.next.set(from, new Set([to]));
    }
  }

  /** The edges of the program; a group passes on what it needs. */
  private addDeclared(): void {
    const groups = new Map(this.assembly.groups.map(({ id, objects }) => [id, objects]));
    for (const { from, to, type } of this.assembly.edges) {
      if (type === 'gone') {
        continue;
      }
      const [waiting, awaited] = [groups.get(from), groups.get(to)];
      for (const member of waiting ?? []) {
        this.add(member, `${from} needs`);
      }
      for (const member of awaited ?? []) {
        const { accounts = [] } = this.elsewhere.get(member) ?? {};
        if (!accounts.some((account) => awaited!.includes(account))) {
          this.add(`${to} is needed`, member);
        }
      }
      this.add(waiting ? `${from} needs` : from, awaited ? `${to} is needed` : to);
    }
  }

  /**
   * A ServiceAccount works by its token and its bindings, a User by its password, a Project gives
   * its Secrets to its namespaces.
   */
  private addIdentities(): void {
    for (const object of this.assembly.objects) {
      const { id, target, namespace, name } = object;
      const manifest = this.manifests.get(id);
      if (!manifest) {
        continue;
      }
      const isOfAccounts = isBinding(object) && !this.elsewhere.has(id);
      for (const account of isOfAccounts ? this.accountsOf(object).ids : []) {
        this.add(account, id);
      }
      // what a controller makes from an object has its labels and annotations
      const secret = isSecretObject(object)
        ? manifest
        : kindOf<KindReferences>(object)?.makes?.(manifest)?.manifest;
      if (!secret || !isSecretObject(secret)) {
        continue;
      }
      const account = valueAt(secret, 'metadata', 'annotations', ANNOTATION_SERVICE_ACCOUNT);
      if (typeof account === 'string') {
        this.add(this.index.find(target, '', 'ServiceAccount', account, namespace) ?? '', id);
      }
      if (namespace === PASSWORD_NAMESPACE) {
        this.add(this.index.find(target, GROUPS.MANAGEMENT, 'User', name) ?? '', id);
      }
      if (namespace !== undefined && isProjectSecret(secret)) {
        this.add(this.index.projectOfNamespace(target, namespace) ?? '', id);
      }
    }
  }

  /**
   * A live object that contains the token of a ServiceAccount, in a kubeconfig or in the user data
   * of machines, needs the Secret of that token.
   */
  private addTokens(): void {
    const tokens = new Map<string, string>();
    for (const [id, manifest] of this.manifests) {
      if (manifest.type === TOKEN_TYPE) {
        for (const token of textsOf(manifest).token ?? []) {
          tokens.set(token, id);
        }
      }
    }
    if (tokens.size === 0) {
      return;
    }
    for (const [id, manifest] of this.manifests) {
      for (const text of Object.values(textsOf(manifest)).flat()) {
        for (const [, token] of text.matchAll(/\btoken["']?:\s*["']?([^\s"',}]+)/g)) {
          this.add(id, tokens.get(token));
        }
      }
    }
  }

  /**
   * What machines need on their Harvester, and guest clusters of Rancher: rules find the Harvester
   * by references.
   */
  private addMachines(): void {
    const isGuest = (object: AssemblyObject): boolean =>
      isProvisioningCluster(object) && isProvisioned(this.manifests.get(object.id) ?? NOTHING);
    if (!this.assembly.objects.some((object) => isMachineConfig(object) || isGuest(object))) {
      return;
    }
    const judged = this.judged();
    const world = new World([...judged.values()]);
    const harvesters = GuestHarvesters.in(world);
    const targetsOf = (name: string | undefined): readonly string[] =>
      name === undefined ? [...harvesters.targets.keys()] : [name];
    for (const [id, config] of judged) {
      if (!isMachineConfig(this.byId.get(id)!)) {
        continue;
      }
      const namespace = vmNamespaceOf(config);
      for (const target of targetsOf(harvesters.ofMachines(config)?.name)) {
        this.addMachine(id, config, target, namespace);
      }
    }
    const imports = new Map(
      this.registrations.flatMap(({ cluster, settings }) =>
        settings.map((id) => [this.byId.get(id)!.target, cluster] as const),
      ),
    );
    for (const [id, cluster] of judged) {
      if (!isGuest(this.byId.get(id)!)) {
        continue;
      }
      const harvester = harvesters.of(cluster);
      if (!harvester) {
        continue;
      }
      const [rancher, managementId] = (harvester.managedAs ?? '').split('/');
      this.add(id, this.index.cluster(rancher, managementId) ?? imports.get(harvester.name));
    }
  }

  private addMachine(
    id: string,
    { manifest }: JudgedObject,
    target: string,
    own: string | undefined,
  ): void {
    const { images, disks, networks } = machineReferences(manifest);
    const find = (group: string, kind: string, reference: string): void => {
      const [name, namespace = own] = reference.split('/').reverse();
      this.add(id, this.index.find(target, group, kind, name, namespace));
    };
    for (const image of images) {
      find(GROUPS.HARVESTER, 'VirtualMachineImage', image);
    }
    for (const network of networks) {
      find(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, network);
    }
    for (const { storageClassName } of disks) {
      this.add(id, this.index.find(target, GROUP_STORAGE, 'StorageClass', storageClassName ?? ''));
    }
    if (own !== undefined) {
      this.add(id, this.index.find(target, '', 'Namespace', own));
    }
  }

  private judged(): ReadonlyMap<string, JudgedObject> {
    const { targets: all } = this.assembly;
    const targets = new Map(
      all.map(({ name, kind, version, properties }) => [
        name,
        judgedTarget(name, kind, version, properties),
      ]),
    );
    return new Map(
      this.assembly.objects.flatMap(({ id, target }) => {
        const manifest = this.manifests.get(id);
        return manifest && targets.has(target)
          ? [[id, { manifest, target: targets.get(target)! }] as const]
          : [];
      }),
    );
  }

  /**
   * A guest cluster needs what the objects in it need on other clusters: they are not deleted while
   * it is kept.
   */
  private addOfGuests(): void {
    const inGuests = grouped(
      this.assembly.objects.filter(({ target }) => this.guests.has(target)),
      ({ target }) => target,
    );
    for (const [target, own] of inGuests) {
      const isOwn = (id: string): boolean => (this.byId.get(id)?.target ?? target) === target;
      const reached = reach(
        own.map(({ id }) => id),
        (at) => (isOwn(at) ? (this.next.get(at) ?? []) : []),
      );
      for (const id of reached) {
        if (!isOwn(id)) {
          this.add(this.guests.get(target)!, id);
        }
      }
    }
  }

  /** The Clusters of guest targets that the program contains. */
  private guestClusters(): ReadonlyMap<string, string> {
    const { targets } = this.assembly;
    const ranchers = targets.filter(({ kind }) => kind === 'rancher').map(({ name }) => name);
    return new Map(
      targets
        .filter(({ kind }) => kind === 'guest')
        .map(({ name, properties }) => {
          const { provisioningCluster = '', rancher } = properties;
          const [namespace, cluster = ''] = provisioningCluster.split('/');
          const found = (rancher === undefined ? ranchers : [rancher]).map((target) =>
            this.index.find(target, GROUPS.PROVISIONING, 'Cluster', cluster, namespace),
          );
          return [name, found.find((id) => id !== undefined) ?? ''];
        }),
    );
  }
}

/** Whether an object binds a role of Kubernetes. */
function isBinding(object: AssemblyObject): boolean {
  return (
    groupOf(object.apiVersion) === GROUPS.RBAC && kindOf<KindAccess>(object)?.access === 'binding'
  );
}

function isMachineConfig({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return kind === HARVESTER_CONFIG_KIND && groupOf(apiVersion) === GROUP_MACHINE_CONFIG;
}

const NOTHING: Manifest = { apiVersion: '', kind: '', metadata: { name: '' } };

/**
 * The type of a Secret into which Kubernetes writes a token.
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#secret-types
 */
const TOKEN_TYPE = 'kubernetes.io/service-account-token';

const BASE64_RUN = /[A-Za-z0-9+/]{64,}={0,2}/g;

/**
 * The texts of a Secret or of a machine configuration by their keys, each with what is in Base64 in
 * it.
 */
function textsOf(manifest: Manifest): { readonly [key: string]: readonly string[] } {
  return Object.fromEntries(
    ownTextsOf(manifest).map(([key, text]) => [
      key,
      [text, ...(text.match(BASE64_RUN) ?? []).map(fromBase64)],
    ]),
  );
}

function ownTextsOf(manifest: Manifest): Array<[key: string, text: string]> {
  if (isSecretObject(manifest)) {
    return [...readTexts(manifest.data, fromBase64), ...readTexts(manifest.stringData, String)];
  }
  if (isMachineConfig(manifest)) {
    return readTexts({ userData: manifest.userData }, String);
  }
  return [];
}

function readTexts(
  of: unknown,
  read: (text: string) => string,
): Array<[key: string, text: string]> {
  if (!isRecord(of)) {
    return [];
  }
  return Object.entries(of).flatMap(([key, value]): Array<[string, string]> =>
    typeof value === 'string' ? [[key, read(value)]] : [],
  );
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
