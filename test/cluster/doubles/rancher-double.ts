import { createHash, randomBytes } from 'node:crypto';
import { Webhook } from './admission';
import { AGAIN_MS, Controllers, Reconciler, ageMs, mark, now, setCondition } from './controllers';
import { Live } from './live';
import { rancherWebhooks } from './rancher-admission';
import { RancherGeneration, rancherGenerationOf } from './rancher-generations';
import { GLOBAL_ROLES, ROLE_TEMPLATES, managementSettings } from './rancher-objects';
import {
  LABEL_DEFAULT_PROJECT,
  LABEL_SYSTEM_PROJECT,
} from '../../../src/rancher/project/project.kind';
import { Client } from '../client';

const PROVISIONING = 'provisioning.cattle.io/v1';
const MANAGEMENT = 'management.cattle.io/v3';

/** Field managers of single controllers, which have the version in their names. */
const MANAGERS = {
  migrator: 'secret-migrator',
  bindings: 'mgmt-auth-crtb-prtb-controller',
  globalBindings: 'mgmt-auth-grb-controller',
};
const LABELS_UPDATED = { 'auth.management.cattle.io/crb-rb-labels-updated': 'true' };

const CLUSTER_FINALIZER = 'wrangler.cattle.io/cloud-config-secret-remover';
const TOKEN_FINALIZER = 'wrangler.cattle.io/cluster-registration-token-cleanup';
// test/recordings: seen, credentials
const CREDENTIAL_FINALIZER = 'management.cattle.io/harvester-token-cleanup';

/** Kinds that have one finalizer and one annotation, of a controller of that name. */
const LIFECYCLES = {
  Project: 'mgmt-project-rbac-remove',
  ProjectRoleTemplateBinding: 'mgmt-auth-prtb-controller',
  ClusterRoleTemplateBinding: 'mgmt-auth-crtb-controller',
  GlobalRoleBinding: 'mgmt-auth-grb-controller',
  RoleTemplate: 'mgmt-auth-roletemplate-lifecycle',
  User: 'mgmt-auth-users-controller',
} as const;

/**
 * The finalizers of the controllers that work on a connected cluster.
 * @see rancher/rancher:pkg/controllers/managementuser/rbac/handler_base.go
 */
const CLUSTER_SCOPED: { readonly [kind: string]: string } = {
  ProjectRoleTemplateBinding: 'cluster-prtb-sync',
  ClusterRoleTemplateBinding: 'cluster-crtb-sync',
};
const SCOPED_RELEASE_MS = 1_500;

/**
 * How long finalizers of a cluster's Projects and tokens take: the namespace controller still finds
 * them at its first look.
 */
const RELEASE_MS = 400;

/** Every URL and command holds the literal text: test/recordings: seen, tokens. */
const PLACEHOLDER = '{token}';

export interface RancherDoubleOptions {
  readonly version: string;
  readonly serverUrl: string;
  readonly caCerts?: string;
}

/** The controllers and the webhook of the Rancher of a generation that was recorded. */
export class RancherDouble extends Controllers {
  /** Ids of management clusters whose agents are connected. */
  public readonly connected = new Set<string>();
  /**
   * How far the webhook's cache of management clusters lags behind: it refuses Projects of a
   * Cluster that it has not seen yet.
   */
  public cacheLagMs = 300;
  protected readonly webhooks: readonly Webhook[];
  private readonly generation: RancherGeneration;
  private readonly managers: { readonly [name in keyof typeof MANAGERS]: string };
  private readonly connectedBefore = new Set<string>();
  /** When management clusters were made: times in metadata are of whole seconds. */
  private readonly madeAt = new Map<string, string>();

  protected readonly reconcilers: readonly Reconciler[] = [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      reconcile: async (namespace) => this.namespace(namespace),
    },
    {
      apiVersion: PROVISIONING,
      kind: 'Cluster',
      reconcile: async (cluster) => this.cluster(cluster),
    },
    {
      apiVersion: MANAGEMENT,
      kind: 'ClusterRegistrationToken',
      reconcile: async (token) => this.token(token),
    },
    {
      apiVersion: MANAGEMENT,
      kind: 'Project',
      reconcile: async (project) => this.project(project),
    },
    {
      apiVersion: MANAGEMENT,
      kind: 'ProjectRoleTemplateBinding',
      reconcile: async (binding) => this.projectBinding(binding),
    },
    {
      apiVersion: MANAGEMENT,
      kind: 'ClusterRoleTemplateBinding',
      reconcile: async (binding) => this.clusterBinding(binding),
    },
    {
      apiVersion: MANAGEMENT,
      kind: 'GlobalRoleBinding',
      reconcile: async (binding) => this.globalBinding(binding),
    },
    {
      apiVersion: MANAGEMENT,
      kind: 'RoleTemplate',
      reconcile: async (role) => this.roleTemplate(role),
    },
    { apiVersion: MANAGEMENT, kind: 'User', reconcile: async (user) => this.user(user) },
    {
      apiVersion: 'rke-machine-config.cattle.io/v1',
      kind: 'HarvesterConfig',
      reconcile: async (config) => this.machineConfig(config),
    },
    { apiVersion: 'v1', kind: 'Secret', reconcile: async (secret) => this.credential(secret) },
  ];

  public constructor(
    client: Client,
    private readonly options: RancherDoubleOptions,
  ) {
    super(client, 'rancher');
    const { version } = options;
    this.generation = rancherGenerationOf(version);
    this.managers = managersOf(version);
    this.webhooks = rancherWebhooks(client, async (id) => this.inCache(id), this.generation);
  }

  /**
   * What `/v3/import/…` answers to an agent or a Harvester (test/recordings: seen, tokens): tokens
   * are looked up by Secrets alone.
   */
  public async register(url: string): Promise<string | undefined> {
    const [, token, id] = /\/v3\/import\/([^/]+?)_([^/_]+)\.yaml$/.exec(url) ?? [];
    const secrets = id ? await this.list('v1', 'Secret', id) : [];
    const known = secrets.some(
      ({ metadata, data }) =>
        metadata.name.startsWith('crt-token-') && decoded(data?.token) === token,
    );
    if (!known) {
      return 'failed to get from the registration URL: cluster not found or invalid token';
    }
    this.connected.add(id);
    return undefined;
  }

  public disconnect(): void {
    this.connected.clear();
  }

  protected async bring(): Promise<void> {
    const { version, serverUrl, caCerts = '' } = this.options;
    for (const name of [
      'cattle-system',
      'cattle-global-data',
      'cattle-local-user-passwords',
      'fleet-default',
    ]) {
      await this.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    // test/recordings: seen, roles
    for (const { name, context } of ROLE_TEMPLATES) {
      await this.ensure({
        apiVersion: MANAGEMENT,
        kind: 'RoleTemplate',
        metadata: { name },
        builtin: true,
        context,
        rules: [],
      });
    }
    for (const name of GLOBAL_ROLES) {
      await this.ensure({
        apiVersion: MANAGEMENT,
        kind: 'GlobalRole',
        metadata: { name },
        builtin: true,
        displayName: name,
      });
    }
    // every value belongs to manager rancher, empty or not
    for (const { name, ...fields } of managementSettings({ version, serverUrl, caCerts })) {
      await this.ensure({ apiVersion: MANAGEMENT, kind: 'Setting', metadata: { name }, ...fields });
    }
  }

  private async inCache(id: string): Promise<boolean> {
    const cluster = await this.read(MANAGEMENT, 'Cluster', id);
    return (
      cluster !== undefined &&
      ageMs(this.madeAt.get(id) ?? cluster.metadata.creationTimestamp) >= this.cacheLagMs
    );
  }

  private async namespace(namespace: Live): Promise<number | void> {
    if (namespace.metadata.deletionTimestamp || namespace.metadata.name.startsWith('kube-')) {
      return;
    }
    const statusOf = (...types: string[]): string =>
      JSON.stringify({
        Conditions: types.map((Type) => ({
          Type,
          Status: 'True',
          Message: '',
          LastUpdateTime: now(),
        })),
      });
    const { annotations = {} } = namespace.metadata;
    const seen = 'lifecycle.cattle.io/create.namespace-auth';
    if (annotations[seen]) {
      return;
    }
    if (this.generation.namespaceInSteps && !annotations['cattle.io/status']) {
      await this.update(namespace, (draft) =>
        mark(draft, undefined, { 'cattle.io/status': statusOf('ResourceQuotaInit') }),
      );
      return;
    }
    await this.update(namespace, (draft) =>
      mark(draft, undefined, {
        'cattle.io/status': statusOf('ResourceQuotaInit', 'InitialRolesPopulated'),
        [seen]: 'true',
      }),
    );
  }

  private async cluster(cluster: Live): Promise<number | void> {
    const {
      name,
      namespace,
      annotations = {},
      deletionTimestamp,
      generation,
    } = cluster.metadata as unknown as {
      name: string;
      namespace: string;
      annotations?: { [key: string]: string };
      deletionTimestamp?: string;
      generation: number;
    };
    // create-only: test/recordings: seen, ids
    const id: string =
      cluster.status?.clusterName ??
      annotations['provisioning.cattle.io/management-cluster-name'] ??
      `c-m-${randomBytes(4).toString('hex')}`;
    if (deletionTimestamp) {
      return this.removeCluster(cluster, id);
    }
    await this.managementCluster(id, name);
    const { rkeConfig } = cluster.spec as { rkeConfig?: { [field: string]: unknown } };
    const provider = (
      rkeConfig?.chartValues as { [chart: string]: { cloudConfigPath?: string } } | null | undefined
    )?.['harvester-cloud-provider']?.cloudConfigPath;
    const steps: (() => Promise<boolean>)[] = [
      async () =>
        this.updateStatus(cluster, (status) => {
          if (status.clusterName) {
            return;
          }
          Object.assign(status, {
            clusterName: id,
            fleetWorkspaceName: namespace,
            observedGeneration: generation,
            conditions: [],
          });
          setCondition(status.conditions, {
            type: 'Reconciling',
            status: 'True',
            reason: 'Reconciling',
          });
          setCondition(status.conditions, { type: 'Stalled', status: 'False' });
          setCondition(status.conditions, { type: 'Created', status: 'True' });
        }),
      async () =>
        this.update(cluster, (draft) => {
          mark(draft, undefined, {
            'provisioning.cattle.io/management-cluster-display-name': name,
          });
          draft.spec.localClusterAuthEndpoint ??= {};
          if (!rkeConfig) {
            return;
          }
          draft.spec.rkeConfig.chartValues ??= null;
          // test/recordings: seen, clusters
          draft.spec.rkeConfig.machineGlobalConfig ??= null;
          draft.spec.rkeConfig.dataDirectories ??= {};
          draft.spec.rkeConfig.machinePoolDefaults ??= {};
        }),
      async () =>
        this.update(cluster, (draft) => mark(draft, CLUSTER_FINALIZER), {
          manager: this.managers.migrator,
        }),
      async () =>
        provider
          ? this.updateStatus(
              cluster,
              (status) =>
                setCondition(status.conditions, {
                  type: 'HarvesterCloudProviderConfigMigrated',
                  status: 'True',
                }),
              this.managers.migrator,
            )
          : false,
      async () =>
        this.update(cluster, (draft) =>
          this.generation.clusterFinalizers.forEach((finalizer) => mark(draft, finalizer)),
        ),
      async () =>
        this.updateStatus(cluster, (status) => {
          status.observedGeneration = generation;
        }),
    ];
    for (const step of steps) {
      if (await step()) {
        return;
      }
    }
    // the namespace first, and what is in it
    if (!(await this.clusterNamespace(id))) {
      return AGAIN_MS;
    }
    for (const step of this.generation.mirrorsConditions ? this.mirrored(cluster) : []) {
      if (await step()) {
        return;
      }
    }
    return rkeConfig || (await this.agent(cluster, id)) ? undefined : AGAIN_MS;
  }

  /** The conditions of the management Cluster, which the provisioning Cluster got. */
  private mirrored(cluster: Live): (() => Promise<boolean>)[] {
    const { rkeConfig } = cluster.spec as { rkeConfig?: object };
    const withConditions =
      (...add: string[]) =>
      (status: Live['status']): void =>
        add.forEach((type) => setCondition(status.conditions, { type, status: 'True' }));
    return [
      async () =>
        this.updateStatus(
          cluster,
          withConditions(
            'BackingNamespaceCreated',
            'DefaultProjectCreated',
            'SystemProjectCreated',
          ),
        ),
      async () =>
        this.updateStatus(cluster, (status) => {
          if (
            rkeConfig ||
            status.conditions.some(({ type }: { type: string }) => type === 'Pending')
          ) {
            return;
          }
          status.conditions.push({ type: 'Pending', status: 'Unknown' });
          setCondition(status.conditions, {
            type: 'Waiting',
            status: 'Unknown',
            message: 'Waiting for API to be available',
          });
        }),
      async () =>
        this.updateStatus(
          cluster,
          withConditions('NoDiskPressure', 'NoMemoryPressure', 'ServiceAccountSecretsMigrated'),
        ),
      async () =>
        this.updateStatus(cluster, (status) => {
          if (!status.conditions.some(({ type }: { type: string }) => type === 'Connected')) {
            setCondition(status.conditions, { type: 'Connected', status: 'False' });
          }
        }),
    ];
  }

  private async managementCluster(id: string, displayName: string): Promise<void> {
    if (await this.read(MANAGEMENT, 'Cluster', id)) {
      return;
    }
    this.madeAt.set(id, new Date().toISOString());
    await this.ensure({
      apiVersion: MANAGEMENT,
      kind: 'Cluster',
      metadata: { name: id },
      spec: { displayName },
    });
  }

  /**
   * The Namespace of a cluster, which is adopted where it is there, with a token and two Projects
   * (test/recordings: seen, tokens and projects).
   */
  private async clusterNamespace(id: string): Promise<boolean> {
    await this.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
    const namespace = await this.read('v1', 'Namespace', id);
    if (!namespace || namespace.metadata.deletionTimestamp || !(await this.inCache(id))) {
      return false;
    }
    await this.ensure({
      apiVersion: MANAGEMENT,
      kind: 'ClusterRegistrationToken',
      metadata: { name: 'default-token', namespace: id, finalizers: [TOKEN_FINALIZER] },
      spec: { clusterName: id },
    });
    const projects = await this.list(MANAGEMENT, 'Project', id);
    for (const [displayName, label] of [
      ['Default', LABEL_DEFAULT_PROJECT],
      ['System', LABEL_SYSTEM_PROJECT],
    ]) {
      if (projects.some(({ spec }) => spec.displayName === displayName)) {
        continue;
      }
      await this.ensure({
        apiVersion: MANAGEMENT,
        kind: 'Project',
        // @see rancher/rancher:pkg/controllers/management/auth/project_cluster/cluster_handler.go
        // createProject
        metadata: {
          name: `p-${randomBytes(3).toString('hex').slice(0, 5)}`,
          namespace: id,
          labels: { [label]: 'true' },
        },
        spec: { clusterName: id, displayName },
      });
    }
    return true;
  }

  /** The agent: test/recordings: seen, connection. An import is ready when it is connected. */
  private async agent(cluster: Live, id: string): Promise<boolean> {
    const connected = this.connected.has(id);
    await this.connection(id, connected);
    if (connected) {
      this.connectedBefore.add(id);
    }
    if (!this.connectedBefore.has(id)) {
      return false;
    }
    return this.updateStatus(cluster, (status) => {
      const state = connected ? 'True' : 'False';
      // never false again: test/recordings: seen on Rancher 2.15.0, connected
      status.ready ||= connected;
      if (!this.generation.mirrorsConditions) {
        status.clientSecretName ??= `${cluster.metadata.name}-kubeconfig`;
        setCondition(status.conditions, { type: 'Reconciling', status: 'False' });
        return;
      }
      setCondition(status.conditions, { type: 'Connected', status: state });
      setCondition(status.conditions, {
        type: 'Ready',
        status: state,
        ...(connected ? {} : { message: 'Cluster agent is not connected' }),
      });
    });
  }

  /**
   * The conditions of the management Cluster.
   * @see rancher/rancher:pkg/controllers/management/clusterconnected/clusterconnected.go
   */
  private async connection(id: string, connected: boolean): Promise<void> {
    const management = await this.read(MANAGEMENT, 'Cluster', id);
    if (management === undefined) {
      return;
    }
    // its definition has no subresource
    await this.update(management, (draft) => {
      const status = (draft.status ??= {});
      status.conditions ??= [];
      setCondition(status.conditions, { type: 'Connected', status: connected ? 'True' : 'False' });
      if (connected) {
        ['Provisioned', 'Ready'].forEach((type) =>
          setCondition(status.conditions, { type, status: 'True' }),
        );
      } else if (status.conditions.some(({ type }: { type: string }) => type === 'Provisioned')) {
        setCondition(status.conditions, {
          type: 'Ready',
          status: 'False',
          reason: 'Disconnected',
          message: 'Cluster agent is not connected',
        });
      }
    });
  }

  // test/recordings: seen, removal
  private async removeCluster(cluster: Live, id: string): Promise<number | void> {
    this.connected.delete(id);
    this.connectedBefore.delete(id);
    await this.remove({ apiVersion: MANAGEMENT, kind: 'Cluster', metadata: { name: id } });
    await this.remove({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
    for (const finalizer of this.generation.clusterFinalizers) {
      if (await this.release(cluster, finalizer)) {
        return;
      }
    }
    await this.release(cluster, CLUSTER_FINALIZER, this.managers.migrator);
  }

  // test/recordings: seen, tokens
  private async token(token: Live): Promise<number | void> {
    const { name, namespace, uid, deletionTimestamp } = token.metadata as unknown as {
      [key: string]: string;
    };
    if (deletionTimestamp) {
      if (ageMs(deletionTimestamp) < RELEASE_MS) {
        return RELEASE_MS;
      }
      await this.release(token, TOKEN_FINALIZER);
      return;
    }
    const manifestUrl = `${this.options.serverUrl}/v3/import/${PLACEHOLDER}_${namespace}.yaml`;
    const secret = (token.status?.tokenSecretName as string) ?? `crt-token-${name}`;
    await this.update(token, (draft) => {
      draft.status = {
        ...draft.status,
        manifestUrl,
        command: `kubectl apply -f ${manifestUrl}`,
        token: '',
        tokenSecretName: secret,
      };
    });
    await this.ensure({
      apiVersion: 'v1',
      kind: 'Secret',
      data: { token: encoded(randomBytes(27).toString('hex')) },
      metadata: {
        name: secret,
        namespace,
        ownerReferences: [{ apiVersion: MANAGEMENT, kind: 'ClusterRegistrationToken', name, uid }],
      },
    });
  }

  private async project(project: Live): Promise<number | void> {
    const { name, deletionTimestamp } = project.metadata as unknown as {
      name: string;
      deletionTimestamp?: string;
    };
    const finalizer = `controller.cattle.io/${LIFECYCLES.Project}`;
    const backing =
      (project.status?.backingNamespace as string) ?? `${project.spec.clusterName}-${name}`;
    if (deletionTimestamp) {
      await this.remove({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: backing } });
      if (ageMs(deletionTimestamp) < RELEASE_MS) {
        return RELEASE_MS;
      }
      await this.release(project, finalizer);
      return;
    }
    if (
      await this.update(project, (draft) => {
        mark(draft, finalizer);
        (draft.status ??= {}).conditions ??= [];
        setCondition(draft.status.conditions, { type: 'BackingNamespaceCreated', status: 'True' });
      })
    ) {
      return;
    }
    await this.created(project, 'Project');
  }

  private async projectBinding(binding: Live): Promise<number | void> {
    const [id] = String(binding.projectName ?? '').split(':');
    const done = await this.lifecycle(binding, 'ProjectRoleTemplateBinding', id);
    if (done !== false) {
      return done === true ? undefined : done;
    }
    if (
      await this.update(binding, (draft) => mark(draft, undefined, {}, LABELS_UPDATED), {
        manager: this.managers.bindings,
      })
    ) {
      return;
    }
    const principal = binding.userPrincipalName as string | undefined;
    const userName = principal && !binding.userName ? await this.userOf(principal) : undefined;
    await this.created(binding, 'ProjectRoleTemplateBinding', (draft) => {
      if (userName) {
        draft.userName ??= userName;
      }
    });
  }

  private async clusterBinding(binding: Live): Promise<number | void> {
    const done = await this.lifecycle(
      binding,
      'ClusterRoleTemplateBinding',
      String(binding.clusterName ?? ''),
    );
    if (done !== false) {
      return done === true ? undefined : done;
    }
    if (
      await this.update(binding, (draft) => mark(draft, undefined, {}, LABELS_UPDATED), {
        manager: this.managers.bindings,
      })
    ) {
      return;
    }
    if (await this.created(binding, 'ClusterRoleTemplateBinding')) {
      return;
    }
    await this.updateStatus(
      binding,
      (status) => completed(status, [['SubjectExists'], ['LabelsReconciled'], ['BindingExists']]),
      this.managers.bindings,
    );
  }

  private async globalBinding(binding: Live): Promise<number | void> {
    const done = await this.lifecycle(binding, 'GlobalRoleBinding');
    if (done !== false) {
      return done === true ? undefined : done;
    }
    const steps = [
      async () =>
        this.created(binding, 'GlobalRoleBinding', (draft) => {
          if (draft.userName) {
            draft.userPrincipalName ??= `local://${draft.userName}`;
          }
        }),
      async () => binding.globalRoleName === 'admin' && this.remoteStatus(binding),
      async () =>
        this.updateStatus(
          binding,
          (status) => {
            completed(status, this.generation.globalBindingConditions);
            status.summary ??= 'Completed';
          },
          this.managers.globalBindings,
        ),
    ];
    const [seen, ...statuses] = steps;
    for (const step of this.generation.statusFirst ? [...statuses, seen] : steps) {
      if (await step()) {
        return;
      }
    }
  }

  private async remoteStatus(binding: Live): Promise<boolean> {
    return this.updateStatus(binding, (status) => {
      if (status.summaryRemote) {
        return;
      }
      Object.assign(status, {
        lastUpdateTime: now(),
        observedGenerationRemote: 1,
        summaryRemote: 'Completed',
        remoteConditions: localConditions([['ClusterAdminRoleExists']]),
      });
    });
  }

  private async roleTemplate(role: Live): Promise<number | void> {
    if (role.metadata.deletionTimestamp) {
      return void (await this.lifecycle(role, 'RoleTemplate'));
    }
    if (role.builtin) {
      return;
    }
    await this.created(role, 'RoleTemplate', (draft) => {
      mark(draft, this.generation.removeHandlers.RoleTemplate);
      mark(draft, `controller.cattle.io/${LIFECYCLES.RoleTemplate}`);
      for (const field of ['builtin', 'external', 'hidden']) {
        draft[field] ??= false;
      }
    });
  }

  private async user(user: Live): Promise<number | void> {
    if (user.metadata.deletionTimestamp) {
      return void (await this.lifecycle(user, 'User'));
    }
    await this.created(user, 'User', (draft) => {
      mark(draft, `controller.cattle.io/${LIFECYCLES.User}`);
      draft.description ??= '';
      draft.principalIds ??= [`local://${user.metadata.name}`];
      draft.status ??= {};
    });
  }

  /**
   * The finalizer of a kind's controller is added first and removed last. Where the cluster's agent
   * is connected, the controllers that work there have one, too, which takes a while
   * (test/recordings: seen, connection: `clusterscoped.controller.cattle.io/…_<cluster>`, gone in
   * seconds).
   *
   * @returns whether there is nothing else to do
   */
  private async lifecycle(
    object: Live,
    kind: keyof typeof LIFECYCLES,
    clusterId?: string,
  ): Promise<number | boolean> {
    const finalizer = `controller.cattle.io/${LIFECYCLES[kind]}`;
    const scoped =
      clusterId &&
      CLUSTER_SCOPED[kind] &&
      `clusterscoped.controller.cattle.io/${CLUSTER_SCOPED[kind]}_${clusterId}`;
    const { deletionTimestamp, finalizers = [] } = object.metadata as {
      deletionTimestamp?: string;
      finalizers?: string[];
    };
    if (!deletionTimestamp) {
      return this.update(object, (draft) => {
        mark(draft, this.generation.removeHandlers[kind]);
        mark(draft, finalizer);
        if (scoped && this.connected.has(clusterId!)) {
          mark(draft, scoped);
        }
      });
    }
    if (scoped && finalizers.includes(scoped)) {
      if (ageMs(deletionTimestamp) < SCOPED_RELEASE_MS) {
        return AGAIN_MS;
      }
      await this.release(object, scoped);
      return true;
    }
    const handler = this.generation.removeHandlers[kind];
    await this.release(object, handler && finalizers.includes(handler) ? handler : finalizer);
    return true;
  }

  /**
   * The annotation by which a controller remembers that it has seen an object, and what it writes
   * with it.
   */
  private async created(
    object: Live,
    kind: keyof typeof LIFECYCLES,
    more: (draft: Live) => void = () => undefined,
  ): Promise<boolean> {
    return this.update(object, (draft) => {
      mark(draft, undefined, { [`lifecycle.cattle.io/create.${LIFECYCLES[kind]}`]: 'true' });
      more(draft);
    });
  }

  /**
   * A local user that exists (test/recordings: seen, users); a principal without one gets a user
   * whose name follows from it.
   */
  private async userOf(principal: string): Promise<string> {
    const [, local] = /^local:\/\/(.*)/.exec(principal) ?? [];
    if (local && (await this.read(MANAGEMENT, 'User', local))) {
      return local;
    }
    return `u-${base32(createHash('sha256').update(principal).digest()).slice(0, 10)}`;
  }

  private async machineConfig(config: Live): Promise<number | void> {
    if (config.metadata.deletionTimestamp) {
      return;
    }
    await this.update(config, (draft) => mark(draft, undefined, { ownerBindingsCreated: 'true' }));
  }

  // test/recordings: seen, credentials
  private async credential(secret: Live): Promise<number | void> {
    if (
      secret.metadata.namespace !== 'cattle-global-data' ||
      !secret.data?.['harvestercredentialConfig-kubeconfigContent']
    ) {
      return;
    }
    if (secret.metadata.deletionTimestamp) {
      return void (await this.release(secret, CREDENTIAL_FINALIZER));
    }
    await this.update(secret, (draft) => mark(draft, CREDENTIAL_FINALIZER));
    if (
      !decoded(secret.data['harvestercredentialConfig-kubeconfigContent']).includes('kind: Config')
    ) {
      this.problem(`failed to unmarshal kubeconfig of ${secret.metadata.name}`);
    }
  }
}

function managersOf(version: string): { readonly [name in keyof typeof MANAGERS]: string } {
  const named = Object.entries(MANAGERS).map(([key, name]) => [key, `rancher-v${version}-${name}`]);
  return Object.fromEntries(named) as { readonly [name in keyof typeof MANAGERS]: string };
}

function localConditions(
  conditions: readonly (readonly [type: string, reason?: string])[],
): object[] {
  return conditions.map(([type, reason = type]) => ({
    type,
    reason,
    status: 'True',
    message: '',
    lastTransitionTime: now(),
  }));
}

function completed(
  status: Live['status'],
  conditions: readonly (readonly [type: string, reason?: string])[],
): void {
  if (status.summaryLocal) {
    return;
  }
  Object.assign(status, {
    lastUpdateTime: now(),
    observedGenerationLocal: 1,
    summaryLocal: 'Completed',
    localConditions: localConditions(conditions),
  });
}

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[parseInt(five, 2)])
    .join('');
}

export function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function decoded(data: unknown): string {
  return Buffer.from(String(data ?? ''), 'base64').toString('utf8');
}
