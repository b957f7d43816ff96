import { ApiObject } from 'cdk8s';
import { plan } from '../../../src/commands';
import { Manifest } from '../../../src/core/manifest/manifest';
import { LOCAL_CLUSTER } from '../../../src/core/manifest/names';
import { ObjectRef } from '../../../src/engine/cluster/cluster';
import { PlanStep } from '../../../src/engine/plan/plan';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { ImportedCluster } from '../../../src/rancher/imported-cluster/imported-cluster';
import { ClusterMember, ClusterMembers } from '../../../src/rancher/members/members';
import { Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { GlobalPermission } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';
import { tempFolder } from '../../support/temp';
import { standInForClusterApi } from '../families/guests';
import { Question, isAllowed, wrongAnswers } from '../lab/access';
import { Lab, TARGETS } from '../lab/lab';
import { Charts, CommitOptions, Declare, Walk } from '../walk/walk';

/**
 * Users with the permissions of a tenant: of a Standard User alone, of the owner of a project, and
 * of a member of a cluster.
 */
export const ATTACKERS = ['standard', 'owner', 'member'] as const;

export type Attacker = (typeof ATTACKERS)[number];

/** The annotation with the project of a namespace. */
const PROJECT = 'field.cattle.io/projectId';

/** What the first commit declares, and each later one, too. */
export interface Platform {
  readonly users: { readonly [name in Attacker]: LocalUser };
  readonly cluster: HarvesterImport;
  /** A project on the cluster of Rancher, where its owner has permissions at once. */
  readonly project: TenantProject;
  readonly namespace: ApiObject;
}

/** Declares a commit on top of a platform. */
export type DeclareMore = (charts: Charts, platform: Platform) => void;

/** A platform on a lab, and users who attack it. */
export class Attacked {
  public static async open(title: string): Promise<Attacked> {
    const lab = await Lab.open(tempFolder());
    return new Attacked(lab, new Walk(lab, title), await standInForClusterApi(lab));
  }

  private constructor(
    public readonly lab: Lab,
    public readonly walk: Walk,
    private readonly stopClusterApi: () => void,
  ) {}

  /** The management cluster ID of the import. */
  public get clusterId(): string {
    return `c-m-${this.lab.prefix}h`;
  }

  /** The namespace of the project. */
  public get namespace(): string {
    return this.lab.name('team');
  }

  public user(name: Attacker): string {
    return this.lab.name(name);
  }

  /** A platform with a tenant, and more. */
  public platform(more: DeclareMore = () => undefined): Declare {
    return (charts) => more(charts, this.declare(charts));
  }

  /** Applies a platform with more. Returns where the commands were wrong. */
  public async commit(more?: DeclareMore, options?: CommitOptions): Promise<string[]> {
    return this.walk.commit(this.platform(more), options);
  }

  /** The objects of a platform with more on Rancher, which is not applied. */
  public manifestsOf(more?: DeclareMore): readonly Manifest[] {
    const { assembly, manifests } = loadAssembly(this.walk.synthesize(this.platform(more)));
    return assembly.objects.flatMap(({ id, target }) =>
      target === TARGETS.rancher ? (manifests.get(id) ?? []) : [],
    );
  }

  /** The steps of the plan of a platform with more. */
  public async stepsOf(
    more?: DeclareMore,
    acceptExisting?: readonly string[],
  ): Promise<readonly PlanStep[]> {
    const dist = this.walk.synthesize(this.platform(more));
    const { config } = this.lab;
    return (await plan(dist, { config, app: this.walk.app, acceptExisting })).plan.steps;
  }

  /** Creates an object on Rancher as a user. Throws what the server refuses. */
  public async create(by: Attacker, manifest: Manifest): Promise<void> {
    await this.lab.server('rancher').createAs(this.user(by), manifest, 'attacker');
  }

  /** Sets fields of an object on Rancher as a user, and takes them from others. */
  public async write(by: Attacker, manifest: Manifest): Promise<void> {
    const cluster = this.lab.server('rancher').as(this.user(by));
    await cluster.apply(manifest, { fieldManager: 'attacker', force: true });
  }

  /**
   * Replaces an object on Rancher as the user who created it: Rancher gives its creator the
   * permission to update it, and not the one to patch it.
   */
  public async replace(by: Attacker, manifest: Manifest): Promise<void> {
    const user = this.user(by);
    const allowed = { on: 'rancher', user, resource: 'secrets', verb: 'update' } as const;
    const { namespace, name } = manifest.metadata;
    const wrong = await wrongAnswers(this.lab, [{ ...allowed, namespace, name, allowed: true }]);
    if (wrong.length > 0) {
      throw new Error(wrong.join());
    }
    await this.lab.server('rancher').replaceAs(user, manifest, 'attacker');
  }

  /** Deletes an object on Rancher as a user. */
  public async delete(by: Attacker, ref: ObjectRef): Promise<void> {
    const server = this.lab.server('rancher');
    const live = await server.cluster.read(ref);
    await server.as(this.user(by)).delete(ref, live!.metadata.uid);
  }

  /** The questions that a user gets another answer to. */
  public async wrongly(
    by: Attacker,
    allowed: boolean,
    questions: readonly Omit<Question, 'on' | 'user' | 'allowed'>[],
  ): Promise<string[]> {
    const wrong: string[] = [];
    for (const question of questions) {
      const may = await isAllowed(this.lab, {
        on: 'rancher',
        user: this.user(by),
        allowed,
        ...question,
      });
      if (may !== allowed) {
        const { verb, group = 'core', resource, namespace = 'all' } = question;
        wrong.push(`${may ? 'can' : 'cannot'} ${verb} ${resource} of ${group} in ${namespace}`);
      }
    }
    return wrong;
  }

  /** Deletes everything. Returns what was wrong, or remains. */
  public async close(): Promise<string[]> {
    const left = [
      // attackers have a Project in it
      ...(await this.walk.destroy([this.idOf('Namespace'), this.importId])),
      ...(await this.lab.clean()),
    ];
    this.stopClusterApi();
    this.lab.close();
    return left;
  }

  private idOf(kind: string): string {
    return `rancher//${kind}//${this.namespace}`;
  }

  private get importId(): string {
    return `rancher/provisioning.cattle.io/Cluster/fleet-default/${this.lab.name('dc1')}`;
  }

  private declare({ rancher, dc1 }: Charts): Platform {
    const [standard, owner, member] = ATTACKERS.map(
      (name) =>
        new LocalUser(rancher, name, {
          name: this.user(name),
          permissions: [GlobalPermission.USER],
        }),
    );
    const cluster = new HarvesterImport(rancher, 'import', {
      harvester: dc1,
      name: this.lab.name('dc1'),
      clusterId: ClusterId.fixed(this.clusterId),
      register: false,
    });
    new ClusterMembers(rancher, 'members', {
      cluster,
      members: [ClusterMember.member(Principal.localUser(member))],
    });
    const local = ImportedCluster.fromClusterId(rancher, 'local', { clusterId: LOCAL_CLUSTER });
    const project = new TenantProject(rancher, 'project', {
      cluster: local,
      name: this.lab.name('project'),
      members: [ProjectMember.owner(Principal.localUser(owner))],
    });
    const namespace = new ApiObject(rancher, 'namespace', this.namespaceOf(this.namespace));
    namespace.addDependency(project);
    return { users: { standard, owner, member }, cluster, project, namespace };
  }

  /** A namespace of the project on the cluster of Rancher. */
  public namespaceOf(name: string): Manifest {
    const annotations = { [PROJECT]: `${LOCAL_CLUSTER}:${this.lab.name('project')}` };
    return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } };
  }
}
