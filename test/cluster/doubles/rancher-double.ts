import { randomBytes } from 'node:crypto';
import { ageMs, condition, Controllers, Live, Reconciler } from './controllers';
import { Client } from '../client';

const PROVISIONING = 'provisioning.cattle.io/v1';
const MANAGEMENT = 'management.cattle.io/v3';

const CLUSTER_FINALIZER = 'wrangler.cattle.io/provisioning-cluster-remove';
const PROJECT_FINALIZER = 'controller.cattle.io/mgmt-project-rbac-remove';
const BINDING_FINALIZER = 'controller.cattle.io/mgmt-auth-prtb-controller';
// live.md 11.6
const CREDENTIAL_FINALIZER = 'management.cattle.io/harvester-token-cleanup';

/** How long machines take to be made and to go, and how long the token Secret of a new token is awaited. */
const MACHINES_MS = 800;
const TOKEN_MS = 400;

/** Facts: apply.md finding 1 and live.md 1.4: every URL and command holds the literal text. */
const PLACEHOLDER = '{token}';

export interface RancherDoubleOptions {
  readonly version: string;
  readonly serverUrl: string;
  readonly caCerts?: string;
  /** The kubeconfig that Rancher writes for a guest cluster, by its management id. */
  readonly guestKubeconfig: (id: string) => string;
}

/** The controllers of Rancher 2.13.8 that an apply meets. Each behaviour names its fact, in live.md or apply.md. */
export class RancherDouble extends Controllers {
  /** Ids of management clusters whose agents are connected. */
  public readonly connected = new Set<string>();
  /** How many machines were ever made, by cluster: one that is made twice was lost in between. */
  public readonly machinesMade = new Map<string, number>();

  protected readonly reconcilers: readonly Reconciler[] = [
    { apiVersion: PROVISIONING, kind: 'Cluster', reconcile: async (cluster) => this.cluster(cluster) },
    { apiVersion: MANAGEMENT, kind: 'ClusterRegistrationToken', reconcile: async (token) => this.token(token) },
    { apiVersion: MANAGEMENT, kind: 'Project', reconcile: async (project) => this.project(project) },
    { apiVersion: MANAGEMENT, kind: 'ProjectRoleTemplateBinding', reconcile: async (binding) => this.binding(binding) },
    { apiVersion: 'rke-machine-config.cattle.io/v1', kind: 'HarvesterConfig', reconcile: async (config) => this.machineConfig(config) },
    { apiVersion: 'v1', kind: 'Secret', reconcile: async (secret) => this.credential(secret) },
  ];

  public constructor(client: Client, private readonly options: RancherDoubleOptions) {
    super(client, 'rancher');
  }

  public async seed(): Promise<void> {
    const { version, serverUrl, caCerts = '' } = this.options;
    for (const name of ['cattle-system', 'cattle-global-data', 'fleet-default']) { await this.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }); }
    for (const [name, value] of Object.entries({ 'server-version': `v${version}`, 'server-url': serverUrl, 'cacerts': caCerts })) {
      await this.ensure({ apiVersion: MANAGEMENT, kind: 'Setting', metadata: { name }, value });
    }
  }

  /** What `/v3/import/…` answers to an agent or a Harvester (live.md 1.3, 1.4): tokens are looked up by Secrets alone. */
  public async register(url: string): Promise<string | undefined> {
    const [, token, id] = /\/v3\/import\/([^/]+?)_([^/_]+)\.yaml$/.exec(url) ?? [];
    const secrets = id ? await this.list('v1', 'Secret', id) : [];
    const known = secrets.some(({ metadata, data }) => metadata.name.startsWith('crt-token-') && decoded(data?.token) === token);
    if (!known) { return 'failed to get from the registration URL: cluster not found or invalid token'; }
    this.connected.add(id);
    return undefined;
  }

  public disconnect(): void {
    this.connected.clear();
  }

  private async cluster(cluster: Live): Promise<void> {
    const { name, annotations = {}, deletionTimestamp } = cluster.metadata as {
      name: string; annotations?: { [key: string]: string }; deletionTimestamp?: string;
    };
    // apply.md finding 3 and live.md 2: only when there is none yet
    const id: string = cluster.status?.clusterName ?? annotations['provisioning.cattle.io/management-cluster-name'] ?? `c-m-${randomBytes(4).toString('hex')}`;
    if (deletionTimestamp) { return this.removeCluster(cluster, id); }
    await this.addFinalizer(cluster, CLUSTER_FINALIZER);
    // live.md 5
    await this.write(cluster, {
      metadata: { annotations: { 'provisioning.cattle.io/management-cluster-display-name': name } },
      spec: { localClusterAuthEndpoint: {}, ...(cluster.spec?.rkeConfig ? { rkeConfig: { dataDirectories: {}, machinePoolDefaults: {} } } : {}) },
    });
    await this.ensure({ apiVersion: MANAGEMENT, kind: 'Cluster', metadata: { name: id }, spec: { displayName: name } });
    await this.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
    const namespace = await this.read('v1', 'Namespace', id);
    if (!namespace || namespace.metadata.deletionTimestamp) { return; }
    // live.md 1.2: one that is there is adopted
    await this.write(namespace, { metadata: { annotations: { 'lifecycle.cattle.io/create.namespace-auth': 'true', 'cattle.io/status': '{}' } } });
    // live.md 1.4
    await this.ensure({ apiVersion: MANAGEMENT, kind: 'ClusterRegistrationToken', metadata: { name: 'default-token', namespace: id }, spec: { clusterName: id } });
    await this.writeStatus(cluster, { clusterName: id });
    await (cluster.spec?.rkeConfig ? this.machines(cluster, id) : this.imported(cluster, id));
  }

  // apply.md 3.7: an import is ready when its agent is
  private async imported(cluster: Live, id: string): Promise<void> {
    const connected = this.connected.has(id);
    const status = connected ? 'True' : 'False';
    await this.writeStatus(cluster, {
      ready: connected,
      observedGeneration: cluster.metadata.generation,
      conditions: [condition('Created', 'True'), condition('Connected', status), condition('Ready', status, connected ? '' : 'waiting for the cluster agent to connect')],
    });
  }

  // live.md 6: the driver signs in with the credential
  private async machines(cluster: Live, id: string): Promise<void> {
    const { name, namespace, uid, generation, creationTimestamp } = cluster.metadata as unknown as { [key: string]: string };
    const missing = await this.missing(cluster);
    const made = !missing && ageMs(creationTimestamp) > MACHINES_MS;
    if (!made) {
      const why = missing ?? 'configuring bootstrap node(s)';
      await this.writeStatus(cluster, { ready: false, observedGeneration: generation, conditions: [condition('Created', 'True'), condition('Provisioned', 'False', why)] });
      return;
    }
    if (!cluster.status?.ready) { this.machinesMade.set(uid, cluster.spec.rkeConfig.machinePools[0].quantity as number); }
    // rancher/rancher:pkg/provisioningv2/kubeconfig/manager.go: a Secret beside the Cluster, with Rancher's own address
    await this.ensure({
      apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-kubeconfig`, namespace }, data: { value: encoded(this.options.guestKubeconfig(id)) },
    });
    await this.writeStatus(cluster, {
      ready: true,
      observedGeneration: generation,
      clientSecretName: `${name}-kubeconfig`,
      conditions: ['Created', 'Provisioned', 'Updated', 'Connected', 'Ready'].map((type) => condition(type, 'True')),
    });
  }

  private async missing({ metadata, spec }: Live): Promise<string | undefined> {
    const [namespace, name] = String(spec.cloudCredentialSecretName ?? '').split(':');
    if (name && !await this.read('v1', 'Secret', name, namespace)) { return `cloud credential ${namespace}:${name} not found`; }
    for (const { machineConfigRef } of spec.rkeConfig.machinePools as { machineConfigRef: { kind: string; name: string } }[]) {
      const config = await this.read('rke-machine-config.cattle.io/v1', machineConfigRef.kind, machineConfigRef.name, metadata.namespace);
      if (!config) { return `machine config ${machineConfigRef.name} not found`; }
    }
    return undefined;
  }

  // live.md 9.1; DESIGN: the machines' removal needs credential and config
  private async removeCluster(cluster: Live, id: string): Promise<void> {
    const { name, namespace, deletionTimestamp } = cluster.metadata as { name: string; namespace: string; deletionTimestamp?: string };
    if (cluster.spec?.rkeConfig) {
      const missing = await this.missing(cluster);
      if (missing) {
        this.problem(`Cluster ${name} can not remove its machines: ${missing}`);
        await this.writeStatus(cluster, { conditions: [condition('Removed', 'False', missing)] });
        return;
      }
      if (ageMs(deletionTimestamp) < MACHINES_MS) { return; }
      await this.remove({ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-kubeconfig`, namespace } });
    }
    for (const kind of ['Project', 'ClusterRegistrationToken']) {
      for (const object of await this.list(MANAGEMENT, kind, id)) {
        if (!object.metadata.deletionTimestamp) { await this.remove(object); }
      }
    }
    await this.remove({ apiVersion: MANAGEMENT, kind: 'Cluster', metadata: { name: id } });
    await this.remove({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: id } });
    this.connected.delete(id);
    await this.removeFinalizer(cluster, CLUSTER_FINALIZER);
  }

  // live.md 1.3, 1.4
  private async token(token: Live): Promise<void> {
    const { name, namespace, uid, creationTimestamp, deletionTimestamp } = token.metadata as unknown as { [key: string]: string };
    if (deletionTimestamp) { return; }
    const manifestUrl = `${this.options.serverUrl}/v3/import/${PLACEHOLDER}_${namespace}.yaml`;
    const secret = token.status?.tokenSecretName as string ?? `crt-token-${name}`;
    await this.writeStatus(token, { manifestUrl, command: `kubectl apply -f ${manifestUrl}`, token: '', tokenSecretName: secret });
    if (ageMs(creationTimestamp) < TOKEN_MS) { return; }
    await this.ensure({
      apiVersion: 'v1',
      kind: 'Secret',
      data: { token: encoded(randomBytes(27).toString('hex')) },
      metadata: { name: secret, namespace, ownerReferences: [{ apiVersion: MANAGEMENT, kind: 'ClusterRegistrationToken', name, uid }] },
    });
  }

  // live.md 3.1, 3.3, 5; without its webhook the namespace is made a little later
  private async project(project: Live): Promise<void> {
    const backing = `${project.spec.clusterName}-${project.metadata.name}`;
    if (project.metadata.deletionTimestamp) {
      await this.remove({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: backing } });
      return this.removeFinalizer(project, PROJECT_FINALIZER);
    }
    await this.addFinalizer(project, PROJECT_FINALIZER);
    const namespace = await this.read('v1', 'Namespace', backing);
    // the former project's is still going
    if (namespace?.metadata.deletionTimestamp) { return; }
    await this.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: backing } });
    await this.write(project, {
      metadata: { annotations: { 'authz.management.cattle.io/creator-role-bindings': '{}', 'lifecycle.cattle.io/create.mgmt-project-rbac-remove': 'true' } },
      ...(project.spec.resourceQuota ? { spec: { resourceQuota: { usedLimit: {} } } } : {}),
    });
    await this.writeStatus(project, { backingNamespace: backing, conditions: ['BackingNamespaceCreated', 'InitialRolesPopulated'].map((type) => condition(type, 'True')) });
  }

  // live.md 3.7, 5
  private async binding(binding: Live): Promise<void> {
    if (binding.metadata.deletionTimestamp) { return this.removeFinalizer(binding, BINDING_FINALIZER); }
    await this.addFinalizer(binding, BINDING_FINALIZER);
    const [, user] = /^local:\/\/(.*)/.exec(String(binding.userPrincipalName ?? '')) ?? [];
    await this.write(binding, {
      metadata: {
        labels: { 'auth.management.cattle.io/crb-rb-labels-updated': 'true' },
        annotations: { 'lifecycle.cattle.io/create.mgmt-auth-prtb-controller': 'true' },
      },
      ...(user ? { userName: user } : {}),
    });
  }

  // live.md 5: a default for every field left out
  private async machineConfig(config: Live): Promise<void> {
    if (config.metadata.deletionTimestamp) { return; }
    const left = Object.entries(MACHINE_DEFAULTS).filter(([field]) => config[field] === undefined);
    await this.write(config, { metadata: { annotations: { ownerBindingsCreated: 'true' } }, ...Object.fromEntries(left) });
  }

  // live.md 11.6
  private async credential(secret: Live): Promise<void> {
    if (secret.metadata.namespace !== 'cattle-global-data' || !secret.data?.['harvestercredentialConfig-kubeconfigContent']) { return; }
    if (secret.metadata.deletionTimestamp) { return this.removeFinalizer(secret, CREDENTIAL_FINALIZER); }
    await this.addFinalizer(secret, CREDENTIAL_FINALIZER);
    if (!decoded(secret.data['harvestercredentialConfig-kubeconfigContent']).includes('kind: Config')) {
      this.problem(`failed to unmarshal kubeconfig of ${secret.metadata.name}`);
    }
  }
}

const MACHINE_DEFAULTS: { readonly [field: string]: unknown } = {
  cpuCount: '2',
  memorySize: '4',
  diskSize: '0',
  sshPort: '22',
  reservedMemorySize: '-1',
  cpuModel: '',
  imageName: '',
  keyPairName: '',
  networkName: '',
  networkData: '',
  vgpuInfo: '',
  vmAffinity: '',
  enableEfi: false,
  enableSecureBoot: false,
  cpuPinning: false,
};

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function decoded(data: unknown): string {
  return Buffer.from(String(data ?? ''), 'base64').toString('utf8');
}
