import { AccessEntry, AccessMatrix, HeldRole, Place, Subject } from './matrix';
import { Places } from './places';
import { GrantedRule } from './policy-rule';
import { Reach, rightsOf } from './rights';
import { ResolvedRole, RoleBook } from './role-book';
import { EVERYBODY, Subjects } from './subjects';
import { plainText } from '../../model/checks/plain-text';
import { compare } from '../../model/compare';
import { HARVESTER_PUBLIC } from '../../model/infrastructure-names';
import { Manifest, objectLabel } from '../../model/manifest';
import { GROUPS } from '../../model/names';
import { JudgedObject } from '../../rules/rule';
import { World } from '../../rules/world';

const RANCHER: Place = { kind: 'rancher', name: 'Rancher' };

/**
 * Computes who may do what where from roles and bindings.
 *
 * @param objects the program's objects
 * @param live objects that exist beside them
 */
export function accessMatrix(objects: readonly JudgedObject[], live: readonly JudgedObject[] = []): AccessMatrix {
  return new Computation(new World(objects, live)).result();
}

interface Draft {
  readonly who: Subject;
  readonly where: Place;
  readonly reach: Reach;
  readonly roles: HeldRole[];
  readonly rules: GrantedRule[];
}

class Computation {
  private readonly roles: RoleBook;
  private readonly places: Places;
  private readonly subjects: Subjects;
  private readonly drafts = new Map<string, Draft>();
  private readonly notes = new Set<string>();

  constructor(world: World) {
    this.roles = new RoleBook(world);
    this.places = new Places(world);
    this.subjects = new Subjects(world);
    for (const [kind, add] of [
      ['GlobalRoleBinding', this.addGlobal], ['ClusterRoleTemplateBinding', this.addCluster], ['ProjectRoleTemplateBinding', this.addProject],
    ] as const) {
      for (const { manifest } of world.ofKind(GROUPS.MANAGEMENT, kind)) { this.bind(manifest, add); }
    }
    this.addPublic();
  }

  public result(): AccessMatrix {
    const entries = [...this.drafts.values()].map(({ who, where, reach, roles, rules }): AccessEntry => ({
      who, where, roles, may: rightsOf(rules, reach, where.cluster === undefined || this.places.mayBeHarvester(where.cluster)),
    }));
    return { schemaVersion: '1', entries: entries.sort(byWhoAndWhere), notes: [...this.notes].sort(compare) };
  }

  private bind(binding: Manifest, add: (this: this, who: Subject, binding: Manifest) => void): void {
    const who = this.subjects.of(binding);
    if (!who) {
      this.notes.add(`${objectLabel(binding)} names nobody`);
      return;
    }
    add.call(this, who, binding);
  }

  private addGlobal(who: Subject, binding: Manifest): void {
    const role = this.roles.global(plainText(binding.globalRoleName));
    this.add(who, RANCHER, 'rancher', role, binding);
    for (const [namespace, rules] of Object.entries(role.namespaced)) {
      this.add(who, { kind: 'rancher namespace', name: namespace, namespaces: [namespace] }, 'namespace', { ...role, rules }, binding);
    }
    for (const [namespace, rules] of Object.entries(role.inNamespaces)) {
      for (const cluster of this.places.clusterIds()) { this.add(who, this.places.namespace(cluster, namespace), 'namespace', { ...role, rules }, binding); }
    }
    for (const id of role.onClusters) {
      const inherited = this.roles.template(id);
      for (const cluster of this.places.clusterIds()) { this.add(who, this.places.cluster(cluster), 'cluster', inherited, binding); }
    }
  }

  private addCluster(who: Subject, binding: Manifest): void {
    const id = plainText(binding.clusterName);
    this.add(who, this.places.cluster(id), 'cluster', this.roles.template(plainText(binding.roleTemplateName)), binding);
  }

  private addProject(who: Subject, binding: Manifest): void {
    const place = this.places.project(plainText(binding.projectName));
    this.add(who, place, 'project', this.roles.template(plainText(binding.roleTemplateName)), binding);
  }

  // Harvester gives view on this one namespace to everybody, whatever the program says
  private addPublic(): void {
    for (const cluster of this.places.clusterIds().filter((id) => this.places.isHarvester(id))) {
      const binding: Manifest = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: HARVESTER_PUBLIC, namespace: HARVESTER_PUBLIC } };
      this.add(EVERYBODY, this.places.namespace(cluster, HARVESTER_PUBLIC), 'namespace', this.roles.template('view'), binding);
    }
  }

  private add(who: Subject, where: Place, reach: Reach, { id, name, rules, unknown }: ResolvedRole, binding: Manifest): void {
    const key = JSON.stringify([who.kind, who.principal, where.kind, where.cluster, where.project, where.name]);
    const draft = this.drafts.get(key) ?? { who, where, reach, roles: [], rules: [] };
    this.drafts.set(key, draft);
    draft.roles.push({ id, name, binding: objectLabel(binding) });
    draft.rules.push(...rules);
    for (const role of unknown) {
      this.notes.add(`role ${role} is not known: what it gives is left out; read it from Rancher (kubectl get roletemplates,globalroles -o yaml) and give the file with --world`);
    }
  }
}

const PLACES: readonly Place['kind'][] = ['rancher', 'rancher namespace', 'cluster', 'project', 'namespace'];

function byWhoAndWhere(a: AccessEntry, b: AccessEntry): number {
  return byWho(a.who, b.who) || PLACES.indexOf(a.where.kind) - PLACES.indexOf(b.where.kind)
    || compare(a.where.clusterName ?? '', b.where.clusterName ?? '') || compare(a.where.name, b.where.name)
    || compare(a.where.project ?? a.where.cluster ?? '', b.where.project ?? b.where.cluster ?? '');
}

// what everybody has comes last
function byWho(a: Subject, b: Subject): number {
  return Number(a.kind === 'everybody') - Number(b.kind === 'everybody') || compare(a.name, b.name) || compare(a.principal, b.principal);
}
